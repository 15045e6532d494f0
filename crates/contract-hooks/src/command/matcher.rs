//! Matchers: which tools, or which sources, a group of hooks is for.

use fancy_regex::Regex;

use super::alias::{self, KnownTools};
use super::event::{Dialect, HookEvent};

/// A compiled matcher.
#[derive(Debug)]
pub(crate) struct Matcher {
    /// As it stands in the file; absent where nothing is matched.
    pub(crate) text: Option<String>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Everything,
    /// One of these, exactly.
    Names(Vec<String>),
    /// Anywhere in the name.
    Pattern(Box<Regex>),
}

impl Matcher {
    /// Compiles a matcher: absent, empty and `*` match everything. In Claude's form, words with `|` between
    /// them are exact names; all else, and everything in Codex's form, is a regular expression that may match
    /// anywhere.
    ///
    /// # Errors
    ///
    /// What is wrong with the regular expression.
    pub(crate) fn compile(
        text: Option<&str>,
        event: HookEvent,
        dialect: Dialect,
    ) -> Result<Self, String> {
        let Some(text) = text.filter(|text| event.has_subject() && !matches!(*text, "" | "*"))
        else {
            return Ok(Self { text: None, kind: Kind::Everything });
        };
        let is_names = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'|'));
        let kind = match dialect {
            Dialect::Claude if is_names => {
                Kind::Names(text.split('|').map(str::to_owned).collect())
            }
            Dialect::Claude | Dialect::Codex => {
                Kind::Pattern(Box::new(Regex::new(text).map_err(|error| error.to_string())?))
            }
        };
        Ok(Self { text: Some(text.to_owned()), kind })
    }

    /// Whether it matches one of our tools, under any of its names.
    pub(crate) fn matches_tool(&self, own: &str) -> bool {
        match &self.kind {
            // What is to match everything but a name must not match by another name of the same tool.
            Kind::Pattern(_) if self.excludes() => self.matches(alias::wire_name(own)),
            Kind::Pattern(_) | Kind::Names(_) | Kind::Everything => {
                alias::names(own).any(|name| self.matches(name))
            }
        }
    }

    /// Whether it matches a name. An expression that takes too long to tell counts as a match: the hook
    /// is better run once too often.
    pub(crate) fn matches(&self, subject: &str) -> bool {
        match &self.kind {
            Kind::Everything => true,
            Kind::Names(names) => names.iter().any(|name| name == subject),
            Kind::Pattern(pattern) => pattern.is_match(subject).unwrap_or(true),
        }
    }

    fn excludes(&self) -> bool {
        let text = self.text.as_deref().unwrap_or_default();
        ["(?!", "(?<!", "[^"].iter().any(|negation| text.contains(negation))
    }

    /// What in it names no tool of those: single names where it is a list, else the whole. Tools of MCP
    /// servers may come later.
    pub(crate) fn unknown(&self, tools: &KnownTools) -> Vec<String> {
        let later = |name: &str| name.trim_start_matches('^').starts_with("mcp__");
        match &self.kind {
            Kind::Everything => Vec::new(),
            Kind::Names(names) => {
                let known = |name: &str| tools.any(|own| alias::names(own).any(|n| n == name));
                names.iter().filter(|name| !later(name) && !known(name)).cloned().collect()
            }
            Kind::Pattern(_) => {
                let text = self.text.clone().unwrap_or_default();
                let known = later(&text) || tools.any(|own| self.matches_tool(own));
                if known { Vec::new() } else { vec![text] }
            }
        }
    }
}
