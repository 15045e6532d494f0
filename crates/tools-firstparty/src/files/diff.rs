//! What changed, for a user interface: hunks with 3 lines around them (decisions DF8, DF9).

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use serde::Serialize;

use crate::config::ChangeCaps;
use crate::text::json_size::json_bytes;

/// Lines shown before and after a change.
const CONTEXT_LINES: usize = 3;

/// Bytes that are compared at a time.
const CHUNK_BYTES: usize = 256;

/// What changed in a file.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct DiffMeta<'a> {
    pub(super) diffs: Vec<Hunk<'a>>,
    /// Hunks were left out: the metadata would have been too large, or the texts were.
    pub(super) truncated: bool,
}

/// Some lines before and after.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hunk<'a> {
    path: &'a str,
    /// `None` when there was no line.
    old_text: Option<String>,
    new_text: String,
}

impl<'a> DiffMeta<'a> {
    /// The hunks from `before` to `after`; none for a new file, or when it is not known what was there.
    pub(super) fn of(caps: &ChangeCaps, path: &'a str, before: Option<&str>, after: &str) -> Self {
        let mut meta = Self { diffs: Vec::new(), truncated: false };
        let Some(before) = before.filter(|before| *before != after) else { return meta };
        let sides = Sides::of(before, after, caps.diff_max_lines);
        meta.truncated = sides.is_cut;
        meta.fill(path, &sides, caps.meta_max_bytes);
        meta
    }

    fn fill(&mut self, path: &'a str, sides: &Sides<'_>, max_bytes: usize) {
        // As if it were truncated, which takes no less.
        let mut room = max_bytes.saturating_sub(json_bytes(&*self));
        for (old, new) in sides.hunks() {
            // Joined only when it can fit.
            let least: usize = [(&sides.old, &old), (&sides.new, &new)]
                .iter()
                .flat_map(|(lines, range)| lines.get((*range).clone()).unwrap_or_default())
                .map(|line| line.text.len() + 1)
                .sum();
            if least > room {
                self.truncated = true;
                return;
            }
            let old_text = (!old.is_empty()).then(|| join(&sides.old, old));
            let hunk = Hunk { path, old_text, new_text: join(&sides.new, new) };
            let size = json_bytes(&hunk) + 1;
            if size > room {
                self.truncated = true;
                return;
            }
            room -= size;
            self.diffs.push(hunk);
        }
    }
}

fn join(lines: &[Line<'_>], range: Range<usize>) -> String {
    let texts: Vec<&str> =
        lines.get(range).unwrap_or_default().iter().map(|line| line.text).collect();
    texts.join("\n")
}

/// One line; how it ends is whether, not with what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Line<'a> {
    text: &'a str,
    is_ended: bool,
}

impl<'a> Line<'a> {
    fn of(raw: &'a str) -> Self {
        match raw.strip_suffix('\n') {
            None => Self { text: raw, is_ended: false },
            Some(text) => Self { text: text.strip_suffix('\r').unwrap_or(text), is_ended: true },
        }
    }
}

/// The lines of both texts without those that are the same at both ends, but for a few around.
#[derive(Debug)]
struct Sides<'a> {
    old: Vec<Line<'a>>,
    new: Vec<Line<'a>>,
    /// There were more.
    is_cut: bool,
}

impl<'a> Sides<'a> {
    /// Of more than `max_lines` to compare, the first.
    fn of(before: &'a str, after: &'a str, max_lines: usize) -> Self {
        let (start_old, start_new) = same_start(before, after);
        let (old, new) = (before.split_at(start_old).1, after.split_at(start_new).1);
        let (end_old, end_new) = same_end(old, new);
        let max = (max_lines / 2).saturating_add(2 * CONTEXT_LINES);
        let old = Side::of(before, start_old, before.len() - end_old, max);
        let new = Side::of(after, start_new, after.len() - end_new, max);
        Self { is_cut: old.is_cut || new.is_cut, old: old.lines, new: new.lines }
    }

    /// Ranges of lines of the hunks, of both sides.
    fn hunks(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + use<'_> {
        let mut input = InternedInput::default();
        input.update_before(self.old.iter().copied());
        input.update_after(self.new.iter().copied());
        let mut diff = Diff::compute(Algorithm::Myers, &input);
        diff.postprocess_no_heuristic(&input);
        let changes: Vec<_> =
            diff.hunks().map(|hunk| (wide(hunk.before), wide(hunk.after))).collect();
        let mut groups: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for (old, new) in changes {
            match groups.last_mut() {
                Some(last) if old.start - last.0.end <= 2 * CONTEXT_LINES => {
                    (last.0.end, last.1.end) = (old.end, new.end);
                }
                _ => groups.push((old, new)),
            }
        }
        groups
            .into_iter()
            .map(|(old, new)| (around(&old, self.old.len()), around(&new, self.new.len())))
            // Where it was cut it is not known how a change goes on.
            .filter(|(old, new)| {
                !self.is_cut || (old.end < self.old.len() && new.end < self.new.len())
            })
    }
}

fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split_inclusive('\n')
}

/// Bytes at the start of both texts that are whole lines and the same lines.
fn same_start(old: &str, new: &str) -> (usize, usize) {
    // What is equal byte by byte needs no look at its lines.
    let bytes = count_equal(old.as_bytes().chunks(CHUNK_BYTES), new.as_bytes().chunks(CHUNK_BYTES));
    let before = old.as_bytes().get(..bytes).unwrap_or_default();
    let known = memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
    let mut same = (known, known);
    for (a, b) in lines(old.split_at(known).1).zip(lines(new.split_at(known).1)) {
        if Line::of(a) != Line::of(b) {
            break;
        }
        same = (same.0 + a.len(), same.1 + b.len());
    }
    same
}

/// Bytes at the end of both texts that are whole lines and the same lines.
fn same_end(old: &str, new: &str) -> (usize, usize) {
    let bytes =
        count_equal(old.as_bytes().rchunks(CHUNK_BYTES), new.as_bytes().rchunks(CHUNK_BYTES));
    let after = old.as_bytes().get(old.len() - bytes..).unwrap_or_default();
    let known = memchr::memchr(b'\n', after).map_or(0, |lf| bytes - lf - 1);
    let mut same = (known, known);
    let (old, new) = (old.split_at(old.len() - known).0, new.split_at(new.len() - known).0);
    for (a, b) in lines(old).rev().zip(lines(new).rev()) {
        if Line::of(a) != Line::of(b) {
            break;
        }
        same = (same.0 + a.len(), same.1 + b.len());
    }
    same
}

/// Bytes in the chunks that are equal, one after the other.
fn count_equal<'a>(
    old: impl Iterator<Item = &'a [u8]>,
    new: impl Iterator<Item = &'a [u8]>,
) -> usize {
    old.zip(new).take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum()
}

/// The lines of one text that are compared.
struct Side<'a> {
    lines: Vec<Line<'a>>,
    is_cut: bool,
}

impl<'a> Side<'a> {
    /// The lines from `start` to `end` and those around, at most `max`.
    fn of(text: &'a str, start: usize, end: usize, max: usize) -> Self {
        let (above, rest) = text.split_at(start);
        let (inner, below) = rest.split_at(end.saturating_sub(start));
        let mut around: Vec<&str> = lines(above).rev().take(CONTEXT_LINES).collect();
        around.reverse();
        let below = lines(below).take(CONTEXT_LINES);
        let mut all = around.into_iter().chain(lines(inner)).chain(below).map(Line::of);
        let lines = all.by_ref().take(max).collect();
        Self { lines, is_cut: all.next().is_some() }
    }
}

fn wide(range: Range<u32>) -> Range<usize> {
    let wide = |at| usize::try_from(at).unwrap_or(usize::MAX);
    wide(range.start)..wide(range.end)
}

fn around(range: &Range<usize>, length: usize) -> Range<usize> {
    range.start.saturating_sub(CONTEXT_LINES)..(range.end + CONTEXT_LINES).min(length)
}

#[cfg(test)]
mod tests;
