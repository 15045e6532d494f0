//! The screen of a terminal as a person would see it, and the lines that have left it (decisions DR3).
//!
//! `avt` interprets the stream. What leaves the primary screen goes to a bounded history; a full-screen
//! program has the alternate screen, which leaves nothing behind. Lines that the screen wrapped are joined
//! again. Memory is bounded whatever comes: no sequence is kept beyond the parsers' own buffers, and a
//! sequence that repeats a character repeats it at most one screen's worth.

mod history;
mod signs;
mod utf8;

#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

use avt::parser::{EdScope, Function};
use avt::{Observation, Observer, Operation, Parser, ScreenKind, Terminal};

use history::{History, Line, trim};
pub(crate) use signs::Sign;
use signs::Signs;
use utf8::Decoder;

use crate::config::TerminalCaps;
use crate::text::cut;

/// Bytes taken at once; between two portions others may look at the screen.
pub(crate) const PORTION_BYTES: usize = 4 * 1024;

/// What stands on a screen that had to be given up.
const STARTS_ANEW: &str = "[output came that cannot be shown; the screen starts anew here]\r\n";

/// What a piece of output meant beside what it showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The shell has printed its prompt.
    Prompt,
    /// The shell runs a command.
    Command,
    /// The program asked the terminal; this is the answer to be typed.
    Answer(String),
}

/// Text that was asked for, and whether some of it had to be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) truncated: bool,
}

/// A page of lines; positions are counted back from the newest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) shown: Shown,
    pub(crate) total: usize,
    pub(crate) begin: usize,
    pub(crate) end: usize,
}

/// A screen and its history.
pub(crate) struct Screen {
    terminal: Terminal,
    parser: Parser,
    decoder: Decoder,
    signs: Signs,
    keeper: Keeper,
}

/// What is kept beside the terminal while it works.
struct Keeper {
    history: History,
    /// The row from which on what is shown is new.
    mark: u64,
    /// The screen was just wiped; what was on it is about to leave.
    wiped: bool,
}

impl Screen {
    /// An empty screen; only marks with this nonce count.
    pub(crate) fn new(caps: &TerminalCaps, nonce: &str) -> Result<Self, avt::InvalidSize> {
        let history = History::new(caps.scrollback_max_lines, caps.scrollback_max_bytes);
        Ok(Self {
            terminal: Terminal::new(usize::from(caps.cols), usize::from(caps.rows))?,
            parser: Parser::new(),
            decoder: Decoder::default(),
            signs: Signs::new(nonce),
            keeper: Keeper { history, mark: 0, wiped: false },
        })
    }

    /// Shows output; at most [`PORTION_BYTES`] at once keep others from waiting long.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        while !bytes.is_empty() {
            let (used, sign) = self.signs.next(bytes);
            let (portion, rest) = bytes.split_at_checked(used).unwrap_or((bytes, &[]));
            bytes = rest;
            self.show(portion);
            events.extend(sign.map(|sign| self.event(sign)));
        }
        events
    }

    fn show(&mut self, bytes: &[u8]) {
        let text = self.decoder.decode(bytes);
        let (parser, keeper) = (&mut self.parser, &mut self.keeper);
        let (cols, rows) = self.terminal.size();
        let most = u16::try_from(cols * rows).unwrap_or(u16::MAX);
        let functions =
            text.chars().filter_map(|ch| parser.feed(ch)).map(|function| bounded(function, most));
        let terminal = &mut self.terminal;
        // Output is foreign: what it does to the screen must not take the reader with it.
        let done =
            catch_unwind(AssertUnwindSafe(|| terminal.execute_with(functions, &mut *keeper)));
        if done.is_err() {
            self.parser = Parser::new();
            if let Ok(fresh) = Terminal::new(cols, rows) {
                self.terminal = fresh;
            }
            self.terminal.feed(STARTS_ANEW);
        }
    }

    fn event(&self, sign: Sign) -> Event {
        match sign {
            Sign::Prompt => Event::Prompt,
            Sign::Command => Event::Command,
            Sign::StatusQuery => Event::Answer("\u{1b}[0n".to_owned()),
            Sign::CursorQuery => {
                let cursor = self.terminal.cursor();
                let col = cursor.col.min(self.terminal.size().0 - 1);
                Event::Answer(format!("\u{1b}[{};{}R", cursor.row + 1, col + 1))
            }
            // A VT100 with the usual extension: what makes a program send nothing unusual.
            Sign::KindQuery => Event::Answer("\u{1b}[?1;2c".to_owned()),
        }
    }

    /// Whether a full-screen program has the screen.
    pub(crate) fn is_alternate(&self) -> bool {
        self.terminal.active_screen_kind() == ScreenKind::Alternate
    }

    /// Whether cursor keys are to be sent in the application's form.
    pub(crate) fn has_application_cursor_keys(&self) -> bool {
        self.terminal.cursor_key_app_mode()
    }

    /// Everything from the cursor's line on counts as new from now.
    pub(crate) fn mark(&mut self) {
        let first = self.keeper.history.screen_row();
        let screen = self.terminal.primary_screen();
        let row = if self.is_alternate() {
            self.last_row().map_or(0, |row| row + 1)
        } else {
            self.terminal.cursor().row
        };
        let wraps = |row: usize| screen.line(row).is_some_and(avt::Line::is_wrapped);
        let start = (1..=row).rev().find(|row| !wraps(row - 1)).unwrap_or(0);
        self.keeper.mark = match self.keeper.history.open() {
            Some(open) if start == 0 => open.row,
            _ => first + u64::try_from(start).unwrap_or(0),
        };
    }

    /// What a person saw come up since [`mark`](Self::mark); the whole screen when a full-screen program has
    /// it, or when the program wrote above the mark. Where it is too long, its end is kept.
    pub(crate) fn since_mark(&self, max_bytes: usize) -> Shown {
        if let Some(screen) = self.full_screen() {
            return tail(screen, max_bytes, false);
        }
        let mark = self.keeper.mark;
        let live = self.live(self.keeper.history.open().filter(|open| open.row >= mark));
        let (kept, dropped) = self.keeper.history.since(mark);
        let lines = kept.chain(live.iter().filter(|line| line.row >= mark));
        let (mut newest, mut bytes) = (Vec::new(), 0);
        // One line more than fits, so that the cut is seen.
        for line in lines.rev() {
            newest.push(line.text.as_str());
            bytes += line.text.len() + 1;
            if bytes > max_bytes.saturating_add(1) {
                break;
            }
        }
        newest.reverse();
        tail(newest.join("\n"), max_bytes, dropped)
    }

    /// What a full-screen program shows, row by row.
    pub(crate) fn full_screen(&self) -> Option<String> {
        if !self.is_alternate() {
            return None;
        }
        let rows = self.terminal.screen().visible_lines().map(row_text).collect::<Vec<_>>();
        Some(rows.join("\n").trim_end_matches('\n').to_owned())
    }

    /// `count` lines, the newest `offset` left out; blank rows at the end of the screen are none.
    pub(crate) fn page(&self, offset: usize, count: usize, max_bytes: usize) -> Page {
        let history = &self.keeper.history;
        let live = self.live(history.open());
        let total = history.lines().len() + live.len();
        let begin = offset.min(total);
        let wanted = offset.saturating_add(count).min(total);
        let all = history.lines().iter().chain(&live);
        let lines = all.skip(total - wanted).take(wanted - begin).map(|line| line.text.as_str());
        let text = lines.collect::<Vec<_>>().join("\n");
        let is_oldest_gone = wanted == total && history.has_dropped();
        let mut shown = tail(text, max_bytes, false);
        let end = if shown.truncated && wanted > begin {
            begin + shown.text.matches('\n').count() + 1
        } else {
            wanted
        };
        shown.truncated |= is_oldest_gone;
        Page { shown, total, begin, end }
    }

    /// The primary screen's last row with something on it.
    fn last_row(&self) -> Option<usize> {
        let rows = self.terminal.primary_screen().visible_lines();
        rows.enumerate().filter(|(_, row)| row.chars().any(|ch| ch != ' ')).map(|(at, _)| at).last()
    }

    /// The lines on the primary screen; the first may have begun above it.
    fn live(&self, begun: Option<&Line>) -> Vec<Line> {
        let mut lines: Vec<Line> = begun.cloned().into_iter().collect();
        let mut is_open = !lines.is_empty();
        let end = self.last_row().map_or(0, |row| row + 1);
        let rows = self.terminal.primary_screen().visible_lines().take(end);
        for (at, row) in (self.keeper.history.screen_row()..).zip(rows) {
            match lines.last_mut().filter(|_| is_open) {
                Some(line) => line.text.extend(row.chars()),
                None => lines.push(Line { row: at, text: row.chars().collect() }),
            }
            is_open = row.is_wrapped();
        }
        lines.iter_mut().for_each(|line| trim(&mut line.text));
        lines
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("size", &self.terminal.size()).finish_non_exhaustive()
    }
}

impl Keeper {
    /// What was wiped is no longer what a person sees.
    fn settle_wipe(&mut self) {
        if std::mem::take(&mut self.wiped) {
            self.history.end_line();
            self.mark = self.history.screen_row();
        }
    }
}

impl Observer for Keeper {
    type Output = ();

    fn before(&mut self, _: &mut Observation<'_>, _: &Operation) {
        self.settle_wipe();
    }

    fn after(&mut self, context: &mut Observation<'_>, operation: &Operation) {
        let terminal = context.terminal();
        if terminal.active_screen_kind() == ScreenKind::Alternate {
            return;
        }
        let wipes =
            matches!(operation, Operation::Function(Function::Ed(EdScope::All) | Function::Ris));
        self.wiped |= wipes;
        // A program that goes back up draws over what is there.
        let row = self.history.screen_row() + u64::try_from(terminal.cursor().row).unwrap_or(0);
        self.mark = self.mark.min(row);
    }

    fn evicted(&mut self, _: &mut Observation<'_>, line: &avt::Line) {
        self.history.push(line);
    }

    fn end(&mut self, _: &mut Observation<'_>) {
        self.settle_wipe();
    }
}

/// Repeating a character is the one function whose work is not bounded by the screen's size.
fn bounded(function: Function, most: u16) -> Function {
    if let Function::Rep(count) = function { Function::Rep(count.min(most)) } else { function }
}

fn row_text(row: &avt::Line) -> String {
    let mut text = row.text();
    trim(&mut text);
    text
}

/// The end of `text` that fits.
fn tail(text: String, max_bytes: usize, already_cut: bool) -> Shown {
    if text.len() <= max_bytes {
        return Shown { text, truncated: already_cut };
    }
    let text = cut::last_bytes(&text, max_bytes).to_owned();
    Shown { text, truncated: true }
}
