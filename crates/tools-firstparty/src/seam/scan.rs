//! Searching one file, block by block; a block ends where a line ends.

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use memchr::{memchr, memchr_iter, memrchr};
use rustix::fd::BorrowedFd;

use super::error::FsError;
use super::hits::Collector;
use super::source::{Buffer, Rest, Source};

/// The most a buffer grows to. A line that does not fit is searched in pieces.
const BLOCK_MAX_BYTES: usize = 4 * 1024 * 1024;
/// What two pieces of such a line share, so that a match on the seam is found.
const OVERLAP_BYTES: usize = 64 * 1024;
/// Size of the buffer to begin with; most files fit.
const BUFFER_BYTES: usize = 64 * 1024;

/// What searches: a matcher and a buffer, used for one file after the other.
#[derive(Debug)]
pub(super) struct Engine {
    matcher: RegexMatcher,
    searcher: Searcher,
    buffer: Buffer,
}

impl Engine {
    pub(super) fn new(matcher: &RegexMatcher) -> Self {
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .bom_sniffing(false)
            .binary_detection(BinaryDetection::none())
            .build();
        Self { matcher: matcher.clone(), searcher, buffer: Buffer::new(BUFFER_BYTES) }
    }

    /// Searches all of an open file, up to its first NUL byte.
    pub(super) fn search(
        &mut self,
        fd: BorrowedFd<'_>,
        hits: &mut Collector<'_>,
    ) -> Result<(), FsError> {
        let (mut source, mut rest) = Source::start(fd, &mut self.buffer)?;
        let mut place = Place { lines_before: 0, giant: None };
        loop {
            if let Some(nul) = memchr(0, self.buffer.data()) {
                self.buffer.cut(nul);
                rest = Rest::Ended;
            }
            self.search_buffer(&mut place, rest, hits)?;
            if rest == Rest::Ended || hits.is_over() {
                return Ok(());
            }
            rest = source.fill(&mut self.buffer)?;
        }
    }

    /// Searches the whole lines in the buffer; at the end of the file, all of it.
    fn search_buffer(
        &mut self,
        place: &mut Place,
        rest: Rest,
        hits: &mut Collector<'_>,
    ) -> Result<(), FsError> {
        if let Some(giant) = place.giant.take() {
            place.giant = self.search_giant(giant, place, rest, hits)?;
            if place.giant.is_some() {
                return Ok(());
            }
        }
        let data = self.buffer.data();
        let end = match rest {
            Rest::Ended => data.len(),
            Rest::Comes => memrchr(b'\n', data).map_or(0, |at| at + 1),
        };
        let block = data.get(..end).unwrap_or_default();
        if !block.is_empty() {
            let sink = BlockSink { hits, lines_before: place.lines_before };
            self.searcher.search_slice(&self.matcher, block, sink)?;
        }
        if rest == Rest::Comes {
            place.lines_before += count_newlines(block);
            self.buffer.drop_front(end);
            if end == 0 && !self.buffer.grow(BLOCK_MAX_BYTES) {
                place.giant = Some(Giant::start(self.buffer.data(), hits.line_max_bytes()));
            }
        }
        Ok(())
    }

    /// Searches a piece of a giant line; takes its hit when the line ends. Gives the line back if it goes on.
    fn search_giant(
        &mut self,
        mut giant: Giant,
        place: &mut Place,
        rest: Rest,
        hits: &mut Collector<'_>,
    ) -> Result<Option<Giant>, FsError> {
        let data = self.buffer.data();
        let line_end = memchr(b'\n', data);
        let piece = data.get(..line_end.unwrap_or(data.len())).unwrap_or_default();
        let length = piece.len();
        let has_cr = piece.last() == Some(&b'\r');
        if !giant.is_hit {
            let matched = self.matcher.is_match(piece);
            giant.is_hit = matched.map_err(|error| FsError::Io(error.to_string()))?;
        }
        if line_end.is_none() && rest == Rest::Comes {
            let passed = length.saturating_sub(OVERLAP_BYTES);
            giant.passed_bytes += as_u64(passed);
            self.buffer.drop_front(passed);
            return Ok(Some(giant));
        }
        if giant.is_hit {
            let line_bytes = giant.passed_bytes + as_u64(length) - u64::from(has_cr);
            hits.take(place.lines_before + 1, &giant.start, line_bytes);
        }
        self.buffer.drop_front(line_end.map_or(length, |at| at + 1));
        place.lines_before += u64::from(line_end.is_some());
        Ok(None)
    }
}

/// Where in the file the buffer stands.
struct Place {
    /// Line breaks before the start of the buffer.
    lines_before: u64,
    giant: Option<Giant>,
}

/// A line that does not fit the buffer.
struct Giant {
    start: Vec<u8>,
    /// Bytes of the line that have left the buffer.
    passed_bytes: u64,
    is_hit: bool,
}

impl Giant {
    fn start(data: &[u8], line_max_bytes: usize) -> Self {
        let start = data.get(..line_max_bytes).unwrap_or(data).to_vec();
        Self { start, passed_bytes: 0, is_hit: false }
    }
}

/// Takes the hits of one block.
struct BlockSink<'h, 'b> {
    hits: &'h mut Collector<'b>,
    lines_before: u64,
}

impl Sink for BlockSink<'_, '_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, std::io::Error> {
        let line = without_line_end(found.bytes());
        let number = self.lines_before + found.line_number().unwrap_or(1);
        Ok(self.hits.take(number, line, as_u64(line.len())))
    }
}

fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn count_newlines(block: &[u8]) -> u64 {
    as_u64(memchr_iter(b'\n', block).count())
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
