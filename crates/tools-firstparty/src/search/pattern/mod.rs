//! Path patterns (decisions DF6, DF9). Pure.
//!
//! A pattern without a slash matches names at any depth; one with a slash is anchored at the folder
//! searched. It is matched part by part while the walk goes down, so that folders which cannot hold a
//! match are not entered, and so that a part which names an ignored entry without wildcards finds it.

mod braces;
mod part;

use braces::Limits;
pub(super) use braces::syntax;
use part::Part;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    alternatives: Vec<Vec<Part>>,
}

/// Why a text is not a pattern; what is wrong, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("the pattern is blank; `*` matches every file")]
    Blank,
    #[error("`{{` without `}}`; write `\\{{` for a brace that is part of a name")]
    OpenBrace,
    #[error("`}}` without `{{`; write `\\}}` for a brace that is part of a name")]
    CloseBrace,
    #[error("it is longer than {max_bytes} bytes")]
    TooLong { max_bytes: usize },
    #[error("the patterns that the braces stand for are longer than {max_bytes} bytes together")]
    AlternativesTooLong { max_bytes: usize },
    #[error("the braces stand for more than {max} patterns")]
    TooManyAlternatives { max: usize },
    #[error("it has more than {max} parts between slashes")]
    TooManyParts { max: usize },
    #[error("`..` leads out of the folder searched; give that folder as `path`")]
    ParentPart,
    #[error(
        "it is absolute, but patterns are relative to the folder searched; give the folder as `path`"
    )]
    Absolute,
    #[error("in `{part}`: {reason}")]
    Part { part: String, reason: String },
}

/// Longest pattern; no path is longer.
const PATTERN_MAX_BYTES: usize = 4_096;
/// Most that braces may stand for.
const BRACES_MAX: Limits = Limits { alternatives: 256, bytes: 64 * 1024 };
/// Most parts of a pattern: a position is one bit of a word, and one more is the end.
const PARTS_MAX: usize = 63;

/// How much of each alternative the folders so far have matched: one bit for each position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Progress(Box<[u64]>);

/// What a name did to the progress.
#[derive(Debug)]
pub(crate) struct Step {
    /// The progress inside, if the name is a folder.
    pub(crate) inside: Progress,
    /// The name was given literally by a part that is not the last.
    pub(crate) is_named_folder: bool,
}

/// How a file name ends the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileMatch {
    No,
    /// Through a wildcard.
    Wildcard,
    /// The last part gives the name literally.
    Named,
}

impl PathPattern {
    /// The pattern that matches every file.
    pub(crate) fn everything() -> Self {
        Self { alternatives: vec![vec![Part::AnyDepth, Part::AnyName]] }
    }

    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        if text.len() > PATTERN_MAX_BYTES {
            return Err(PatternError::TooLong { max_bytes: PATTERN_MAX_BYTES });
        }
        if text.trim().is_empty() {
            return Err(PatternError::Blank);
        }
        let texts = braces::expand(text, BRACES_MAX)?;
        let alternatives = texts.iter().map(|text| parse_alternative(text));
        Ok(Self { alternatives: alternatives.collect::<Result<_, _>>()? })
    }

    /// The progress in the folder searched.
    pub(crate) fn start(&self) -> Progress {
        Progress(self.alternatives.iter().map(|parts| reach(parts, 1)).collect())
    }

    /// Whether some file below a folder with this progress could match.
    pub(crate) fn is_alive(&self, progress: &Progress) -> bool {
        self.alternatives.iter().zip(&progress.0).any(|(parts, &at)| at & !(1 << parts.len()) != 0)
    }

    /// Goes into a folder.
    pub(crate) fn enter(&self, progress: &Progress, name: &[u8]) -> Step {
        let mut is_named_folder = false;
        let inside = self.alternatives.iter().zip(&progress.0).map(|(parts, &at)| {
            let mut next = 0;
            for (position, part) in positions(parts, at) {
                if matches!(part, Part::AnyDepth) {
                    next |= 1 << position;
                } else if part.matches(name) {
                    next |= 1 << (position + 1);
                    is_named_folder |= part.is_literal() && position + 1 < parts.len();
                }
            }
            reach(parts, next)
        });
        Step { inside: Progress(inside.collect()), is_named_folder }
    }

    /// Whether a file in a folder with this progress matches.
    pub(crate) fn matches_file(&self, progress: &Progress, name: &[u8]) -> FileMatch {
        let mut found = FileMatch::No;
        for (parts, &at) in self.alternatives.iter().zip(&progress.0) {
            let last = parts.len().saturating_sub(1);
            let Some(part) = parts.get(last).filter(|_| at & (1 << last) != 0) else { continue };
            if part.matches(name) {
                if part.is_literal() {
                    return FileMatch::Named;
                }
                found = FileMatch::Wildcard;
            }
        }
        found
    }
}

fn parse_alternative(text: &str) -> Result<Vec<Part>, PatternError> {
    if text.starts_with('/') {
        return Err(PatternError::Absolute);
    }
    let mut parts = Vec::new();
    if !text.contains('/') && text != "**" {
        parts.push(Part::AnyDepth);
    }
    for piece in text.split('/') {
        match piece {
            "" | "." => {}
            ".." => return Err(PatternError::ParentPart),
            "**" if matches!(parts.last(), Some(Part::AnyDepth)) => {}
            "**" => parts.push(Part::AnyDepth),
            piece => parts.push(Part::parse(piece)?),
        }
    }
    // A folder stands for all that is in it.
    if text.ends_with('/') && !matches!(parts.last(), Some(Part::AnyDepth)) {
        parts.push(Part::AnyDepth);
    }
    if matches!(parts.last(), Some(Part::AnyDepth)) {
        parts.push(Part::AnyName);
    }
    match parts.len() {
        0 => Err(PatternError::Blank),
        1..=PARTS_MAX => Ok(parts),
        _ => Err(PatternError::TooManyParts { max: PARTS_MAX }),
    }
}

/// All positions reached from `at` without a name: a `**` may stand for no folder at all.
fn reach(parts: &[Part], at: u64) -> u64 {
    let mut reached = at;
    for (position, part) in parts.iter().enumerate() {
        if reached & (1 << position) != 0 && matches!(part, Part::AnyDepth) {
            reached |= 1 << (position + 1);
        }
    }
    reached
}

fn positions(parts: &[Part], at: u64) -> impl Iterator<Item = (usize, &Part)> {
    parts.iter().enumerate().filter(move |(position, _)| at & (1 << position) != 0)
}

#[cfg(test)]
mod tests;
