//! The metadata of `grep`: the page as an interface shows it, under a cap.

use serde::Serialize;

use super::grep::GrepValue;
use super::grep_page::preview;
use super::matches::{FileMatches, GrepMatch};
use crate::config::GrepCaps;
use crate::text::json_size::json_bytes;

/// What an interface shows: the matches of the page by file, lines cut as in the text.
#[derive(Serialize)]
pub(super) struct GrepMeta<'v> {
    shape: &'static str,
    files: Vec<FileMeta<'v>>,
    truncated: bool,
    total: usize,
}

#[derive(Serialize)]
struct FileMeta<'v> {
    path: &'v str,
    matches: Vec<LineMeta>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LineMeta {
    line_number: u64,
    line: String,
}

/// Bytes of JSON around the files: names, punctuation, the numbers.
const AROUND_BYTES: usize = 80;

impl<'v> GrepMeta<'v> {
    pub(super) fn of(caps: &GrepCaps, value: &'v GrepValue) -> Self {
        let total = value.matches.len();
        let max = caps.page_max_matches;
        let mut meta = Self { shape: "matches", files: Vec::new(), truncated: max < total, total };
        let mut room = caps.meta_max_bytes.saturating_sub(AROUND_BYTES);
        for file in value.matches.files(max) {
            let file = FileMeta::of(caps, &file);
            let size = json_bytes(&file) + 1;
            if size > room {
                meta.truncated = true;
                if meta.files.is_empty() {
                    meta.files.push(file.cut_to(room));
                }
                break;
            }
            room -= size;
            meta.files.push(file);
        }
        meta
    }
}

impl<'v> FileMeta<'v> {
    fn of(caps: &GrepCaps, file: &FileMatches<'v>) -> Self {
        let line_meta = |found: GrepMatch<'v>| {
            let (start, mark) = preview(caps, &found);
            let line = [start, mark.as_deref().unwrap_or_default()].concat();
            LineMeta { line_number: found.line_number, line }
        };
        Self { path: file.path, matches: file.matches().map(line_meta).collect() }
    }

    /// A file too large by itself: its first matches, at least one.
    fn cut_to(mut self, max_bytes: usize) -> Self {
        let lines = std::mem::take(&mut self.matches);
        let mut room = max_bytes.saturating_sub(json_bytes(&self));
        for line in lines {
            let size = json_bytes(&line) + 1;
            if size > room && !self.matches.is_empty() {
                break;
            }
            room = room.saturating_sub(size);
            self.matches.push(line);
        }
        self
    }
}
