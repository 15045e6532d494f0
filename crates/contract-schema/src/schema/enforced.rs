//! What the validator gets to see of a schema: the enforced keywords and nothing else.
//!
//! Annotations are left out because the validator would assert some of them (`format` and `content*` in
//! draft-07, `$id` as a base for references).

use serde_json::{Map, Value};

use super::keyword::{Role, Shape, keyword};
use super::reference;

/// A copy of an accepted schema without annotations, its references as URIs. Every schema keeps its pointer.
/// Recursion is bounded by the depth that the gate allows.
pub(crate) fn enforced(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else { return schema.clone() };
    let mut kept = Map::new();
    for (name, value) in members {
        let Some(row) = keyword(name).filter(|row| row.role == Role::Enforced) else { continue };
        kept.insert(name.clone(), enforced_value(row.shape, value));
    }
    Value::Object(kept)
}

fn enforced_value(shape: Shape, value: &Value) -> Value {
    match (shape, value) {
        (Shape::Schema(_) | Shape::Items, Value::Object(_)) => enforced(value),
        (Shape::Schemas(_) | Shape::Items, Value::Array(elements)) => {
            elements.iter().map(enforced).collect()
        }
        (Shape::SchemaMap(_) | Shape::PatternMap | Shape::Dependencies, Value::Object(members)) => {
            let copy = |(name, value): (&String, &Value)| (name.clone(), enforced(value));
            Value::Object(members.iter().map(copy).collect())
        }
        (Shape::Reference, Value::String(text)) => Value::from(reference::encoded(text)),
        _ => value.clone(),
    }
}
