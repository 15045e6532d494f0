//! How many patterns a document may have.

use serde_json::{Map, Value};

use super::positions::Positions;
use crate::schema::error::{Refusal, SchemaError};
use crate::schema::pointer;

/// Most patterns of one document: values of `pattern` and names of `patternProperties`.
pub const MAX_PATTERNS: usize = 256;
/// Most bytes that the patterns of one document may have together, as text.
pub const MAX_PATTERN_BYTES: usize = 64 << 10;

/// Refuses the first pattern beyond the limits, before any of them is compiled.
pub(super) fn check(positions: &Positions<'_>) -> Result<(), SchemaError> {
    let (mut count, mut bytes) = (0, 0);
    for at in 0..positions.len() {
        for (text, keyword) in patterns(positions.value(at)) {
            count += 1;
            bytes += text.len();
            let reason = if count > MAX_PATTERNS {
                format!("more than {MAX_PATTERNS} patterns in one schema")
            } else if bytes > MAX_PATTERN_BYTES {
                format!("more than {MAX_PATTERN_BYTES} bytes of patterns in one schema")
            } else {
                continue;
            };
            let mut path = positions.pointer(at);
            pointer::push(&mut path, keyword);
            if keyword == "patternProperties" {
                pointer::push(&mut path, text);
            }
            return Err(SchemaError::new(vec![Refusal { path, reason }]));
        }
    }
    Ok(())
}

/// The patterns that one schema has itself, each with its keyword.
fn patterns(schema: &Value) -> impl Iterator<Item = (&str, &'static str)> {
    let own = schema.get("pattern").and_then(Value::as_str);
    let named = schema.get("patternProperties").and_then(Value::as_object);
    let names = named.into_iter().flat_map(Map::keys);
    let own = own.into_iter().map(|text| (text, "pattern"));
    own.chain(names.map(|name| (name.as_str(), "patternProperties")))
}
