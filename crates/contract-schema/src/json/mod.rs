//! Lossless JSON: one immutable document form, made from Rust values or from text, never rounded or repaired.
//!
//! [`Json`] is a document that survives a write and a read unchanged (contract V1). [`Canonical`] is a
//! [`Json`] that also passed a schema. Both are one shared tape: sixteen bytes a value, one buffer for
//! all text and one table of keys, so that clone, drop and comparison never recurse (contract V3, V5).

mod builder;
mod canonical;
mod dismantle;
mod document;
mod meta;
mod path;
mod read;
mod snapshot;
mod tape;
mod typed;
mod view;
mod write;

pub use canonical::Canonical;
pub use dismantle::dismantle;
pub use document::Json;
pub use meta::Meta;
pub use read::{ReadError, ReadFault};
pub use snapshot::{SnapshotError, SnapshotFault};
pub use typed::DecodeError;
pub use view::{Elements, JsonKind, JsonRef, Members, Number};

/// Deepest nesting of containers a document may have: what the standard reader takes back (contract V1).
pub const MAX_DEPTH: usize = 127;
