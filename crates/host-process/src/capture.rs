//! Bounded capture: the beginning and the end of a stream, with exact counts.

use std::collections::VecDeque;
use std::path::Path;

use crate::spool::Spooled;

/// How much of a stream is kept, in bytes. A stream of at most `head_bytes + tail_bytes` is kept whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Kept of the beginning.
    pub head_bytes: usize,
    /// Kept of the end.
    pub tail_bytes: usize,
}

impl Default for Window {
    /// 32 KiB of each end.
    fn default() -> Self {
        Self { head_bytes: 32 * 1024, tail_bytes: 32 * 1024 }
    }
}

impl Window {
    /// Only the beginning.
    #[must_use]
    pub fn head(bytes: usize) -> Self {
        Self { head_bytes: bytes, tail_bytes: 0 }
    }
}

/// What was kept of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    head: Vec<u8>,
    tail: Vec<u8>,
    total_bytes: u64,
    spool: Option<Spooled>,
}

impl Captured {
    /// How many bytes were read from the stream in all.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// How many of them were not kept.
    #[must_use]
    pub fn omitted_bytes(&self) -> u64 {
        self.total_bytes - (self.head.len() + self.tail.len()) as u64
    }

    /// Whether everything was kept.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.omitted_bytes() == 0
    }

    /// The bytes kept of the beginning.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The bytes kept of the end, after those of the beginning.
    #[must_use]
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// The file with the full stream, where one was [asked for](crate::Command::spool), was needed and could be
    /// made.
    #[must_use]
    pub fn spool(&self) -> Option<&Spooled> {
        self.spool.as_ref()
    }

    /// The path of that file. It is gone with the last [`Spooled`] unless that was kept.
    #[must_use]
    pub fn spool_path(&self) -> Option<&Path> {
        self.spool.as_ref().map(Spooled::path)
    }

    /// The whole stream, if everything was kept.
    #[must_use]
    pub fn whole(&self) -> Option<Vec<u8>> {
        self.is_whole().then(|| [self.head.as_slice(), self.tail.as_slice()].concat())
    }

    /// The stream as text. What is not UTF-8 becomes U+FFFD; a gap is a row of its own with the exact number
    /// of bytes left out, and no character is cut at it.
    #[must_use]
    pub fn text(&self) -> String {
        if let Some(whole) = self.whole() {
            return String::from_utf8_lossy(&whole).into_owned();
        }
        let head = without_cut_end(&self.head);
        let tail = without_cut_start(&self.tail);
        let omitted = self.total_bytes - (head.len() + tail.len()) as u64;
        let mut text = String::from_utf8_lossy(head).into_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("[{omitted} bytes left out]\n"));
        text.push_str(&String::from_utf8_lossy(tail));
        text
    }
}

impl Captured {
    /// Takes a character off the end of which only the first bytes came.
    fn hold_back(&mut self) {
        // It may lie across the two; after a gap it cannot.
        let joined = if self.is_whole() && self.tail.len() < 4 {
            [self.head.as_slice(), &self.tail].concat()
        } else {
            self.tail.clone()
        };
        let cut = joined.len() - without_cut_end(&joined).len();
        let of_tail = cut.min(self.tail.len());
        self.tail.truncate(self.tail.len() - of_tail);
        self.head.truncate(self.head.len() - (cut - of_tail));
        self.total_bytes -= cut as u64;
    }
}

/// Without a character at the end of which only the first bytes are there.
#[must_use]
pub fn without_cut_end(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rev().take(4).position(|byte| byte & 0xc0 != 0x80);
    let Some(start) = last.and_then(|back| bytes.len().checked_sub(back + 1)) else { return bytes };
    let (before, character) = bytes.split_at(start);
    match std::str::from_utf8(character) {
        Err(error) if error.error_len().is_none() => before,
        Err(_) | Ok(_) => bytes,
    }
}

/// Without the last bytes of a character at the start.
#[must_use]
pub fn without_cut_start(bytes: &[u8]) -> &[u8] {
    let cut = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    bytes.get(cut..).unwrap_or_default()
}

/// Takes a stream in, in bounded memory.
#[derive(Debug)]
pub(crate) struct Collector {
    window: Window,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total_bytes: u64,
    pub(crate) spool: Option<Spooled>,
}

impl Collector {
    pub(crate) fn new(window: Window) -> Self {
        Self { window, head: Vec::new(), tail: VecDeque::new(), total_bytes: 0, spool: None }
    }

    pub(crate) fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// All that came so far, if that much more would not fit any longer.
    pub(crate) fn overflowing(&self, more: usize) -> Option<Vec<u8>> {
        let window = (self.window.head_bytes as u64).saturating_add(self.window.tail_bytes as u64);
        let held = (self.head.len() + self.tail.len()) as u64;
        let overflows = held == self.total_bytes && held + more as u64 > window;
        overflows.then(|| [self.head.as_slice(), &self.tail_from(0)].concat())
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total_bytes += bytes.len() as u64;
        let room = self.window.head_bytes - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        let keep = self.window.tail_bytes;
        let rest = rest.get(rest.len().saturating_sub(keep)..).unwrap_or_default();
        let over = (self.tail.len() + rest.len()).saturating_sub(keep);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// What is kept from `offset` on; at its end a cut character only if that is the `last` of the stream.
    pub(crate) fn since(&self, offset: u64, last: bool) -> Captured {
        let head = self.head.get(index(offset)..).unwrap_or_default().to_vec();
        let tail_begins = self.total_bytes - self.tail.len() as u64;
        let tail = self.tail_from(index(offset.saturating_sub(tail_begins)));
        let total_bytes = self.total_bytes.saturating_sub(offset);
        let mut captured = Captured { head, tail, total_bytes, spool: self.spool.clone() };
        if !last {
            captured.hold_back();
        }
        captured
    }

    fn tail_from(&self, index: usize) -> Vec<u8> {
        let (front, back) = self.tail.as_slices();
        let of_back = index.saturating_sub(front.len());
        let front = front.get(index..).unwrap_or_default();
        [front, back.get(of_back..).unwrap_or_default()].concat()
    }
}

/// An offset beyond what memory can hold is beyond what is held.
fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(window: (usize, usize), chunks: &[&[u8]], text: &str, omitted: u64) {
        let mut collector = Collector::new(Window { head_bytes: window.0, tail_bytes: window.1 });
        for chunk in chunks {
            collector.push(chunk);
        }
        let captured = collector.since(0, true);
        assert_eq!((captured.text().as_str(), captured.omitted_bytes()), (text, omitted));
    }

    #[test]
    fn a_stream_is_whole_up_to_the_window_and_exact_beyond() {
        check((3, 3), &[], "", 0);
        check((3, 3), &[b"abcdef"], "abcdef", 0);
        check((3, 3), &[b"ab", b"cd", b"ef"], "abcdef", 0);
        check((3, 3), &[b"abcdefg"], "abc\n[1 bytes left out]\nefg", 1);
        check((3, 3), &[b"a", b"bcdefghij", b"k"], "abc\n[5 bytes left out]\nijk", 5);
        check((3, 0), &[b"ab\ncd"], "ab\n[2 bytes left out]\n", 2);
        check((0, 2), &[b"abcd"], "[2 bytes left out]\ncd", 2);
    }

    #[test]
    fn no_character_is_cut_at_a_gap() {
        // The two bytes of a cut character count as left out.
        check((4, 4), &["aä€xxxx€öb".as_bytes()], "aä\n[10 bytes left out]\nöb", 8);
        check(
            (2, 2),
            &[b"\xff\xffxxx\x80\xff"],
            "\u{fffd}\u{fffd}\n[4 bytes left out]\n\u{fffd}",
            3,
        );
    }
}
