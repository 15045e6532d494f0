//! One pass over a file for one page: decode, window, and the line index that makes the next pass short.

use super::index::{IndexCache, LineIndex, Mark};
use super::read::ReadLine;
use super::window::Window;
use crate::config::ReadCaps;
use crate::seam::error::FsError;
use crate::seam::fs::{FileVersion, OpenFile};
use crate::text::decode::Encoding;

/// The lines asked for and how many there are in all.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) lines: Vec<ReadLine>,
    pub(super) total_lines: u64,
}

/// Why there is no page.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ScanError {
    /// The file system failed.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// A NUL near the start.
    #[error("it is binary: byte {offset} is NUL")]
    Binary {
        /// Where, in bytes.
        offset: u64,
    },
    /// Not what the encoding allows.
    #[error("byte {offset} is not valid {encoding}")]
    BadEncoding {
        /// Where, in bytes.
        offset: u64,
        /// The encoding the file is in otherwise.
        encoding: &'static str,
    },
    /// The call was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Bytes read at a time.
const CHUNK_BYTES: usize = 256 * 1024;

/// What to read, and how.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) caps: &'a ReadCaps,
    pub(super) first_line: u64,
    pub(super) limit: u64,
    pub(super) cache: &'a IndexCache,
    pub(super) is_cancelled: &'a dyn Fn() -> bool,
}

/// Reads one page of `file`.
pub(super) fn read_page(file: &dyn OpenFile, request: Request<'_>) -> Result<Page, ScanError> {
    let version = file.version()?;
    match request.cache.get(&version) {
        Some(index) => read_indexed(file, request, &index),
        None => read_whole(file, request, version),
    }
}

/// Reads all of the file, for the total and to see that all of it is text.
fn read_whole(
    file: &dyn OpenFile,
    request: Request<'_>,
    version: FileVersion,
) -> Result<Page, ScanError> {
    let mut reader = Reader::open(file, request)?;
    let mut window = Window::new(request.caps, request.first_line, request.limit);
    let mut index = LineIndex::new();
    while let Some(piece) = reader.next()? {
        window.feed(piece);
        index.offer(Mark { offset: reader.used, newlines: window.newlines() });
    }
    let total_lines = window.total_lines();
    // An index is only as good as the version it stands for.
    let is_worth_it = version.size >= request.caps.index_min_bytes && version.is_settled;
    if is_worth_it && file.version()? == version {
        index.total_lines = total_lines;
        request.cache.put(version, index);
    }
    Ok(Page { lines: window.into_lines(), total_lines })
}

/// Reads only from the nearest mark to the end of the page.
fn read_indexed(
    file: &dyn OpenFile,
    request: Request<'_>,
    index: &LineIndex,
) -> Result<Page, ScanError> {
    let total_lines = index.total_lines;
    let mut window = Window::new(request.caps, request.first_line, request.limit);
    if request.first_line <= total_lines {
        let mut reader = Reader::open(file, request)?;
        if let Some(mark) = index.before(request.first_line) {
            window.skip_to(mark.newlines);
            reader.skip_to(mark.offset);
        }
        while !window.is_full()
            && let Some(piece) = reader.next()?
        {
            window.feed(piece);
        }
    }
    Ok(Page { lines: window.into_lines(), total_lines })
}

/// The text of a file, piece by piece, and where it stands.
struct Reader<'a> {
    file: &'a dyn OpenFile,
    request: Request<'a>,
    encoding: Encoding,
    /// Bytes of the file that were given out as text.
    used: u64,
    buffer: Vec<u8>,
    scratch: String,
    /// Bytes from the start of the file up to which a NUL means binary.
    probe_end: u64,
}

impl<'a> Reader<'a> {
    fn open(file: &'a dyn OpenFile, request: Request<'a>) -> Result<Self, ScanError> {
        let mut reader = Self {
            file,
            request,
            encoding: Encoding::Utf8,
            used: 0,
            buffer: vec![0; CHUNK_BYTES],
            scratch: String::new(),
            probe_end: as_u64(request.caps.binary_probe_bytes),
        };
        let mut head = [0; 4];
        let length = read_full(file, &mut head, 0)?;
        let (encoding, bom) = Encoding::sniff(head.get(..length).unwrap_or_default());
        reader.encoding = encoding;
        reader.used = as_u64(bom);
        Ok(reader)
    }

    /// Goes on from `offset`, which stands between two characters of a file that was found to be text.
    fn skip_to(&mut self, offset: u64) {
        self.used = offset;
    }

    /// The next piece of text, or `None` at the end.
    fn next(&mut self) -> Result<Option<&str>, ScanError> {
        if (self.request.is_cancelled)() {
            return Err(ScanError::Cancelled);
        }
        // What the last piece left over, a part of a character, is read again.
        let end = read_full(self.file, &mut self.buffer, self.used)?;
        if end == 0 {
            return Ok(None);
        }
        let bytes = self.buffer.get(..end).unwrap_or_default();
        self.check_binary(bytes)?;
        let (start, encoding) = (self.used, self.encoding);
        let bad = |offset: usize| ScanError::BadEncoding {
            offset: start + as_u64(offset),
            encoding: encoding.name(),
        };
        let (text, used) =
            encoding.decode(bytes, &mut self.scratch).map_err(|at| bad(at.offset))?;
        // Nothing further comes, and what is left does not make a character.
        if used == 0 {
            return Err(bad(0));
        }
        self.used += as_u64(used);
        Ok(Some(text))
    }

    fn check_binary(&self, bytes: &[u8]) -> Result<(), ScanError> {
        let probe = usize::try_from(self.probe_end.saturating_sub(self.used)).unwrap_or(usize::MAX);
        let head = bytes.get(..probe.min(bytes.len())).unwrap_or_default();
        let found = match self.encoding {
            Encoding::Utf8 => memchr::memchr(0, head),
            Encoding::Utf16Le | Encoding::Utf16Be => {
                let (units, _) = head.as_chunks::<2>();
                units.iter().position(|unit| *unit == [0, 0]).map(|at| at * 2)
            }
        };
        match found {
            Some(at) => Err(ScanError::Binary { offset: self.used + as_u64(at) }),
            None => Ok(()),
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn read_full(file: &dyn OpenFile, buffer: &mut [u8], offset: u64) -> Result<usize, FsError> {
    let mut filled = 0;
    while let Some(free) = buffer.get_mut(filled..).filter(|free| !free.is_empty()) {
        match file.read_at(free, offset + as_u64(filled))? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
