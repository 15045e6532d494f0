//! The bytes of a file as UTF-8, and the buffer they go through.

use rustix::fd::BorrowedFd;
use rustix::io::Errno;

use super::error::FsError;
use crate::text::decode::Encoding;

/// Whether more can come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    Comes,
    Ended,
}

/// Reads a file; UTF-16 with a byte order mark comes out as UTF-8.
#[derive(Debug)]
pub(super) struct Source<'f> {
    fd: BorrowedFd<'f>,
    utf16: Option<Transcoder>,
}

impl<'f> Source<'f> {
    /// Starts reading: fills the buffer, and finds out about the encoding.
    pub(super) fn start(fd: BorrowedFd<'f>, buffer: &mut Buffer) -> Result<(Self, Rest), FsError> {
        buffer.filled = 0;
        let mut source = Self { fd, utf16: None };
        let rest = source.fill(buffer)?;
        let (encoding, bom_bytes) = Encoding::sniff(buffer.data());
        buffer.drop_front(bom_bytes);
        if encoding == Encoding::Utf8 {
            return Ok((source, rest));
        }
        source.utf16 = Some(Transcoder::new(encoding, buffer.data()));
        buffer.filled = 0;
        let rest = source.fill(buffer)?;
        Ok((source, rest))
    }

    /// Reads until the buffer is full or the file ends.
    pub(super) fn fill(&mut self, buffer: &mut Buffer) -> Result<Rest, FsError> {
        while let Some(free) = buffer.free() {
            let count = match &mut self.utf16 {
                None => read(self.fd, free)?,
                Some(coder) => coder.read(self.fd, free)?,
            };
            if count == 0 {
                return Ok(Rest::Ended);
            }
            buffer.filled += count;
        }
        Ok(Rest::Comes)
    }
}

/// A buffer that is filled at the end and emptied at the front.
#[derive(Debug)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    filled: usize,
}

impl Buffer {
    pub(super) fn new(size: usize) -> Self {
        Self { bytes: vec![0; size], filled: 0 }
    }

    pub(super) fn data(&self) -> &[u8] {
        self.bytes.get(..self.filled).unwrap_or_default()
    }

    pub(super) fn drop_front(&mut self, count: usize) {
        if count > 0 {
            self.bytes.copy_within(count..self.filled, 0);
            self.filled -= count;
        }
    }

    /// Drops what comes after the first `count` bytes.
    pub(super) fn cut(&mut self, count: usize) {
        self.filled = count;
    }

    /// Makes the buffer larger; `false` when it has the greatest size.
    pub(super) fn grow(&mut self, max_bytes: usize) -> bool {
        let size = self.bytes.len();
        self.bytes.resize((size * 4).min(max_bytes).max(size), 0);
        self.bytes.len() > size
    }

    fn free(&mut self) -> Option<&mut [u8]> {
        self.bytes.get_mut(self.filled..).filter(|free| !free.is_empty())
    }
}

/// UTF-16 on its way to UTF-8.
#[derive(Debug)]
struct Transcoder {
    encoding: Encoding,
    /// Read, not decoded.
    raw: Vec<u8>,
    /// Decoded; what comes before `given` was given out.
    text: Vec<u8>,
    given: usize,
}

/// Bytes of UTF-16 read at a time.
const RAW_BYTES: usize = 64 * 1024;

impl Transcoder {
    fn new(encoding: Encoding, head: &[u8]) -> Self {
        let mut coder = Self { encoding, raw: head.to_vec(), text: Vec::new(), given: 0 };
        coder.decode();
        coder
    }

    fn read(&mut self, fd: BorrowedFd<'_>, free: &mut [u8]) -> Result<usize, FsError> {
        while self.given == self.text.len() {
            self.text.clear();
            self.given = 0;
            let held = self.raw.len();
            self.raw.resize(held + RAW_BYTES, 0);
            let count = read(fd, self.raw.get_mut(held..).unwrap_or_default())?;
            self.raw.truncate(held + count);
            if count == 0 {
                if self.raw.is_empty() {
                    return Ok(0);
                }
                self.raw.clear();
                self.text.extend_from_slice("\u{FFFD}".as_bytes());
            }
            self.decode();
        }
        let ready = self.text.get(self.given..).unwrap_or_default();
        let count = ready.len().min(free.len());
        if let (Some(from), Some(to)) = (ready.get(..count), free.get_mut(..count)) {
            to.copy_from_slice(from);
        }
        self.given += count;
        Ok(count)
    }

    fn decode(&mut self) {
        let used = self.encoding.decode_lossy(&self.raw, &mut self.text);
        self.raw.drain(..used);
    }
}

fn read(fd: BorrowedFd<'_>, free: &mut [u8]) -> Result<usize, FsError> {
    loop {
        match rustix::io::read(fd, &mut *free) {
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
            Ok(count) => return Ok(count),
        }
    }
}
