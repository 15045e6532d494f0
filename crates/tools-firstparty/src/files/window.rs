//! A window of lines over text that arrives in pieces. Pure; memory is bounded by the page, whatever
//! the file (decisions DF1).

use std::mem;

use memchr::{memchr, memchr_iter};

use super::read::ReadLine;
use crate::config::ReadCaps;
use crate::text::cut;

/// Collects the lines of one page and counts all line breaks that pass by.
#[derive(Debug)]
pub(super) struct Window<'c> {
    caps: &'c ReadCaps,
    first: u64,
    limit: u64,
    /// Line breaks seen since the start of the file.
    newlines: u64,
    /// The text so far ends with a line break, or is empty.
    at_line_start: bool,
    phase: Phase,
    line: Line,
    lines: Vec<ReadLine>,
    page_bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Before,
    Inside,
    Full,
}

/// The line being collected; only its start is kept.
#[derive(Debug, Default)]
struct Line {
    kept: String,
    is_partial: bool,
}

impl<'c> Window<'c> {
    /// A window over a file that is read from its start.
    pub(super) fn new(caps: &'c ReadCaps, first: u64, limit: u64) -> Self {
        let phase = if first <= 1 { Phase::Inside } else { Phase::Before };
        Self {
            caps,
            first,
            limit,
            newlines: 0,
            at_line_start: true,
            phase,
            line: Line::default(),
            lines: Vec::new(),
            page_bytes: 0,
        }
    }

    /// Goes on from a place with `newlines` line breaks before it, somewhere before the first line wanted.
    pub(super) fn skip_to(&mut self, newlines: u64) {
        self.newlines = newlines;
        self.at_line_start = false;
    }

    /// Line breaks seen since the start of the file.
    pub(super) fn newlines(&self) -> u64 {
        self.newlines
    }

    /// No further line can enter the page.
    pub(super) fn is_full(&self) -> bool {
        self.phase == Phase::Full
    }

    /// Lines of the file, once all of it was fed.
    pub(super) fn total_lines(&self) -> u64 {
        self.newlines + u64::from(!self.at_line_start)
    }

    /// Takes the next piece of text.
    pub(super) fn feed(&mut self, piece: &str) {
        let mut rest = piece;
        while !rest.is_empty() {
            rest = match self.phase {
                Phase::Before => self.pass_by(rest),
                Phase::Inside => self.collect(rest),
                Phase::Full => self.count(rest),
            };
        }
    }

    /// The page. Call it when all was fed, or when the page is full.
    pub(super) fn into_lines(mut self) -> Vec<ReadLine> {
        if self.phase == Phase::Inside && !self.at_line_start {
            self.end_line();
        }
        self.lines
    }

    fn pass_by<'t>(&mut self, text: &'t str) -> &'t str {
        let missing = self.first - 1 - self.newlines;
        let breaks = count_newlines(text);
        if breaks < missing {
            return self.count(text);
        }
        self.newlines = self.first - 1;
        self.at_line_start = true;
        self.phase = Phase::Inside;
        let nth = usize::try_from(missing - 1).unwrap_or(usize::MAX);
        let end = memchr_iter(b'\n', text.as_bytes()).nth(nth).map_or(text.len(), |at| at + 1);
        text.get(end..).unwrap_or_default()
    }

    fn collect<'t>(&mut self, text: &'t str) -> &'t str {
        self.at_line_start = false;
        let Some((head, tail)) = memchr(b'\n', text.as_bytes()).and_then(|at| {
            let (head, tail) = text.split_at_checked(at)?;
            Some((head, tail.get(1..)?))
        }) else {
            self.line.push(text, self.caps.line_max_chars);
            return "";
        };
        self.line.push(head, self.caps.line_max_chars);
        self.end_line();
        self.newlines += 1;
        self.at_line_start = true;
        tail
    }

    fn count<'t>(&mut self, text: &'t str) -> &'t str {
        self.newlines += count_newlines(text);
        self.at_line_start = text.ends_with('\n');
        ""
    }

    fn end_line(&mut self) {
        let text = mem::take(&mut self.line).finish(self.caps.line_max_chars);
        let text = match self.lines.last() {
            Some(_) if self.page_bytes + 1 + text.len() > self.caps.page_max_bytes => {
                self.phase = Phase::Full;
                return;
            }
            Some(_) => text,
            None => cut_to_page(text, self.caps.page_max_bytes),
        };
        self.page_bytes += text.len() + usize::from(!self.lines.is_empty());
        let taken = as_u64(self.lines.len());
        self.lines.push(ReadLine { number: self.first + taken, text });
        if taken + 1 == self.limit {
            self.phase = Phase::Full;
        }
    }
}

impl Line {
    /// Keeps enough to know the first `max_chars` characters and whether more follow, a final CR aside.
    fn push(&mut self, text: &str, max_chars: usize) {
        if self.is_partial {
            return;
        }
        let room = (max_chars + 2) * char::MAX_LEN_UTF8;
        let part = cut::to_bytes(text, room.saturating_sub(self.kept.len()));
        self.kept.push_str(part);
        self.is_partial = part.len() < text.len();
    }

    fn finish(self, max_chars: usize) -> String {
        let mut text = self.kept;
        if !self.is_partial && text.ends_with('\r') {
            text.pop();
        }
        match cut::to_chars(&text, max_chars) {
            None => text,
            Some(start) => format!("{start}{}", chars_cut_mark(max_chars)),
        }
    }
}

/// What ends a line that was cut at `max_chars` characters.
fn chars_cut_mark(max_chars: usize) -> String {
    format!("… [line cut at {max_chars} characters]")
}

/// A first line larger than a whole page is cut to it, so that every page holds a line.
fn cut_to_page(text: String, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text;
    }
    let mark = format!("… [line cut at {max_bytes} bytes]");
    let start = cut::to_bytes(&text, max_bytes.saturating_sub(mark.len()));
    format!("{start}{mark}")
}

fn count_newlines(text: &str) -> u64 {
    as_u64(memchr_iter(b'\n', text.as_bytes()).count())
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
