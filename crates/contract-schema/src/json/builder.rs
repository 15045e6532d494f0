//! Builds a tape one event at a time and refuses whatever would not survive a write and a read.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::HashTable;

use super::MAX_DEPTH;
use super::path::{push_index, push_key};
use super::tape::{KeySpan, MAX_KEYS, Tape, Token, TokenKind};

/// Slots of the address cache for field names: more than the fields of common types, less than a page.
const NAME_SLOTS: usize = 64;
/// Above this many elements a buffer grows by a quarter instead of doubling, to keep the peak low.
const GENTLE_GROWTH: usize = 1 << 16;
/// A length hint is believed up to this many elements (64 MiB of tokens): a wrong one costs address space.
const TRUSTED_HINT: usize = 1 << 22;
/// Buffers up to these sizes stay with the thread for the next document.
const KEPT_TOKENS: usize = 1 << 16;
const KEPT_TEXT: usize = 1 << 20;
/// Objects up to this many members are checked for duplicate keys without sorting.
const SMALL_OBJECT: usize = 12;

/// Why a document cannot be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    TooDeep,
    DuplicateKey,
    NotFinite,
    NegativeZero,
    TooManyKeys,
    TooMuchText,
    TooManyValues,
}

/// A container that is still open.
struct Open {
    at: usize,
    count: usize,
    is_object: bool,
}

/// The one place where tokens are written.
pub(crate) struct Builder {
    tokens: Vec<Token>,
    text: String,
    keys: Vec<KeySpan>,
    key_ids: HashTable<u32>,
    hasher: RandomState,
    /// (address, length, id) of field names seen in this document.
    names: [(usize, usize, u32); NAME_SLOTS],
    open: Vec<Open>,
    depth: usize,
    pending_key: Option<u32>,
    scratch: Vec<u32>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            tokens: Vec::new(),
            text: String::new(),
            keys: Vec::new(),
            key_ids: HashTable::new(),
            hasher: RandomState::new(),
            names: [(0, 0, 0); NAME_SLOTS],
            open: Vec::new(),
            depth: 0,
            pending_key: None,
            scratch: Vec::new(),
        }
    }

    /// Makes the builder ready for the next document.
    pub(crate) fn reset(&mut self) {
        self.tokens.clear();
        self.text.clear();
        self.keys.clear();
        self.key_ids.clear();
        self.names = [(0, 0, 0); NAME_SLOTS];
        self.open.clear();
        self.depth = 0;
        self.pending_key = None;
        self.tokens.shrink_to(KEPT_TOKENS);
        self.text.shrink_to(KEPT_TEXT);
        self.keys.shrink_to(KEPT_TOKENS);
        if self.key_ids.capacity() > KEPT_TOKENS {
            self.key_ids = HashTable::new();
        }
        self.scratch = Vec::new();
    }

    /// Whether the innermost open container is an object; `None` at the top level.
    pub(crate) fn in_object(&self) -> Option<bool> {
        self.open.last().map(|open| open.is_object)
    }

    /// The id of the key whose value is still to come.
    pub(crate) fn pending_key(&self) -> Option<u32> {
        self.pending_key
    }

    pub(crate) fn has_pending_key(&self) -> bool {
        self.pending_key.is_some()
    }

    #[inline]
    fn push(&mut self, kind: TokenKind, len: u32, data: u64) {
        let key = self.pending_key.take().unwrap_or_default();
        if let Some(open) = self.open.last_mut() {
            open.count += 1;
        }
        if self.tokens.len() == self.tokens.capacity() {
            grow(&mut self.tokens, 1);
        }
        self.tokens.push(Token::new(kind, key, len, data));
    }

    pub(crate) fn null(&mut self) {
        self.push(TokenKind::Null, 0, 0);
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.push(if value { TokenKind::True } else { TokenKind::False }, 0, 0);
    }

    #[inline]
    pub(crate) fn unsigned(&mut self, value: u64) {
        self.push(TokenKind::Unsigned, 0, value);
    }

    #[inline]
    pub(crate) fn signed(&mut self, value: i64) {
        let kind = if value < 0 { TokenKind::Negative } else { TokenKind::Unsigned };
        self.push(kind, 0, value.cast_unsigned());
    }

    pub(crate) fn float(&mut self, value: f64) -> Result<(), Refusal> {
        if !value.is_finite() {
            return Err(Refusal::NotFinite);
        }
        if value == 0.0 && value.is_sign_negative() {
            return Err(Refusal::NegativeZero);
        }
        self.push(TokenKind::Float, 0, value.to_bits());
        Ok(())
    }

    #[inline]
    pub(crate) fn string(&mut self, value: &str) -> Result<(), Refusal> {
        let start = self.append(value)?;
        self.push(TokenKind::String, value.len() as u32, u64::from(start));
        Ok(())
    }

    /// Appends to the text; the offset of what was appended.
    #[inline]
    fn append(&mut self, value: &str) -> Result<u32, Refusal> {
        let start = self.text.len();
        if start + value.len() > u32::MAX as usize {
            return Err(Refusal::TooMuchText);
        }
        let free = self.text.capacity() - start;
        if free < value.len() && start > GENTLE_GROWTH * size_of::<Token>() {
            self.text.reserve_exact(value.len().max(start / 4));
        }
        self.text.push_str(value);
        Ok(start as u32)
    }

    /// Opens a container. `expected` is a hint of its length, used only to size the buffer.
    pub(crate) fn begin(&mut self, is_object: bool, expected: usize) -> Result<(), Refusal> {
        if self.open.len() == MAX_DEPTH {
            return Err(Refusal::TooDeep);
        }
        let at = self.tokens.len();
        self.push(if is_object { TokenKind::Object } else { TokenKind::Array }, 0, 0);
        self.open.push(Open { at, count: 0, is_object });
        self.depth = self.depth.max(self.open.len());
        if expected > self.tokens.capacity() - self.tokens.len() {
            grow(&mut self.tokens, expected.min(TRUSTED_HINT));
        }
        Ok(())
    }

    /// Closes the innermost container.
    pub(crate) fn end(&mut self) -> Result<(), Refusal> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let (at, count, is_object) = (open.at, open.count, open.is_object);
        let Ok(len) = u32::try_from(count) else { return Err(Refusal::TooManyValues) };
        if is_object && count > 1 {
            self.check_keys(at)?;
        }
        self.open.pop();
        let token = self.tokens[at];
        self.tokens[at] = Token::new(token.kind(), token.key(), len, self.tokens.len() as u64);
        Ok(())
    }

    /// Refuses a key that occurs twice; the second occurrence becomes the pending key, so that the path
    /// of the error names it. Keys are interned, so equal ids mean equal keys.
    fn check_keys(&mut self, at: usize) -> Result<(), Refusal> {
        self.scratch.clear();
        let mut child = at + 1;
        while child < self.tokens.len() {
            let token = self.tokens[child];
            self.scratch.push(token.key());
            child = if token.is_container() { token.data as usize } else { child + 1 };
        }
        let repeated = if self.scratch.len() <= SMALL_OBJECT {
            (1..self.scratch.len())
                .find(|&i| self.scratch[..i].contains(&self.scratch[i]))
                .map(|i| self.scratch[i])
        } else {
            self.scratch.sort_unstable();
            self.scratch.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
        };
        match repeated {
            None => Ok(()),
            Some(key) => {
                self.pending_key = Some(key);
                Err(Refusal::DuplicateKey)
            }
        }
    }

    /// The key of the next value, by the address of a field name that lives as long as the program.
    #[inline]
    pub(crate) fn name(&mut self, name: &'static str) -> Result<(), Refusal> {
        let (address, len) = (name.as_ptr() as usize, name.len());
        let slot = (address ^ address >> 6 ^ len) % NAME_SLOTS;
        let (seen_address, seen_len, id) = self.names[slot];
        if seen_address == address && seen_len == len {
            self.pending_key = Some(id);
            return Ok(());
        }
        self.key(name)?;
        if let Some(id) = self.pending_key {
            self.names[slot] = (address, len, id);
        }
        Ok(())
    }

    /// The key of the next value.
    pub(crate) fn key(&mut self, key: &str) -> Result<(), Refusal> {
        let hash = self.hasher.hash_one(key);
        let found = self.key_ids.find(hash, |&id| self.key_text(id) == key).copied();
        let id = match found {
            Some(id) => id,
            None => self.intern(key, hash)?,
        };
        self.pending_key = Some(id);
        Ok(())
    }

    fn intern(&mut self, key: &str, hash: u64) -> Result<u32, Refusal> {
        if self.keys.len() == MAX_KEYS {
            return Err(Refusal::TooManyKeys);
        }
        let start = self.append(key)?;
        let id = self.keys.len() as u32;
        self.keys.push(KeySpan { start, len: key.len() as u32 });
        let (text, keys, hasher) = (&self.text, &self.keys, &self.hasher);
        self.key_ids.insert_unique(hash, id, |&id| hasher.hash_one(span_text(text, keys, id)));
        Ok(id)
    }

    fn key_text(&self, id: u32) -> &str {
        span_text(&self.text, &self.keys, id)
    }

    /// Where the next value would stand, from the open containers; computed only when something fails.
    pub(crate) fn path(&self) -> String {
        let mut pointer = String::new();
        for (level, open) in self.open.iter().enumerate() {
            let inner = self.open.get(level + 1);
            match (open.is_object, inner) {
                (true, Some(inner)) => {
                    push_key(&mut pointer, self.key_text(self.tokens[inner.at].key()));
                }
                (true, None) => {
                    if let Some(key) = self.pending_key {
                        push_key(&mut pointer, self.key_text(key));
                    }
                }
                (false, Some(_)) => push_index(&mut pointer, open.count - 1),
                (false, None) => push_index(&mut pointer, open.count),
            }
        }
        pointer
    }

    /// The finished tape. A small document is copied out exactly, so that the buffers serve the next
    /// one; a large document takes the buffers with it.
    pub(crate) fn finish(&mut self) -> Tape {
        let depth = self.depth as u32;
        let small = self.tokens.len() <= KEPT_TOKENS && self.text.len() <= KEPT_TEXT;
        if small {
            return Tape {
                tokens: self.tokens.as_slice().into(),
                text: self.text.as_str().into(),
                keys: self.keys.as_slice().into(),
                depth,
            };
        }
        Tape {
            tokens: std::mem::take(&mut self.tokens).into_boxed_slice(),
            text: std::mem::take(&mut self.text).into_boxed_str(),
            keys: std::mem::take(&mut self.keys).into_boxed_slice(),
            depth,
        }
    }
}

fn grow(tokens: &mut Vec<Token>, needed: usize) {
    let len = tokens.len();
    if len < GENTLE_GROWTH && needed < GENTLE_GROWTH {
        tokens.reserve(needed);
    } else {
        tokens.reserve_exact(needed.max(len / 4));
    }
}

fn span_text<'a>(text: &'a str, keys: &[KeySpan], id: u32) -> &'a str {
    let span = keys[id as usize];
    let start = span.start as usize;
    text.get(start..start + span.len as usize).unwrap_or_default()
}
