//! Lines that have left the screen, newest kept: bounded in lines and bytes, each appended once.

use std::collections::VecDeque;

/// Bytes of a line that is never ended, after which it is ended all the same.
const OPEN_LINE_MAX_BYTES: usize = 64 * 1024;

/// A line of text and where it stood: rows are counted from the first that the terminal ever had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) row: u64,
    pub(super) text: String,
}

/// What has scrolled off the primary screen.
#[derive(Debug)]
pub(super) struct History {
    lines: VecDeque<Line>,
    /// Bytes of `lines`, each with its line break.
    bytes: usize,
    max_lines: usize,
    max_bytes: usize,
    /// The start of a line whose end is still on the screen.
    open: Option<Line>,
    /// Rows that have left the screen: the number of the screen's first.
    rows: u64,
    dropped: bool,
}

impl History {
    pub(super) fn new(max_lines: usize, max_bytes: usize) -> Self {
        let lines = VecDeque::new();
        Self { lines, bytes: 0, max_lines, max_bytes, open: None, rows: 0, dropped: false }
    }

    /// Takes the row that leaves the screen.
    pub(super) fn push(&mut self, row: &avt::Line) {
        let number = self.rows;
        self.rows += 1;
        let line = self.open.get_or_insert_with(|| Line { row: number, text: String::new() });
        if row.is_wrapped() {
            line.text.extend(row.chars());
        } else {
            // Most rows are blank for the most part.
            let used = row.cells().iter().rposition(|cell| cell.char() != ' ');
            let cells = row.cells().get(..used.map_or(0, |last| last + 1)).unwrap_or_default();
            line.text.extend(cells.iter().filter(|cell| cell.width() > 0).map(avt::Cell::char));
        }
        if !row.is_wrapped() || line.text.len() >= OPEN_LINE_MAX_BYTES {
            self.end_line();
        }
    }

    /// Ends the line whose end was to come, if there is one.
    pub(super) fn end_line(&mut self) {
        if let Some(mut line) = self.open.take() {
            trim(&mut line.text);
            self.keep(line);
        }
    }

    fn keep(&mut self, line: Line) {
        self.bytes += line.text.len() + 1;
        self.lines.push_back(line);
        while self.lines.len() > self.max_lines || self.bytes > self.max_bytes {
            let Some(oldest) = self.lines.pop_front() else { return };
            self.bytes -= oldest.text.len() + 1;
            self.dropped = true;
        }
    }

    /// The number of the screen's first row.
    pub(super) fn screen_row(&self) -> u64 {
        self.rows
    }

    pub(super) fn open(&self) -> Option<&Line> {
        self.open.as_ref()
    }

    pub(super) fn lines(&self) -> &VecDeque<Line> {
        &self.lines
    }

    /// Whether older lines were let go.
    pub(super) fn has_dropped(&self) -> bool {
        self.dropped
    }

    /// Kept lines that begin at `row` or later, and whether some that did were let go.
    pub(super) fn since(&self, row: u64) -> (impl DoubleEndedIterator<Item = &Line>, bool) {
        let start = self.lines.partition_point(|line| line.row < row);
        let oldest = self.lines.front().map_or(self.rows, |line| line.row);
        (self.lines.range(start..), self.dropped && row < oldest)
    }
}

/// Cells that nothing was written to are blanks at the end.
pub(super) fn trim(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    text.shrink_to_fit();
}
