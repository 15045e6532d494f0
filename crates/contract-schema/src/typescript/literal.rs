//! Constants of a schema as types, and text as string literals.

use serde_json::Value;

use super::types::{Member, Object, Type};

/// Integers up to here are exact in JavaScript.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// The type that has this one value; wider where no literal is exact.
pub(super) fn literal(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(true) => Type::True,
        Value::Bool(false) => Type::False,
        Value::Number(number) => number_text(number).map_or(Type::Number, Type::NumberLiteral),
        Value::String(text) => Type::StringLiteral(text.clone()),
        Value::Array(elements) => {
            Type::Tuple { items: elements.iter().map(literal).collect(), rest: None }
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| Member {
                name: name.clone(),
                ty: literal(value),
                is_optional: false,
                doc: Vec::new(),
            };
            let index = members.is_empty().then(|| Box::new(Type::Never));
            Type::Object(Object { members: members.iter().map(member).collect(), index })
        }
    }
}

/// A number literal; `None` for one that JavaScript would round (contract V4).
fn number_text(number: &serde_json::Number) -> Option<String> {
    if let Some(value) = number.as_u64() {
        return (value <= MAX_SAFE).then(|| value.to_string());
    }
    if let Some(value) = number.as_i64() {
        return (value.unsigned_abs() <= MAX_SAFE).then(|| value.to_string());
    }
    let value = number.as_f64()?;
    if value.fract() != 0.0 {
        return Some(format!("{value:?}"));
    }
    // 1.0 and 1 are the same number, and so is negative zero and 0.
    (value.abs() <= MAX_SAFE as f64).then(|| (value as i64).to_string())
}

/// A string literal, safe in any source text.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
