//! Which draft a document is written in.

use serde_json::Value;

/// A draft of JSON Schema that the gate knows (contract D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Draft {
    /// draft-07.
    Draft7,
    /// 2020-12, also the draft of a document without `$schema`.
    Draft202012,
}

impl Draft {
    /// The draft's usual name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft7 => "draft-07",
            Self::Draft202012 => "2020-12",
        }
    }

    /// The validator's name for it.
    pub(crate) fn engine(self) -> jsonschema::Draft {
        match self {
            Self::Draft7 => jsonschema::Draft::Draft7,
            Self::Draft202012 => jsonschema::Draft::Draft202012,
        }
    }

    /// The draft of a document, or what is wrong with its `$schema`.
    pub(crate) fn of(document: &Value) -> Result<Self, String> {
        let Some(declared) = document.get("$schema") else { return Ok(Self::Draft202012) };
        let Some(uri) = declared.as_str() else { return Err("must be a string".to_owned()) };
        let bare = uri.trim_end_matches('#');
        let bare = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://"));
        match bare {
            Some("json-schema.org/draft-07/schema") => Ok(Self::Draft7),
            Some("json-schema.org/draft/2020-12/schema") => Ok(Self::Draft202012),
            Some(_) | None => Err("only draft-07 and 2020-12 are supported".to_owned()),
        }
    }
}

impl std::fmt::Display for Draft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
