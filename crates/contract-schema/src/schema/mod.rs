//! Schemas: the gate that judges a document, the validator behind it, derivation from Rust types.
//!
//! [`Schema::compile`] refuses what the supported subset does not cover, every place at once; what it
//! accepts is enforced to the letter (contract D3, D4). [`KEYWORDS`] is the subset. [`output_schema`] and
//! [`argument_schema`] derive documents from types; [`crate::typescript::typescript`] declares them.
//!
//! Decisions where the contract leaves room:
//! - `$ref` may point at any schema of the document, not only into `$defs`, `definitions` and the root.
//! - `dependencies` is accepted in both drafts, and so are both names for definitions: the validator
//!   enforces them, and 2020-12 documents in use have them.
//! - `if` alone is refused unless something in the document asks which members it looked at.
//! - A document may nest as deep as a value, and what applies to one and the same value is bounded by
//!   [`MAX_IN_PLACE_DEPTH`] and [`MAX_IN_PLACE_APPLICATIONS`].
//! - A document has at most [`MAX_SUBSCHEMAS`] subschemas, [`MAX_PATTERNS`] patterns and
//!   [`MAX_PATTERN_BYTES`] of their text: building the validator costs far more than reading the document.

mod compiled;
mod derive;
mod draft;
mod enforced;
mod equality;
mod error;
mod expected;
mod explain;
mod gate;
mod keyword;
mod nearest;
mod node;
mod pattern;
mod places;
mod pointer;
mod reference;
mod unexpected;
mod union;
mod violation;
mod walk;

pub use compiled::Schema;
pub use derive::{argument_schema, output_schema};
pub use draft::Draft;
pub use error::{Refusal, SchemaError};
pub use gate::{
    MAX_IN_PLACE_APPLICATIONS, MAX_IN_PLACE_DEPTH, MAX_PATTERN_BYTES, MAX_PATTERNS, MAX_SUBSCHEMAS,
};
pub use keyword::{Drafts, KEYWORDS, Keyword, Role};
pub use nearest::nearest;
pub use pattern::{PATTERN_BACKTRACK_LIMIT, PATTERN_SIZE_LIMIT_BYTES};
pub(crate) use reference::pointer_of;
pub use violation::{MAX_SHOWN_VIOLATIONS, Violation, Violations};
