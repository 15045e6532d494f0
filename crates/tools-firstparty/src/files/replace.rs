//! Replacing text and nothing else: every byte outside what changes stays as it is (decisions DF2).
//!
//! Text is found in a view in which CRLF is LF; a place in the view is mapped back to the file's own bytes.

use std::borrow::Cow;

use memchr::memmem;

/// What to replace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replacement<'a> {
    /// The text to find; CRLF in it is LF.
    pub(super) old: &'a str,
    /// What comes in its place; plain text.
    pub(super) new: &'a str,
    /// Every place, or the only one.
    pub(super) all: bool,
}

/// Why nothing was replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not there.
    NoMatch,
    /// It is there more than once; the lines of the first few.
    Ambiguous { count: usize, lines: Vec<usize> },
    /// The result would be longer than allowed.
    TooLarge,
}

/// The text with CRLF as LF, for matching; the same that `old` is compared in.
pub(super) fn with_lf(text: &str) -> Cow<'_, str> {
    if memmem::find(text.as_bytes(), b"\r\n").is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n"))
}

/// `text` with the replacement made.
pub(super) fn replace(
    text: &str,
    replacement: Replacement<'_>,
    max_bytes: usize,
    places_max: usize,
) -> Result<String, Refusal> {
    let (old, new) = (with_lf(replacement.old), with_lf(replacement.new));
    let view = View::of(text);
    let finder = memmem::Finder::new(old.as_bytes());
    let mut places = finder.find_iter(view.text.as_bytes());
    match (places.next(), places.next()) {
        (None, _) => return Err(Refusal::NoMatch),
        (Some(_), Some(_)) if !replacement.all => {
            let all = finder.find_iter(view.text.as_bytes());
            return Err(ambiguous(&view.text, all, places_max));
        }
        _ => {}
    }
    let mut writer = Writer {
        raw: text,
        out: String::with_capacity(text.len().saturating_add(new.len()).min(max_bytes)),
        copied: 0,
        max_bytes,
        core: Core::of(&old, &new, replacement.new),
        breaks: Breaks { raw: text.as_bytes(), next: None, last: None },
    };
    for at in finder.find_iter(view.text.as_bytes()) {
        writer.put(&view, at, old.len())?;
    }
    writer.finish()
}

fn ambiguous(text: &str, places: impl Iterator<Item = usize>, places_max: usize) -> Refusal {
    let (mut count, mut line, mut counted) = (0, 1, 0);
    let mut lines = Vec::new();
    for at in places {
        count += 1;
        if count <= places_max {
            let between = text.as_bytes().get(counted..at).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count();
            counted = at;
            lines.push(line);
        }
    }
    Refusal::Ambiguous { count, lines }
}

/// A text in which CRLF is LF, and the way back.
struct View<'a> {
    text: Cow<'a, str>,
    /// Where in the view an LF stands for CRLF, ascending.
    shortened: Vec<usize>,
}

impl<'a> View<'a> {
    fn of(raw: &'a str) -> Self {
        let text = with_lf(raw);
        let places = memmem::find_iter(raw.as_bytes(), b"\r\n");
        let shortened = places.enumerate().map(|(before, at)| at - before).collect();
        Self { text, shortened }
    }

    /// The place in the file's own text of a place in the view.
    fn raw(&self, at: usize) -> usize {
        at + self.shortened.partition_point(|lf| *lf < at)
    }
}

/// The part of the old and new text in which they differ. What both begin and end with is not touched, so
/// that line breaks in it stay as they are.
struct Core<'a> {
    /// Bytes at the start that are the same.
    same_start: usize,
    /// Bytes at the end that are the same.
    same_end: usize,
    new: &'a str,
    /// All of the new text as it was given, for a file that has no line break to go by.
    given: &'a str,
}

impl<'a> Core<'a> {
    fn of(old: &str, new: &'a str, given: &'a str) -> Self {
        let same = |(a, b): &(u8, u8)| a == b;
        let start = old.bytes().zip(new.bytes()).take_while(same).count();
        // Bytes that agree begin the same characters, so a boundary in one is one in both.
        let start = new.floor_char_boundary(old.floor_char_boundary(start));
        let room = old.len().min(new.len()) - start;
        let mut end = old.bytes().rev().zip(new.bytes().rev()).take(room).take_while(same).count();
        while !(old.is_char_boundary(old.len() - end) && new.is_char_boundary(new.len() - end)) {
            end -= 1;
        }
        let core = new.get(start..new.len() - end).unwrap_or_default();
        Self { same_start: start, same_end: end, new: core, given }
    }

    fn has_break(&self) -> bool {
        self.new.contains('\n')
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Lf,
    CrLf,
}

/// Line breaks around a place, asked for at ascending places, so that all answers together cost one pass.
struct Breaks<'a> {
    raw: &'a [u8],
    /// The first break from the place asked about last on.
    next: Option<Option<usize>>,
    /// The last break of all, once there is none to come.
    last: Option<Option<usize>>,
}

impl Breaks<'_> {
    fn ending(&self, lf: usize) -> Ending {
        let before = lf.checked_sub(1).and_then(|at| self.raw.get(at));
        if before == Some(&b'\r') { Ending::CrLf } else { Ending::Lf }
    }

    fn first_in(&self, start: usize, end: usize) -> Option<Ending> {
        let lf = memchr::memchr(b'\n', self.raw.get(start..end)?)?;
        Some(self.ending(start + lf))
    }

    fn last_in(&self, start: usize, end: usize) -> Option<Ending> {
        let lf = memchr::memrchr(b'\n', self.raw.get(start..end)?)?;
        Some(self.ending(start + lf))
    }

    fn after(&mut self, at: usize) -> Option<Ending> {
        let next = match self.next {
            Some(None) => None,
            Some(Some(lf)) if lf >= at => Some(lf),
            _ => memchr::memchr(b'\n', self.raw.get(at..)?).map(|lf| at + lf),
        };
        self.next = Some(next);
        next.map(|lf| self.ending(lf))
    }

    /// The last break before `at`, when there is none after it.
    fn before(&mut self, at: usize) -> Option<Ending> {
        let raw = self.raw;
        let last = *self.last.get_or_insert_with(|| memchr::memrchr(b'\n', raw.get(..at)?));
        last.map(|lf| self.ending(lf))
    }
}

struct Writer<'a> {
    raw: &'a str,
    out: String,
    /// How much of `raw` has been taken over or replaced.
    copied: usize,
    max_bytes: usize,
    core: Core<'a>,
    breaks: Breaks<'a>,
}

impl Writer<'_> {
    /// Replaces the core of the place at `at` of the view.
    fn put(&mut self, view: &View<'_>, at: usize, length: usize) -> Result<(), Refusal> {
        let span = (view.raw(at), view.raw(at + length));
        let start = view.raw(at + self.core.same_start);
        let end = view.raw(at + length - self.core.same_end);
        self.copy_to(start)?;
        self.copied = end;
        if !self.core.has_break() {
            return self.push(self.core.new);
        }
        match self.ending(span, start, end) {
            Some(Ending::Lf) => self.push(self.core.new),
            Some(Ending::CrLf) => {
                let breaks = memchr::memchr_iter(b'\n', self.core.new.as_bytes()).count();
                self.room_for(self.core.new.len() + breaks)?;
                self.push(&self.core.new.replace('\n', "\r\n"))
            }
            // Without a break in the file the old text had none, nor does what is the same in both.
            None => {
                let given = self.core.given;
                let new = given.get(self.core.same_start..given.len() - self.core.same_end);
                self.push(new.unwrap_or(self.core.new))
            }
        }
    }

    /// How lines end here: in the part replaced, else close by in the text found, else after it, else before.
    fn ending(&mut self, span: (usize, usize), start: usize, end: usize) -> Option<Ending> {
        let breaks = &mut self.breaks;
        breaks
            .first_in(start, end)
            .or_else(|| breaks.last_in(span.0, start))
            .or_else(|| breaks.first_in(end, span.1))
            .or_else(|| breaks.after(span.1))
            .or_else(|| breaks.before(span.0))
    }

    fn finish(mut self) -> Result<String, Refusal> {
        self.copy_to(self.raw.len())?;
        Ok(self.out)
    }

    fn copy_to(&mut self, end: usize) -> Result<(), Refusal> {
        let raw = self.raw;
        self.push(raw.get(self.copied..end).unwrap_or_default())
    }

    fn push(&mut self, text: &str) -> Result<(), Refusal> {
        self.room_for(text.len())?;
        self.out.push_str(text);
        Ok(())
    }

    fn room_for(&self, bytes: usize) -> Result<(), Refusal> {
        if self.out.len() + bytes > self.max_bytes { Err(Refusal::TooLarge) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
