//! Patterns: which engine matches them, within which limits.

use jsonschema::PatternOptions;
use serde_json::json;

use super::draft::Draft;
use super::node::TapeJson;

/// Steps back that one match may take; beyond it the match counts as undecided and the value is
/// refused (contract D4). Patterns without look-around and back-references never step back.
pub const PATTERN_BACKTRACK_LIMIT: usize = 100_000;
/// Bytes that one compiled pattern may take.
pub const PATTERN_SIZE_LIMIT_BYTES: usize = 1 << 20;

/// The limits, for every validator of this crate.
pub(crate) fn options() -> PatternOptions<jsonschema::FancyRegex> {
    PatternOptions::fancy_regex()
        .backtrack_limit(PATTERN_BACKTRACK_LIMIT)
        .size_limit(PATTERN_SIZE_LIMIT_BYTES)
        .dfa_size_limit(PATTERN_SIZE_LIMIT_BYTES)
}

/// Whether the validator can compile `pattern` within its limits.
pub(crate) fn compiles(pattern: &str, draft: Draft) -> bool {
    jsonschema::options_for::<TapeJson>()
        .with_draft(draft.engine())
        .with_pattern_options(options())
        .build(&json!({ "pattern": pattern }))
        .is_ok()
}
