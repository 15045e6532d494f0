//! One part of a pattern, between two slashes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use globset::{GlobBuilder, GlobSet};

use super::PatternError;
use super::braces::syntax;

/// What one part says about a name.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// `**`: any number of folders.
    AnyDepth,
    /// `*`: any name.
    AnyName,
    /// A name without wildcards.
    Literal(Vec<u8>),
    /// `*` and an ending, such as `*.rs`.
    Ending(Vec<u8>),
    /// Anything else.
    Glob(GlobSet),
}

impl Part {
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        if text.chars().all(|ch| ch == '*') {
            return Ok(Self::AnyName);
        }
        if let Some(name) = literal(text) {
            return Ok(Self::Literal(name.into_bytes()));
        }
        if let Some(ending) = text.strip_prefix('*').and_then(literal) {
            return Ok(Self::Ending(ending.into_bytes()));
        }
        // A set of one: a single glob compiles by a call that can panic.
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
        glob.and_then(|glob| GlobSet::new([glob])).map(Self::Glob).map_err(|error| {
            let reason = error.kind().to_string();
            PatternError::Part { part: text.to_owned(), reason }
        })
    }

    pub(super) fn matches(&self, name: &[u8]) -> bool {
        match self {
            Self::AnyDepth | Self::AnyName => true,
            Self::Literal(literal) => literal == name,
            Self::Ending(ending) => name.ends_with(ending),
            Self::Glob(glob) => glob.is_match(OsStr::from_bytes(name)),
        }
    }

    pub(super) fn is_literal(&self) -> bool {
        matches!(self, Self::Literal(_))
    }
}

/// The name that `text` stands for when it has no wildcards; escapes are resolved.
fn literal(text: &str) -> Option<String> {
    if syntax(text).any(|(_, ch)| matches!(ch, '*' | '?' | '[' | ']')) {
        return None;
    }
    let mut name = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        // A backslash at the end escapes nothing: let the glob library say so.
        name.push(if ch == '\\' { chars.next()? } else { ch });
    }
    Some(name)
}
