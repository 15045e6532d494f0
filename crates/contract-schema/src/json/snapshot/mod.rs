//! Snapshot: one pass from a Rust value straight onto the tape (contract V1, V2).

use std::cell::Cell;

use serde::Serialize;

use super::MAX_DEPTH;
use super::builder::{Builder, Refusal};
use super::path::shown;
use super::tape::Tape;

mod key;
mod serializer;

/// Why a Rust value has no lossless JSON form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotFault {
    /// NaN or an infinity.
    #[error("a number that is not finite (NaN or an infinity)")]
    NotFinite,
    /// Negative zero, which many readers turn into zero.
    #[error("negative zero")]
    NegativeZero,
    /// An integer that neither `i64` nor `u64` holds.
    #[error("an integer outside the range of i64 and u64")]
    IntegerOutOfRange,
    /// A map key that is not a string.
    #[error("a map key that is {0}, not a string")]
    KeyNotString(&'static str),
    /// The same key twice in one object.
    #[error("a key that occurs twice in one object")]
    DuplicateKey,
    /// More than [`MAX_DEPTH`] containers inside one another, or a type that wraps itself without end.
    #[error("nesting deeper than {MAX_DEPTH} containers")]
    TooDeep,
    /// A type that bypasses serde's data model (`RawValue`, arbitrary-precision numbers).
    #[error("a value of type {0}, which cannot be checked")]
    Unchecked(&'static str),
    /// More text, keys or values than a document holds: 4 GiB of text, 2^24 distinct keys, 2^32 values
    /// in one container.
    #[error("more than a document holds: {0}")]
    TooLarge(&'static str),
    /// The type's own `Serialize` failed, or called the serializer out of order.
    #[error("an error from its Serialize implementation: {0}")]
    Custom(String),
}

/// A Rust value that has no lossless JSON form, and where in it the first offender stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault} at {}", shown(path))]
pub struct SnapshotError {
    path: String,
    fault: SnapshotFault,
}

impl SnapshotError {
    /// JSON pointer to the first offender; empty for the value itself.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong there.
    #[must_use]
    pub fn fault(&self) -> &SnapshotFault {
        &self.fault
    }
}

impl From<Refusal> for SnapshotFault {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooDeep => Self::TooDeep,
            Refusal::DuplicateKey => Self::DuplicateKey,
            Refusal::NotFinite => Self::NotFinite,
            Refusal::NegativeZero => Self::NegativeZero,
            Refusal::TooManyKeys => Self::TooLarge("distinct keys"),
            Refusal::TooMuchText => Self::TooLarge("text"),
            Refusal::TooManyValues => Self::TooLarge("values in one container"),
        }
    }
}

thread_local! {
    /// The thread's builder; absent while a snapshot runs, so a nested snapshot makes its own.
    static BUILDER: Cell<Option<Box<Builder>>> = const { Cell::new(None) };
}

/// Runs `fill` on the thread's builder and returns the finished tape.
pub(crate) fn with_builder<E>(fill: impl FnOnce(&mut Builder) -> Result<(), E>) -> Result<Tape, E> {
    let mut builder = BUILDER.take().unwrap_or_else(|| Box::new(Builder::new()));
    builder.reset();
    let result = fill(&mut builder).map(|()| builder.finish());
    BUILDER.set(Some(builder));
    result
}

pub(crate) fn snapshot<T: Serialize + ?Sized>(value: &T) -> Result<Tape, SnapshotError> {
    with_builder(|builder| serializer::write(value, builder))
}
