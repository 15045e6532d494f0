//! JSON as rules compare it: numbers by value, however they are spelled.

use contract_schema::{Json, JsonKind, JsonRef, Number};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

/// 2^64: integers as whole floats are written as integers below it.
const INTEGER_LIMIT: f64 = 18_446_744_073_709_551_616.0;

/// The JSON text with every whole number as an integer: `7.0` and `70e-1` are `7`.
pub(super) fn by_value(value: JsonRef<'_>) -> String {
    serde_json::to_string(&ByValue(value)).unwrap_or_else(|_| value.to_string())
}

/// The same of a pattern, if it is JSON.
pub(super) fn pattern_by_value(pattern: &str) -> Option<String> {
    Json::parse(pattern).ok().map(|json| by_value(json.root()))
}

struct ByValue<'a>(JsonRef<'a>);

impl Serialize for ByValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.kind() {
            JsonKind::Number => match self.0.as_number() {
                Some(Number::Float(value)) => float(value, serializer),
                Some(Number::Unsigned(_) | Number::Negative(_)) | None => {
                    self.0.serialize(serializer)
                }
            },
            JsonKind::Array => {
                let mut list = serializer.serialize_seq(Some(self.0.len()))?;
                for element in self.0.elements() {
                    list.serialize_element(&ByValue(element))?;
                }
                list.end()
            }
            JsonKind::Object => {
                let mut map = serializer.serialize_map(Some(self.0.len()))?;
                for (key, value) in self.0.members() {
                    map.serialize_entry(key, &ByValue(value))?;
                }
                map.end()
            }
            JsonKind::Null | JsonKind::Bool | JsonKind::Integer | JsonKind::String => {
                self.0.serialize(serializer)
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^64")]
fn float<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() != 0.0 || value.abs() >= INTEGER_LIMIT {
        return serializer.serialize_f64(value);
    }
    let whole = value as i128;
    match (u64::try_from(whole), i64::try_from(whole)) {
        (Ok(whole), _) => serializer.serialize_u64(whole),
        (Err(_), Ok(whole)) => serializer.serialize_i64(whole),
        (Err(_), Err(_)) => serializer.serialize_f64(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_value_have_one_spelling() {
        for (given, expected) in [
            ("7", "7"),
            ("7.0", "7"),
            ("70e-1", "7"),
            ("0.7E1", "7"),
            ("0.0e5", "0"),
            ("-7.0", "-7"),
            ("1e3", "1000"),
            ("7.5", "7.5"),
            ("75e-1", "7.5"),
            // Neighbors beyond what floats tell apart stay apart.
            ("9007199254740993", "9007199254740993"),
            ("9007199254740992.0", "9007199254740992"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("-9223372036854775808.0", "-9223372036854775808"),
            ("1e300", "1e+300"),
            ("[1.0,{\"a\":2e0}]", "[1,{\"a\":2}]"),
            ("\"7.0\"", "\"7.0\""),
        ] {
            assert_eq!(pattern_by_value(given).as_deref(), Some(expected), "{given}");
        }
        for text in ["", "7*", "07", "+7", "seven"] {
            assert_eq!(pattern_by_value(text), None, "{text}");
        }
    }
}
