//! Dropping a `serde_json` tree of hostile depth.

use serde_json::Value;

/// Drops a tree without recursion. The tree's own drop recurses once a level, so a deep one that came
/// from a plugin or a server would overflow the stack (contract V5).
pub fn dismantle(value: Value) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(elements) => left.extend(elements),
            Value::Object(members) => left.extend(members.into_iter().map(|(_, value)| value)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_levels_are_dropped_without_recursion() {
        let mut value = Value::Null;
        for level in 0..1_000_000 {
            value = if level % 2 == 0 {
                Value::Array(vec![value])
            } else {
                Value::Object([("k".to_owned(), value)].into_iter().collect())
            };
        }
        dismantle(value);
    }
}
