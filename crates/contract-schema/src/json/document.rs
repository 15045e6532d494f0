//! `Json`: one lossless document.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::read::{self, ReadError};
use super::snapshot::{self, SnapshotError};
use super::tape::Tape;
use super::typed::{self, DecodeError};
use super::view::JsonRef;

/// One lossless JSON document: immutable, shared, cheap to clone (contract V1 to V3).
///
/// It says nothing about a schema; a [`Canonical`](super::Canonical) does. Equality is exact: same values in
/// the same number form, same keys in the same order.
#[derive(Clone)]
pub struct Json {
    tape: Arc<Tape>,
}

impl Json {
    /// Takes a snapshot of a Rust value in one pass, without an intermediate tree.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`] names the first place that would not survive a write and a read: NaN, an
    /// infinity, negative zero, an integer outside `i64` and `u64`, a key that is no string or occurs
    /// twice, nesting deeper than [`MAX_DEPTH`](super::MAX_DEPTH). Nothing is rounded or dropped.
    pub fn snapshot<T: Serialize + ?Sized>(value: &T) -> Result<Self, SnapshotError> {
        snapshot::snapshot(value).map(Self::from_tape)
    }

    /// Reads JSON text under the same rule as [`Json::snapshot`].
    ///
    /// # Errors
    ///
    /// [`ReadError`] gives line, column and byte offset. Besides text that is not JSON it refuses an
    /// integer token outside `i64` and `u64`, a number too large for a float, a float token equal to
    /// negative zero, a duplicate key and a lone surrogate. The integer token `-0` is zero.
    pub fn parse(text: &str) -> Result<Self, ReadError> {
        read::read(text).map(Self::from_tape)
    }

    /// [`Json::parse`] of bytes that should be UTF-8.
    ///
    /// # Errors
    ///
    /// As [`Json::parse`], and for bytes that are not UTF-8.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse(text),
            Err(error) => Err(ReadError::not_utf8(bytes, error.valid_up_to())),
        }
    }

    fn from_tape(tape: Tape) -> Self {
        Self { tape: Arc::new(tape) }
    }

    /// A view of the whole document.
    #[must_use]
    pub fn root(&self) -> JsonRef<'_> {
        JsonRef::new(&self.tape, 0)
    }

    /// Containers open at the deepest point; 0 for a scalar.
    #[must_use]
    pub fn max_depth(&self) -> u32 {
        self.tape.depth
    }

    /// Bytes the document keeps in memory, for budgets and caches.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.tape.tokens) + self.tape.text.len() + size_of_val(&*self.tape.keys)
    }

    /// A copy as a `serde_json` tree, for libraries that want one.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        self.root().to_value()
    }

    /// Reads the document into a Rust type. An integral float in an integer field is read as the
    /// integer (contract P2).
    ///
    /// # Errors
    ///
    /// [`DecodeError`] with the place and the reason, when the type does not accept the document.
    pub fn to_typed<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        typed::decode(self.root())
    }

    /// Whether both are the same shared document, without looking at the content.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tape, &other.tape)
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.tape == other.tape
    }
}

impl Default for Json {
    /// `null`.
    fn default() -> Self {
        let null = snapshot::with_builder::<std::convert::Infallible>(|builder| {
            builder.null();
            Ok(())
        });
        match null {
            Ok(tape) => Self::from_tape(tape),
        }
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.root(), f)
    }
}

/// Compact JSON text.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.root(), f)
    }
}

impl Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.root().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Json {
    /// Through [`Json::snapshot`], so whatever the format lets through is checked again. What a format
    /// already dropped (a duplicate key, say) can no longer be seen here.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Self::snapshot(&value).map_err(serde::de::Error::custom)
    }
}
