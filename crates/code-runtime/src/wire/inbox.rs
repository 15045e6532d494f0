//! Bytes that came in, cut into frames.

use std::io;

use super::frame::{FRAME_HEAD, Frame};
use super::reader::Broken;

/// Room asked for when nothing is known of what comes.
const CHUNK: usize = 64 << 10;

/// Collects bytes and gives out whole frames.
#[derive(Debug)]
pub(crate) struct Inbox {
    bytes: Vec<u8>,
    /// Bytes already given out.
    start: usize,
    /// Bytes that are there; what lies behind is room.
    end: usize,
    max_payload: usize,
}

impl Inbox {
    /// An inbox that takes frames of at most so many payload bytes.
    pub(crate) fn new(max_payload: usize) -> Self {
        Self { bytes: Vec::new(), start: 0, end: 0, max_payload }
    }

    pub(crate) fn set_max_payload(&mut self, max_payload: usize) {
        self.max_payload = max_payload;
    }

    /// Reads once. How many bytes came; 0 when the other side is gone.
    pub(crate) fn fill(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        self.make_room();
        let count = read(self.bytes.get_mut(self.end..).unwrap_or_default())?;
        self.end += count;
        Ok(count)
    }

    fn make_room(&mut self) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        let needed = self.needed().unwrap_or(CHUNK).max(CHUNK);
        if self.bytes.len() - self.end >= needed {
            return;
        }
        self.bytes.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.bytes.len() - self.end < needed {
            self.bytes.resize(self.end + needed, 0);
        }
    }

    /// Bytes missing of the frame that began, as far as its own limit allows.
    fn needed(&self) -> Option<usize> {
        let (length, _, _) = Frame::head(self.peek_head()?)?;
        let have = self.end - self.start;
        (length <= self.max_payload).then(|| (FRAME_HEAD + length).saturating_sub(have))
    }

    fn peek_head(&self) -> Option<&[u8; FRAME_HEAD]> {
        self.bytes.get(self.start..self.end)?.first_chunk()
    }

    /// Whether a whole frame is there.
    pub(crate) fn has_next(&self) -> Result<bool, Broken> {
        let Some(head) = self.peek_head() else { return Ok(false) };
        let (length, _, _) = Frame::head(head).ok_or(Broken("a frame of no known kind"))?;
        if length > self.max_payload {
            return Err(Broken("a frame that is too long"));
        }
        Ok(self.start + FRAME_HEAD + length <= self.end)
    }

    /// The next whole frame, if it is there.
    pub(crate) fn next(&mut self) -> Result<Option<Frame<'_>>, Broken> {
        if !self.has_next()? {
            return Ok(None);
        }
        let Some((length, kind, id)) = self.peek_head().and_then(Frame::head) else {
            return Ok(None);
        };
        let from = self.start + FRAME_HEAD;
        self.start = from + length;
        let payload = self.bytes.get(from..from + length).unwrap_or_default();
        Ok(Some(Frame { kind, id, payload }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::{FrameKind, put};
    use super::*;

    fn feed(inbox: &mut Inbox, bytes: &[u8]) {
        let read = |room: &mut [u8]| {
            room[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        };
        assert!(inbox.fill(read).is_ok_and(|count| count == bytes.len()));
    }

    #[test]
    fn frames_are_found_however_they_are_cut() {
        let mut wire = Vec::new();
        for id in 0..3 {
            let _ = put::<()>(&mut wire, FrameKind::Log, id, |out| {
                out.extend_from_slice(b"line");
                Ok(())
            });
        }
        for piece in 1..wire.len() {
            let mut inbox = Inbox::new(16);
            let mut seen = Vec::new();
            for bytes in wire.chunks(piece) {
                feed(&mut inbox, bytes);
                while let Ok(Some(frame)) = inbox.next() {
                    assert_eq!((frame.kind, frame.payload), (FrameKind::Log, &b"line"[..]));
                    seen.push(frame.id);
                }
            }
            assert_eq!(seen, [0, 1, 2]);
        }
    }

    #[test]
    fn a_length_beyond_the_limit_takes_no_memory() {
        let mut inbox = Inbox::new(16);
        feed(&mut inbox, &[0xff, 0xff, 0xff, 0x7f, FrameKind::Log as u8, 0, 0, 0, 0]);
        assert!(inbox.next().is_err());
        inbox.make_room();
        assert!(inbox.bytes.len() < 1 << 20);
    }

    #[test]
    fn an_unknown_kind_is_refused() {
        let mut inbox = Inbox::new(16);
        feed(&mut inbox, &[0, 0, 0, 0, 99, 0, 0, 0, 0]);
        assert!(inbox.next().is_err());
    }
}
