//! Lines kept in one buffer, so that a search allocates nothing for a hit.

use std::num::NonZeroU64;
use std::ops::Range;

/// What most lines fit in, on average.
const COMMON_LINE_BYTES: usize = 64;

/// Lines of files, in the order they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// The text of all lines, one after the other.
    text: String,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    number: u64,
    /// Where the line's text ends; it starts where the one before ends.
    end: usize,
    whole_bytes: Option<NonZeroU64>,
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'l> {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) text: &'l str,
    /// Bytes of the whole line in the file; only when the text is cut.
    pub(crate) whole_bytes: Option<NonZeroU64>,
}

impl Lines {
    /// How many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Makes room for this many more lines of common length. What is not used costs address space only.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.rows.reserve(count);
        self.text.reserve(count.saturating_mul(COMMON_LINE_BYTES));
    }

    /// Adds the start of a line of `line_bytes` bytes; U+FFFD stands for what is not UTF-8.
    pub(crate) fn add_bytes(&mut self, number: u64, start: &[u8], line_bytes: u64) {
        let is_cut = u64::try_from(start.len()).is_ok_and(|kept| kept < line_bytes);
        let start = if is_cut { without_half_character(start) } else { start };
        match std::str::from_utf8(start) {
            Ok(text) => self.text.push_str(text),
            Err(_) => self.text.push_str(&String::from_utf8_lossy(start)),
        }
        self.end_line(number, if is_cut { NonZeroU64::new(line_bytes) } else { None });
    }

    /// Adds to the text of the next line.
    pub(crate) fn add_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Ends the line whose text was added.
    pub(crate) fn end_line(&mut self, number: u64, whole_bytes: Option<NonZeroU64>) {
        self.rows.push(Row { number, end: self.text.len(), whole_bytes });
    }

    /// The lines at these places.
    pub(crate) fn get(&self, places: Range<usize>) -> impl ExactSizeIterator<Item = Line<'_>> {
        let before = places.start.checked_sub(1).and_then(|at| self.rows.get(at));
        let mut start = before.map_or(0, |row| row.end);
        self.rows.get(places).unwrap_or_default().iter().map(move |row| {
            let text = self.text.get(start..row.end).unwrap_or_default();
            start = row.end;
            Line { number: row.number, text, whole_bytes: row.whole_bytes }
        })
    }
}

/// The bytes without a character at their end that a cut has left incomplete.
fn without_half_character(bytes: &[u8]) -> &[u8] {
    let tail = bytes.len().saturating_sub(3);
    let at = bytes.iter().rposition(|byte| byte & 0xC0 != 0x80).filter(|at| *at >= tail);
    let Some((whole, last)) = at.and_then(|at| bytes.split_at_checked(at)) else { return bytes };
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => whole,
        Ok(_) | Err(_) => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &Lines) -> Vec<(u64, &str, Option<u64>)> {
        let lines = lines.get(0..lines.len());
        lines.map(|line| (line.number, line.text, line.whole_bytes.map(NonZeroU64::get))).collect()
    }

    #[test]
    fn lines_come_back_as_they_were_added() {
        let mut lines = Lines::default();
        lines.add_bytes(1, b"one", 3);
        lines.add_bytes(3, b"", 0);
        lines.add_bytes(9, b"bad \xFF\xC3 x", 8);
        lines.add_text("ni");
        lines.add_text("ne");
        lines.end_line(10, None);
        assert_eq!(
            all(&lines),
            [
                (1, "one", None),
                (3, "", None),
                (9, "bad \u{FFFD}\u{FFFD} x", None),
                (10, "nine", None)
            ]
        );
        assert_eq!(lines.get(2..4).map(|line| line.number).collect::<Vec<_>>(), [9, 10]);
        assert_eq!(lines.get(3..5).len(), 0, "not all of these places exist");
    }

    #[test]
    fn a_cut_leaves_no_half_character() {
        let mut lines = Lines::default();
        lines.add_bytes(1, &"aé".as_bytes()[..2], 30);
        lines.add_bytes(2, &"a😀".as_bytes()[..4], 30);
        lines.add_bytes(3, "a😀".as_bytes(), 30);
        lines.add_bytes(4, b"a\x80\x80\x80\x80", 30);
        let bad = format!("a{}", "\u{FFFD}".repeat(4));
        assert_eq!(
            all(&lines),
            [(1, "a", Some(30)), (2, "a", Some(30)), (3, "a😀", Some(30)), (4, &*bad, Some(30))]
        );
    }
}
