//! A text in pieces, read as one: a result need not be copied to be measured, cut or saved.

use std::fmt;

use contract_schema::ContentBlock;

/// Bytes that are counted in one go, so that the count fits into a byte.
const COUNTED: usize = 255;

/// Pieces of text joined by one line feed.
#[derive(Debug, Clone)]
pub struct SpillText<'a> {
    /// The pieces with the line feeds between them.
    chunks: Vec<&'a str>,
    bytes: u64,
}

impl<'a> SpillText<'a> {
    /// The text of these pieces.
    pub fn joined(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = Self { chunks: Vec::new(), bytes: 0 };
        for piece in pieces {
            if !text.chunks.is_empty() {
                text.push("\n");
            }
            text.push(piece);
        }
        text
    }

    /// The text of all text blocks.
    #[must_use]
    pub fn of_blocks(blocks: &'a [ContentBlock]) -> Self {
        Self::joined(blocks.iter().filter_map(ContentBlock::as_text))
    }

    fn push(&mut self, chunk: &'a str) {
        self.chunks.push(chunk);
        self.bytes = self.bytes.saturating_add(length(chunk));
    }

    /// Its length in bytes, line feeds between the pieces included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The text in order, in pieces of any length.
    pub fn chunks(&self) -> impl DoubleEndedIterator<Item = &'a str> {
        self.chunks.iter().copied()
    }

    /// How many line feeds it has.
    #[must_use]
    pub fn line_feeds(&self) -> u64 {
        self.chunks().map(line_feeds).sum()
    }

    /// Its first bytes, at most `max` of them, cut at a character boundary.
    #[must_use]
    pub fn head(&self, max: usize) -> String {
        let mut head = String::new();
        for chunk in self.chunks() {
            let room = max.saturating_sub(head.len());
            head.push_str(chunk.split_at(chunk.floor_char_boundary(room)).0);
            if chunk.len() > room {
                break;
            }
        }
        head
    }

    /// Its last bytes, at most `max` of them, cut at a character boundary.
    #[must_use]
    pub fn tail(&self, max: usize) -> String {
        let mut room = max;
        let mut taken = Vec::new();
        for chunk in self.chunks().rev() {
            let from = chunk.ceil_char_boundary(chunk.len().saturating_sub(room));
            taken.push(chunk.split_at(from).1);
            if chunk.len() > room {
                break;
            }
            room -= chunk.len();
        }
        taken.into_iter().rev().collect()
    }
}

impl<'a> From<&'a str> for SpillText<'a> {
    fn from(text: &'a str) -> Self {
        Self::joined([text])
    }
}

impl fmt::Display for SpillText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chunks().try_for_each(|chunk| f.write_str(chunk))
    }
}

/// A length as it is counted here.
pub(crate) fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

/// How many line feeds `text` has. Counted in bytes first: the compiler makes that a vector loop.
pub(crate) fn line_feeds(text: &str) -> u64 {
    let count = |part: &[u8]| part.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>();
    text.as_bytes().chunks(COUNTED).map(|part| u64::from(count(part))).sum()
}
