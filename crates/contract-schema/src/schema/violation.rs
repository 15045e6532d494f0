//! Where a document breaks its schema.

use std::fmt;

use super::pointer;
use crate::json::JsonKind;

/// Most violations that are shown; the rest is counted (decisions DG7).
pub const MAX_SHOWN_VIOLATIONS: usize = 5;

/// One place where a document breaks its schema. It never holds a value; the only text from the
/// document is the names of properties, long ones cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the place. For a property that should not be there, the property itself; for one
    /// that is missing, the object.
    pub path: String,
    /// The keyword of the schema that is broken.
    pub keyword: String,
    /// What the schema wants there, as a short phrase.
    pub expected: String,
    /// Kind of the value that is there.
    pub found: JsonKind,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, expected) = (pointer::shown(&self.path), &self.expected);
        match self.keyword.as_str() {
            "required" | "dependentRequired" | "dependencies" => {
                write!(f, "{place}: {expected} is missing")
            }
            "additionalProperties" | "unevaluatedProperties" | "propertyNames" => {
                write!(f, "{place}: {expected}")
            }
            _ => write!(f, "{place}: expected {expected}, found {}", self.found),
        }
    }
}

/// Everything that is wrong with a document: the first violations in document order, the rest counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Violations {
    shown: Vec<Violation>,
    total: usize,
    is_complete: bool,
}

impl Violations {
    pub(crate) fn one(violation: Violation) -> Self {
        Self { shown: vec![violation], total: 1, is_complete: true }
    }

    /// The first [`MAX_SHOWN_VIOLATIONS`] of `total`. Not complete: the search stopped before the
    /// document's end.
    pub(crate) fn new(shown: Vec<Violation>, total: usize, is_complete: bool) -> Self {
        Self { shown, total, is_complete }
    }

    /// The first violations in document order, at most [`MAX_SHOWN_VIOLATIONS`]; never empty.
    #[must_use]
    pub fn shown(&self) -> &[Violation] {
        &self.shown
    }

    /// How many violations were found.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }

    /// Whether the whole document was searched. A very large one is searched up to a bound.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// One line a violation, then how many more there are.
impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, violation) in self.shown.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{violation}")?;
        }
        match (self.total - self.shown.len(), self.is_complete) {
            (0, true) => Ok(()),
            (0, false) => f.write_str("\nand possibly more"),
            (more, true) => write!(f, "\nand {more} more"),
            (more, false) => write!(f, "\nand at least {more} more"),
        }
    }
}
