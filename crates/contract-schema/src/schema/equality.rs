//! Equality as JSON Schema has it: numbers by value, members in any order.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _, RandomState};

use serde_json::Value;

use crate::json::{JsonKind, JsonRef, Number};

/// Arrays up to this many elements are compared pair by pair.
const FEW: usize = 8;
/// Floats from here on are integers that may be beyond every exact comparison below.
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Whether a value of a document equals one of a schema.
pub(super) fn equals_value(value: JsonRef<'_>, expected: &Value) -> bool {
    equals_value_within(value, expected, &|_| true)
}

/// [`equals_value`], where comparing that many children is paid for and given up when that cannot be.
/// Recursion is bounded by the documents' depth.
pub(super) fn equals_value_within(
    value: JsonRef<'_>,
    expected: &Value,
    pay: &dyn Fn(usize) -> bool,
) -> bool {
    match expected {
        Value::Null => value.is_null(),
        Value::Bool(expected) => value.as_bool() == Some(*expected),
        Value::String(expected) => value.as_str() == Some(expected),
        Value::Number(expected) => {
            let expected = number_of(expected);
            value.as_number().is_some_and(|number| numbers_equal(number, expected))
        }
        Value::Array(expected) => {
            value.kind() == JsonKind::Array
                && value.len() == expected.len()
                && pay(expected.len())
                && value.elements().zip(expected).all(|(a, b)| equals_value_within(a, b, pay))
        }
        Value::Object(expected) => {
            value.kind() == JsonKind::Object
                && value.len() == expected.len()
                && pay(expected.len())
                && value.members().all(|(name, a)| {
                    expected.get(name).is_some_and(|b| equals_value_within(a, b, pay))
                })
        }
    }
}

fn number_of(number: &serde_json::Number) -> Number {
    if let Some(value) = number.as_u64() {
        Number::Unsigned(value)
    } else if let Some(value) = number.as_i64() {
        Number::Negative(value)
    } else {
        Number::Float(number.as_f64().unwrap_or(f64::NAN))
    }
}

/// The integer that a float is, where an integer of a document could equal it.
fn whole(value: f64) -> Option<Number> {
    if value.fract() != 0.0 || !(-TWO_TO_63..TWO_TO_64).contains(&value) {
        None
    } else if value < 0.0 {
        Some(Number::Negative(value as i64))
    } else {
        Some(Number::Unsigned(value as u64))
    }
}

/// One form for equal numbers.
fn normalize(number: Number) -> Number {
    match number {
        Number::Float(value) => whole(value).unwrap_or(number),
        Number::Unsigned(_) | Number::Negative(_) => number,
    }
}

fn numbers_equal(a: Number, b: Number) -> bool {
    normalize(a) == normalize(b)
}

/// Whether two values of one document are equal.
fn equals(a: JsonRef<'_>, b: JsonRef<'_>) -> bool {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return numbers_equal(a, b);
    }
    if a.kind() != b.kind() || a.len() != b.len() {
        return false;
    }
    match a.kind() {
        JsonKind::Null => true,
        JsonKind::Bool => a.as_bool() == b.as_bool(),
        JsonKind::String => a.as_str() == b.as_str(),
        JsonKind::Array => a.elements().zip(b.elements()).all(|(a, b)| equals(a, b)),
        JsonKind::Object => objects_equal(a, b),
        // Handled above.
        JsonKind::Integer | JsonKind::Number => false,
    }
}

fn objects_equal(a: JsonRef<'_>, b: JsonRef<'_>) -> bool {
    let mut sorted_a: Vec<_> = a.members().collect();
    let mut sorted_b: Vec<_> = b.members().collect();
    sorted_a.sort_unstable_by_key(|(name, _)| *name);
    sorted_b.sort_unstable_by_key(|(name, _)| *name);
    sorted_a.iter().zip(&sorted_b).all(|(a, b)| a.0 == b.0 && equals(a.1, b.1))
}

/// Whether no two elements of an array are equal.
pub(super) fn all_distinct(array: JsonRef<'_>) -> bool {
    let elements: Vec<_> = array.elements().collect();
    if elements.len() <= FEW {
        return (1..elements.len())
            .all(|i| elements[..i].iter().all(|other| !equals(*other, elements[i])));
    }
    let state = RandomState::new();
    let mut seen: HashMap<u64, Vec<JsonRef<'_>>> = HashMap::with_capacity(elements.len());
    elements.into_iter().all(|element| {
        let alike = seen.entry(fingerprint(element, &state)).or_default();
        let is_new = alike.iter().all(|other| !equals(*other, element));
        alike.push(element);
        is_new
    })
}

/// Equal for equal values.
fn fingerprint(value: JsonRef<'_>, state: &RandomState) -> u64 {
    let mut hasher = state.build_hasher();
    if let Some(number) = value.as_number() {
        match normalize(number) {
            Number::Unsigned(value) => (0_u8, value).hash(&mut hasher),
            Number::Negative(value) => (1_u8, value).hash(&mut hasher),
            Number::Float(value) => (2_u8, value.to_bits()).hash(&mut hasher),
        }
        return hasher.finish();
    }
    match value.kind() {
        JsonKind::Null | JsonKind::Integer | JsonKind::Number => 3_u8.hash(&mut hasher),
        JsonKind::Bool => (4_u8, value.as_bool()).hash(&mut hasher),
        JsonKind::String => (5_u8, value.as_str()).hash(&mut hasher),
        JsonKind::Array => {
            6_u8.hash(&mut hasher);
            for element in value.elements() {
                fingerprint(element, state).hash(&mut hasher);
            }
        }
        JsonKind::Object => {
            // A sum, because the order of the members says nothing.
            let sum = value.members().fold(0_u64, |sum, (name, value)| {
                sum.wrapping_add(state.hash_one((name, fingerprint(value, state))))
            });
            (7_u8, sum).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct(text: &str) -> bool {
        all_distinct(crate::Json::parse(text).unwrap().root())
    }

    #[test]
    fn numbers_are_equal_by_value_and_never_by_rounding() {
        assert!(!distinct("[1, 1.0]"));
        assert!(!distinct(r#"[{"a":1,"b":2},{"b":2.0,"a":1}]"#));
        assert!(distinct("[9007199254740993, 9007199254740992.0]"));
        assert!(distinct("[18446744073709551615, 18446744073709551616.0]"));
        assert!(distinct("[1, true, \"1\", null, [1], {\"a\":1}, false, 0, \"\", []]"));
        assert!(!distinct("[0,1,2,3,4,5,6,7,8,9,[1.0],[1]]"));
    }

    #[test]
    fn a_schema_value_is_compared_without_a_copy() {
        let json = crate::Json::parse(r#"{"a":[1,2.5,null],"b":"x"}"#).unwrap();
        let equal = serde_json::json!({"b": "x", "a": [1.0, 2.5, null]});
        assert!(equals_value(json.root(), &equal));
        let other = serde_json::json!({"b": "x", "a": [1.0, 2.5, null, 1]});
        assert!(!equals_value(json.root(), &other));
    }
}
