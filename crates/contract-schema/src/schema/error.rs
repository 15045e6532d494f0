//! Why the gate refuses a schema.

use std::fmt;

use super::pointer;

/// Most refusals that the text of a [`SchemaError`] lists.
const MAX_LISTED: usize = 50;

/// One place in a schema document that the supported subset does not cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// JSON pointer into the schema document.
    pub path: String,
    /// What is wrong there, without the path.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", pointer::shown(&self.path), self.reason)
    }
}

/// A schema outside the supported subset, with every offending place (contract D3).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SchemaError {
    refusals: Vec<Refusal>,
}

impl SchemaError {
    pub(crate) fn new(refusals: Vec<Refusal>) -> Self {
        Self { refusals }
    }

    pub(crate) fn at_root(reason: impl Into<String>) -> Self {
        Self::new(vec![Refusal { path: String::new(), reason: reason.into() }])
    }

    /// Every offending place, in document order. Never empty.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }
}

/// One line a refusal; at most fifty, the rest counted.
impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, refusal) in self.refusals.iter().take(MAX_LISTED).enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{refusal}")?;
        }
        match self.refusals.len().saturating_sub(MAX_LISTED) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}
