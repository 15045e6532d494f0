//! The tape: the flat form every document has in memory.

/// What a token is. The discriminants are internal and never leave the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum TokenKind {
    Null,
    False,
    True,
    /// `data` is the `u64`.
    Unsigned,
    /// `data` is the bits of a negative `i64`.
    Negative,
    /// `data` is the bits of a finite `f64` that is not negative zero.
    Float,
    /// `data` is the byte offset into the text, `len` the byte length.
    String,
    /// `data` is the index after the last descendant, `len` the number of elements.
    Array,
    /// `data` is the index after the last descendant, `len` the number of members.
    Object,
}

/// One value. A member of an object carries the id of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    key_and_kind: u32,
    pub(crate) len: u32,
    pub(crate) data: u64,
}

/// Number of distinct keys that fit the 24 bits of a token's key id.
pub(crate) const MAX_KEYS: usize = 1 << 24;

impl Token {
    pub(crate) fn new(kind: TokenKind, key: u32, len: u32, data: u64) -> Self {
        Self { key_and_kind: key << 8 | kind as u32, len, data }
    }

    #[inline]
    pub(crate) fn kind(self) -> TokenKind {
        match self.key_and_kind & 0xff {
            0 => TokenKind::Null,
            1 => TokenKind::False,
            2 => TokenKind::True,
            3 => TokenKind::Unsigned,
            4 => TokenKind::Negative,
            5 => TokenKind::Float,
            6 => TokenKind::String,
            7 => TokenKind::Array,
            _ => TokenKind::Object,
        }
    }

    #[inline]
    pub(crate) fn key(self) -> u32 {
        self.key_and_kind >> 8
    }

    #[inline]
    pub(crate) fn is_container(self) -> bool {
        self.key_and_kind & 0xff >= TokenKind::Array as u32
    }
}

/// Where a key's text lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeySpan {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// A finished document.
///
/// Tokens, text and keys are appended in document order and keys are interned on first sight, so equal
/// documents have equal tapes and comparison is three slice comparisons.
#[derive(PartialEq)]
pub(crate) struct Tape {
    pub(crate) tokens: Box<[Token]>,
    pub(crate) text: Box<str>,
    pub(crate) keys: Box<[KeySpan]>,
    /// Containers open at the deepest point.
    pub(crate) depth: u32,
}

impl Tape {
    #[inline]
    pub(crate) fn text_at(&self, start: usize, len: usize) -> &str {
        self.text.get(start..start + len).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn key(&self, id: u32) -> &str {
        let span = self.keys[id as usize];
        self.text_at(span.start as usize, span.len as usize)
    }

    /// Index of the value after the one at `at`, its descendants skipped.
    #[inline]
    pub(crate) fn after(&self, at: usize) -> usize {
        let token = self.tokens[at];
        if token.is_container() { token.data as usize } else { at + 1 }
    }
}

impl Tape {
    pub(crate) fn string_of(&self, token: Token) -> &str {
        self.text_at(token.data as usize, token.len as usize)
    }
}

const _: () = assert!(size_of::<Token>() == 16, "a value costs sixteen bytes");
