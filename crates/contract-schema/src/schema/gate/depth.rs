//! How deep a document nests, without recursion.

use serde_json::Value;

use crate::json::MAX_DEPTH;
use crate::schema::error::SchemaError;

enum Children<'a> {
    Elements(std::slice::Iter<'a, Value>),
    Members(serde_json::map::Values<'a>),
}

impl<'a> Children<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Array(elements) => Some(Self::Elements(elements.iter())),
            Value::Object(members) => Some(Self::Members(members.values())),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }

    fn next(&mut self) -> Option<&'a Value> {
        match self {
            Self::Elements(elements) => elements.next(),
            Self::Members(members) => members.next(),
        }
    }
}

/// Containers open at the deepest point, or a refusal beyond the limit that values have too (V1, V5).
pub(super) fn measure(document: &Value) -> Result<u32, SchemaError> {
    let mut open: Vec<Children<'_>> = Children::of(document).into_iter().collect();
    let mut deepest = open.len();
    while let Some(children) = open.last_mut() {
        let Some(child) = children.next() else {
            open.pop();
            continue;
        };
        if let Some(children) = Children::of(child) {
            open.push(children);
            deepest = deepest.max(open.len());
            if deepest > MAX_DEPTH {
                let reason = format!("nests deeper than {MAX_DEPTH} containers");
                return Err(SchemaError::at_root(reason));
            }
        }
    }
    Ok(deepest as u32)
}
