//! The matches of `grep`: a list of any length in a few buffers, so that it costs little to fill, to
//! write, to read back and to drop.

use std::fmt;
use std::num::NonZeroU64;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{SerializeSeq as _, Serializer};
use serde::{Deserialize, Deserializer, Serialize};

use crate::seam::lines::Lines;

/// A matching line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrepMatch<'m> {
    /// The file, relative to the workspace root when under it, else absolute.
    pub path: &'m str,
    /// The line's number, counted from 1.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub line_number: u64,
    /// The line without its line break. Bytes that are not UTF-8 are replaced by U+FFFD.
    pub line: &'m str,
    /// Bytes of the whole line in the file; given only when `line` is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u64>", range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub line_bytes: Option<NonZeroU64>,
}

/// A list of matches. As JSON it is an array of [`GrepMatch`].
#[derive(Clone, Default)]
pub struct Matches {
    parts: Vec<Lines>,
    files: Vec<File>,
    /// The paths of the files, one after the other.
    paths: String,
    count: usize,
}

/// Matches that follow each other in one part and have the same path.
#[derive(Clone, Debug)]
struct File {
    part: usize,
    lines: Range<usize>,
    /// Where its path ends; it starts where the one before ends.
    path_end: usize,
}

/// The matches of one file.
#[derive(Debug)]
pub(super) struct FileMatches<'m> {
    pub(super) path: &'m str,
    part: &'m Lines,
    lines: Range<usize>,
}

impl Matches {
    /// How many matches there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All matches in order.
    pub fn iter(&self) -> impl Iterator<Item = GrepMatch<'_>> {
        self.files(usize::MAX).flat_map(|file| file.matches())
    }

    /// Adds a match at the end.
    pub fn push(&mut self, found: GrepMatch<'_>) {
        self.start(found.path);
        self.last_part().add_text(found.line);
        self.end(found.line_number, found.line_bytes);
    }

    /// Takes lines over; what [`add_file`](Self::add_file) does not name is not in the list.
    pub(super) fn of(parts: Vec<Lines>) -> Self {
        Self { parts, ..Self::default() }
    }

    /// Adds the lines of a file at the end of the list; `path` writes its path.
    pub(super) fn add_file(
        &mut self,
        part: usize,
        lines: Range<usize>,
        path: impl FnOnce(&mut String),
    ) {
        path(&mut self.paths);
        self.count += lines.len();
        self.files.push(File { part, lines, path_end: self.paths.len() });
    }

    /// The first `max` matches, by file.
    pub(super) fn files(&self, max: usize) -> impl Iterator<Item = FileMatches<'_>> {
        let (mut room, mut start) = (max, 0);
        self.files.iter().map_while(move |file| {
            let part = self.parts.get(file.part).filter(|_| room > 0)?;
            let path = self.paths.get(start..file.path_end).unwrap_or_default();
            let count = file.lines.len().min(room);
            (room, start) = (room - count, file.path_end);
            let first = file.lines.start;
            Some(FileMatches { path, part, lines: first..first + count })
        })
    }

    /// Begins a match in the last part.
    fn start(&mut self, path: &str) {
        let next = self.last_part().len();
        let part = self.parts.len() - 1;
        if !self.is_last_file(path, part, next) {
            self.add_file(part, next..next, |paths| paths.push_str(path));
        }
    }

    /// Whether a match at this place belongs to the last file.
    fn is_last_file(&self, path: &str, part: usize, place: usize) -> bool {
        let Some((last, before)) = self.files.split_last() else { return false };
        let start = before.last().map_or(0, |file| file.path_end);
        last.part == part && last.lines.end == place && self.paths.get(start..) == Some(path)
    }

    /// Ends the match that was begun.
    fn end(&mut self, line_number: u64, line_bytes: Option<NonZeroU64>) {
        self.last_part().end_line(line_number, line_bytes);
        if let Some(file) = self.files.last_mut() {
            file.lines.end += 1;
            self.count += 1;
        }
    }

    fn last_part(&mut self) -> &mut Lines {
        if self.parts.is_empty() {
            self.parts.push(Lines::default());
        }
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }
}

impl<'m> FileMatches<'m> {
    pub(super) fn matches(&self) -> impl ExactSizeIterator<Item = GrepMatch<'m>> + use<'m> {
        let path = self.path;
        self.part.get(self.lines.clone()).map(move |line| GrepMatch {
            path,
            line_number: line.number,
            line: line.text,
            line_bytes: line.whole_bytes,
        })
    }
}

impl<'m> FromIterator<GrepMatch<'m>> for Matches {
    fn from_iter<I: IntoIterator<Item = GrepMatch<'m>>>(all: I) -> Self {
        let mut matches = Self::default();
        all.into_iter().for_each(|found| matches.push(found));
        matches
    }
}

impl PartialEq for Matches {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.iter().eq(other.iter())
    }
}

impl Eq for Matches {}

impl fmt::Debug for Matches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Matches {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.count))?;
        for file in self.files(usize::MAX) {
            for found in file.matches() {
                list.serialize_element(&found)?;
            }
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Matches {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(read::List)
    }
}

/// That of a plain list.
impl JsonSchema for Matches {
    fn inline_schema() -> bool {
        Vec::<GrepMatch<'_>>::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        Vec::<GrepMatch<'_>>::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        Vec::<GrepMatch<'_>>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<GrepMatch<'_>>::json_schema(generator)
    }
}

mod read;
#[cfg(test)]
mod tests;
