//! The gate: judges a schema document before anything else touches it (contract D3, D4).
//!
//! Nothing here recurses, so that a hostile document costs time and memory in proportion to its size
//! and never the stack.

mod depth;
mod expansion;
mod keywords;
mod patterns;
mod placement;
mod positions;
mod value;

use serde_json::Value;

use self::positions::Positions;
use super::draft::Draft;
use super::error::{Refusal, SchemaError};

pub use self::expansion::{MAX_IN_PLACE_APPLICATIONS, MAX_IN_PLACE_DEPTH};
pub use self::patterns::{MAX_PATTERN_BYTES, MAX_PATTERNS};
pub use self::positions::MAX_SUBSCHEMAS;

/// What the gate learned about a document it accepts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) draft: Draft,
    /// Containers open at the deepest point of the document.
    pub(crate) depth: u32,
    /// Longest chain of subschemas applied to one and the same value.
    pub(crate) in_place_depth: u32,
    /// Whether any pattern is matched.
    pub(crate) has_patterns: bool,
}

/// Judges `document`: facts, or every offending place at once.
pub(crate) fn check(document: &Value) -> Result<Facts, SchemaError> {
    let depth = depth::measure(document)?;
    let draft = Draft::of(document).map_err(|reason| {
        SchemaError::new(vec![Refusal { path: "/$schema".to_owned(), reason }])
    })?;
    let positions = Positions::collect(document, draft)?;
    patterns::check(&positions)?;
    let mut report = Report::default();
    for at in 0..positions.len() {
        keywords::check(&positions, at, &mut report);
    }
    let in_place_depth = expansion::check(&positions, &mut report);
    report.into_result(&positions)?;
    let has_patterns = positions.any_keyword(&["pattern", "patternProperties"]);
    Ok(Facts { draft, depth, in_place_depth, has_patterns })
}

/// Refusals while they are being found.
#[derive(Default)]
struct Report {
    found: Vec<(usize, String, String)>,
}

impl Report {
    /// Refuses what stands `below` (a pointer suffix, possibly empty) the position `at`.
    fn refuse(&mut self, at: usize, below: impl Into<String>, reason: impl Into<String>) {
        self.found.push((at, below.into(), reason.into()));
    }

    fn into_result(mut self, positions: &Positions<'_>) -> Result<(), SchemaError> {
        if self.found.is_empty() {
            return Ok(());
        }
        self.found.sort_by_key(|(at, _, _)| *at);
        let refusals = self.found.into_iter().map(|(at, below, reason)| {
            let path = positions.pointer(at) + &below;
            Refusal { path, reason }
        });
        Err(SchemaError::new(refusals.collect()))
    }
}
