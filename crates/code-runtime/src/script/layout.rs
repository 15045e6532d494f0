//! The text being blanked, byte for byte as long as it was.

use oxc_span::Span;

/// A copy of the program in which spans become spaces.
#[derive(Debug)]
pub(super) struct Layout<'s> {
    source: &'s str,
    out: Vec<u8>,
    /// First and last byte of what was blanked behind an expression or a name.
    tails: Vec<(usize, usize)>,
    /// Where statements end that no semicolon closes.
    ends: Vec<usize>,
}

impl<'s> Layout<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, out: source.as_bytes().to_vec(), tails: Vec::new(), ends: Vec::new() }
    }

    /// Blanks a span. Line ends stay, and every character becomes one space, so columns stay too.
    pub(super) fn blank(&mut self, from: u32, to: u32) {
        let (from, to) = (from as usize, to as usize);
        let Some(text) = self.source.get(from..to) else { return };
        for (at, character) in text.char_indices() {
            if !matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}') {
                self.space(from + at, character.len_utf8());
            }
        }
    }

    /// One character becomes one space. What it has beyond one byte is dropped at the end.
    fn space(&mut self, at: usize, bytes: usize) {
        if let Some(slots) = self.out.get_mut(at..at + bytes) {
            slots.fill(DROPPED);
            if let Some(first) = slots.first_mut() {
                *first = b' ';
            }
        }
    }

    pub(super) fn blank_span(&mut self, span: Span) {
        self.blank(span.start, span.end);
    }

    /// Blanks what stands behind an expression or a name and may be the end of a statement.
    pub(super) fn blank_tail(&mut self, from: u32, to: u32) {
        self.blank(from, to);
        self.tails.push((from as usize, to as usize));
    }

    /// Blanks a whole statement or class member. A semicolon keeps its neighbours apart.
    pub(super) fn blank_whole(&mut self, span: Span) {
        self.blank_span(span);
        self.put(span.start, b';');
    }

    pub(super) fn put(&mut self, at: u32, byte: u8) {
        if let Some(slot) = self.out.get_mut(at as usize) {
            *slot = byte;
        }
    }

    /// Notes where a statement ends: what was blanked there may have been all that kept the next line apart.
    pub(super) fn ends_at(&mut self, end: u32) {
        if self.source.as_bytes().get((end as usize).wrapping_sub(1)) != Some(&b';') {
            self.ends.push(end as usize);
        }
    }

    /// The first `byte` in a span, comments skipped.
    pub(super) fn find(&self, from: u32, to: u32, byte: u8) -> Option<u32> {
        let (mut at, to) = (from as usize, to as usize);
        let bytes = self.source.as_bytes();
        while at < to {
            let rest = bytes.get(at..to)?;
            let skipped = match rest {
                [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n')?,
                [b'/', b'*', ..] => rest.windows(2).skip(2).position(|pair| pair == b"*/")? + 4,
                [first, ..] if *first == byte => return u32::try_from(at).ok(),
                _ => 1,
            };
            at += skipped;
        }
        None
    }

    /// The words of a span with their offsets.
    pub(super) fn words(&self, from: u32, to: u32) -> Vec<(u32, &'s str)> {
        let text = self.source.get(from as usize..to as usize).unwrap_or_default();
        let is_word = |character: char| character.is_ascii_alphabetic();
        let mut words = Vec::new();
        let mut at = 0;
        for piece in text.split(|character| !is_word(character)) {
            if !piece.is_empty() {
                words.push((from + u32::try_from(at).unwrap_or(0), piece));
            }
            // What splits may be longer than a byte.
            at += piece.len();
            at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
        words
    }

    pub(super) fn has_line_end(&self, from: u32, to: u32) -> bool {
        let text = self.source.get(from as usize..to as usize).unwrap_or_default();
        text.contains(['\n', '\r', '\u{2028}', '\u{2029}'])
    }

    pub(super) fn finish(mut self) -> String {
        self.ends.sort_unstable();
        for (from, to) in std::mem::take(&mut self.tails) {
            if self.ends.binary_search(&to).is_ok()
                && let Some(slot) = self.out.get_mut(from)
            {
                *slot = b';';
            }
        }
        self.out.retain(|&byte| byte != DROPPED);
        // Only whole characters were replaced.
        String::from_utf8(self.out).unwrap_or_default()
    }
}

/// In no UTF-8 text.
const DROPPED: u8 = 0xff;
