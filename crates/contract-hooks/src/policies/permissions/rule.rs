//! One rule: `tool` or `tool(key=pattern, …)`.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use contract_registry::Call;
use contract_schema::JsonRef;

use crate::policies::wildcard::matches;

/// A tool, and what its arguments must look like.
///
/// `*` stands for any run of characters, in names and in patterns; a backslash takes the next character as it
/// is. A key names an argument, or any place in the arguments when it begins with `/` (a JSON pointer). All
/// conditions must hold; an argument that is absent matches nothing. A value that is no string is compared as
/// its JSON text. Arguments named `path` or ending in `_path` are compared as paths: `./a/../b` is `b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    text: String,
    tool: String,
    conditions: Vec<Condition>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Condition {
    key: String,
    pattern: String,
}

/// What is wrong with the text of a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// No tool name.
    #[error("`{0}` names no tool; write `tool` or `tool(key=pattern)`")]
    NoTool(String),
    /// An opening parenthesis without its closing one at the end.
    #[error("`{0}` does not end with `)`")]
    Unclosed(String),
    /// A condition that is no `key=pattern`.
    #[error("`{condition}` in `{rule}` is not `key=pattern`")]
    Condition {
        /// The rule.
        rule: String,
        /// The part.
        condition: String,
    },
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        let (tool, inside) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => {
                let inside =
                    rest.strip_suffix(')').ok_or_else(|| RuleError::Unclosed(text.to_owned()))?;
                (tool.trim(), Some(inside))
            }
        };
        if tool.is_empty() {
            return Err(RuleError::NoTool(text.to_owned()));
        }
        let conditions = match inside {
            None => Vec::new(),
            Some(inside) => split_unescaped(inside)
                .iter()
                .map(|part| condition(text, part))
                .collect::<Result<_, _>>()?,
        };
        Ok(Self { text: text.to_owned(), tool: tool.to_owned(), conditions })
    }
}

fn condition(rule: &str, part: &str) -> Result<Condition, RuleError> {
    let wrong =
        || RuleError::Condition { rule: rule.to_owned(), condition: part.trim().to_owned() };
    let (key, pattern) = part.split_once('=').ok_or_else(wrong)?;
    let key = key.trim();
    if key.is_empty() {
        return Err(wrong());
    }
    Ok(Condition { key: key.to_owned(), pattern: pattern.trim().to_owned() })
}

/// Splits at commas that no backslash precedes; the backslash goes.
fn split_unescaped(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ',' => parts.push(String::new()),
            '\\' => parts.last_mut().into_iter().for_each(|part| part.extend(chars.next())),
            c => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts
}

impl Rule {
    /// Whether any reading of the arguments matches: the careful direction for refusals and questions.
    pub(super) fn touches(&self, call: &Call) -> bool {
        self.holds(call, |pattern, readings| readings.iter().any(|text| matches(pattern, text)))
    }

    /// Whether what the arguments really name matches: the careful direction for permissions.
    pub(super) fn covers(&self, call: &Call) -> bool {
        self.holds(call, |pattern, readings| {
            readings.last().is_some_and(|text| matches(pattern, text))
        })
    }

    /// Length of the rule as written, by which the most exact permission is found.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    fn holds(&self, call: &Call, matching: impl Fn(&str, &[String]) -> bool) -> bool {
        matches(&self.tool, call.name())
            && self.conditions.iter().all(|condition| {
                let arguments = call.arguments().root();
                let value = if condition.key.starts_with('/') {
                    arguments.pointer(&condition.key)
                } else {
                    arguments.get(&condition.key)
                };
                value.is_some_and(|value| {
                    let readings = readings(&condition.key, value, call.workspace_root());
                    matching(&condition.pattern, &readings)
                })
            })
    }
}

/// The texts a value may be compared as; what it really names comes last.
fn readings(key: &str, value: JsonRef<'_>, root: &Path) -> Vec<String> {
    let Some(text) = value.as_str() else { return vec![value.to_string()] };
    let mut readings = vec![text.to_owned()];
    if key == "path" || key.ends_with("_path") || key.ends_with("/path") {
        let absolute = normalized(&root.join(text));
        let relative = absolute.strip_prefix(normalized(root)).ok().map(Path::to_path_buf);
        readings.push(absolute.to_string_lossy().into_owned());
        readings.extend(relative.map(|path| path.to_string_lossy().into_owned()));
    }
    readings
}

/// `.` and `..` resolved by spelling alone. Links are the confinement's business.
fn normalized(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_or_refused_with_what_is_wrong() {
        let rule: Rule = r" bash( command=git *, /env/0 = A\,B ) ".parse().unwrap();
        assert_eq!(rule.tool, "bash");
        let conditions: Vec<_> =
            rule.conditions.iter().map(|c| (c.key.as_str(), c.pattern.as_str())).collect();
        assert_eq!(conditions, [("command", "git *"), ("/env/0", "A,B")]);
        for (text, message) in [
            ("", "`` names no tool; write `tool` or `tool(key=pattern)`"),
            ("read(x", "`read(x` does not end with `)`"),
            ("read(x)", "`x` in `read(x)` is not `key=pattern`"),
            ("read(=a)", "`=a` in `read(=a)` is not `key=pattern`"),
        ] {
            assert_eq!(text.parse::<Rule>().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn paths_are_resolved_by_spelling() {
        for (path, normal) in [("/a/./b/../c", "/a/c"), ("/../x", "/x"), ("/a//b/", "/a/b")] {
            assert_eq!(normalized(Path::new(path)), Path::new(normal));
        }
    }
}
