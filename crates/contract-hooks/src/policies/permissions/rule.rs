//! One rule: `tool` or `tool(key=pattern, …)`.

use std::fmt;
use std::str::FromStr;

use super::argument::{Argument, Looked};
use super::number::pattern_by_value;
use super::path::PathPattern;
use crate::policies::wildcard::matches;

/// A tool, and what its arguments must look like.
///
/// `*` stands for any run of characters, in names and in patterns; a backslash takes the next character as it
/// is. A key names an argument, or any place in the arguments when it begins with `/` (a JSON pointer). All
/// conditions must hold; an argument that is absent matches nothing. A value that is no string is compared as
/// its JSON text, where numbers count by value: `7` is `7.0` too. Arguments named `path`, `workdir`, `cwd` or ending in `_path` are compared as paths: `.`,
/// `..` and links are seen through, in the argument and in the folder of the pattern, case is kept, and `~`
/// is a name like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    text: String,
    pub(super) tool: String,
    pub(super) conditions: Vec<Condition>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) key: String,
    pub(super) pattern: String,
    path: PathPattern,
    /// The pattern with numbers by their value, if it is JSON.
    by_value: Option<String>,
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
    let pattern = pattern.trim();
    let (path, by_value) = (PathPattern::new(pattern), pattern_by_value(pattern));
    Ok(Condition { key: key.to_owned(), pattern: pattern.to_owned(), path, by_value })
}

impl Condition {
    fn is_value(&self, by_value: &str) -> bool {
        self.by_value.as_deref() == Some(by_value) || matches(&self.pattern, by_value)
    }
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
    pub(super) fn touches(&self, call: &Looked<'_>) -> bool {
        self.holds(call, |condition, argument| match argument {
            Argument::Path(named) => named.touches(&condition.path, call.root()),
            Argument::Text(text) => matches(&condition.pattern, text),
            Argument::Value { written, by_value } => {
                matches(&condition.pattern, written) || condition.is_value(by_value)
            }
        })
    }

    /// Whether what the arguments really name is certain to match: the careful direction for permissions.
    pub(super) fn covers(&self, call: &Looked<'_>) -> bool {
        self.holds(call, |condition, argument| match argument {
            Argument::Path(named) => named.is_covered(&condition.path, call.root()),
            Argument::Text(text) => matches(&condition.pattern, text),
            Argument::Value { written: _, by_value } => condition.is_value(by_value),
        })
    }

    /// Length of the rule as written, by which the most exact permission is found.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    fn holds(&self, call: &Looked<'_>, matching: impl Fn(&Condition, &Argument) -> bool) -> bool {
        matches(&self.tool, call.tool())
            && self.conditions.iter().all(|condition| {
                let argument = call.argument(&condition.key);
                argument.is_some_and(|argument| matching(condition, &argument))
            })
    }
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
}
