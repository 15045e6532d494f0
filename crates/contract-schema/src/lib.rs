#![doc = include_str!("../README.md")]

pub mod content;
pub mod json;
pub mod schema;
pub mod typescript;

pub use content::{AdditionalContext, ContentBlock, ContextSource};
pub use json::{
    Canonical, DecodeError, Elements, Json, JsonKind, JsonRef, Members, Meta, Number, ReadError,
    ReadFault, SnapshotError, SnapshotFault,
};
pub use schema::{
    Draft, Refusal, Schema, SchemaError, Violation, Violations, argument_schema, nearest,
    output_schema,
};
pub use typescript::typescript;
