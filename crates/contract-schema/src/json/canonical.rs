//! `Canonical`: a document that passed a schema.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::document::Json;
use super::typed::DecodeError;
use super::view::JsonRef;

/// Immutable JSON that passed its schema: the one form in which arguments and results travel past
/// validation (contract V3, P2). Only [`Schema::canonicalize`](crate::Schema::canonicalize) makes one.
#[derive(Clone, PartialEq)]
pub struct Canonical {
    json: Json,
}

impl Canonical {
    /// For the validator alone: states that `json` passed.
    pub(crate) fn new_validated(json: Json) -> Self {
        Self { json }
    }

    /// The document.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// The document, given up as validated.
    #[must_use]
    pub fn into_json(self) -> Json {
        self.json
    }

    /// A view of the whole document.
    #[must_use]
    pub fn root(&self) -> JsonRef<'_> {
        self.json.root()
    }

    /// Reads the document into a Rust type, as [`Json::to_typed`] does.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] when the type does not accept the document.
    pub fn to_typed<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        self.json.to_typed()
    }
}

impl fmt::Debug for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.json, f)
    }
}

/// Compact JSON text.
impl fmt::Display for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.json, f)
    }
}

impl Serialize for Canonical {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}
