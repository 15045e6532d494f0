//! Short phrases for what a keyword wants, taken from the schema alone.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::pointer;

/// Longest list of constants shown, in bytes; beyond it they are counted.
const MAX_LIST_BYTES: usize = 160;

/// The keyword that an error is about, as a schema writes it.
pub(super) fn keyword(kind: &Kind) -> &str {
    match kind.keyword() {
        "falseSchema" => "false",
        keyword => keyword,
    }
}

/// What the schema wants.
#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum; what is left has no operand")]
pub(super) fn phrase(kind: &Kind) -> String {
    match kind {
        Kind::Type { kind } => types(kind),
        Kind::Constant { expected_value } => constant(expected_value),
        Kind::Enum { options } => one_of(options.as_array().map_or(&[], Vec::as_slice)),
        Kind::Required { property } => {
            format!("required property `{}`", pointer::clip(property.as_str().unwrap_or_default()))
        }
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {}", counted(*limit, "character")),
        Kind::MaxLength { limit } => format!("at most {}", counted(*limit, "character")),
        Kind::MinItems { limit } => format!("at least {}", counted(*limit, "item")),
        Kind::MaxItems { limit } => format!("at most {}", counted(*limit, "item")),
        Kind::MinProperties { limit } => format!("at least {}", properties(*limit)),
        Kind::MaxProperties { limit } => format!("at most {}", properties(*limit)),
        Kind::AdditionalItems { limit } => {
            format!("at most {}", counted(*limit as u64, "item"))
        }
        Kind::Pattern { pattern } => format!("text that matches {:?}", pointer::clip(pattern)),
        kind => plain(kind).to_owned(),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum; the rest cannot be reached")]
fn plain(kind: &Kind) -> &'static str {
    match kind {
        Kind::FalseSchema => "nothing: no value is allowed here",
        Kind::UniqueItems => "items that all differ",
        Kind::Contains => "items as `contains` asks for",
        Kind::UnevaluatedItems { .. } => "no further items",
        Kind::Not { .. } => "a value that `not` does not exclude",
        Kind::OneOfMultipleValid { .. } => "exactly one alternative that fits, not several",
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "text whose match with the pattern can be decided in a bounded number of steps"
        }
        _ => "a value that the schema accepts",
    }
}

fn counted(count: u64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

fn properties(count: u64) -> String {
    format!("{count} {}", if count == 1 { "property" } else { "properties" })
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(name) => name.to_string(),
        TypeKind::Multiple(names) => {
            alternatives(&names.iter().map(|name| name.to_string()).collect::<Vec<_>>())
        }
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn alternatives(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn constant(value: &Value) -> String {
    short(value).unwrap_or_else(|| "the one value of `const`".to_owned())
}

/// A value as JSON text, unless that is longer than a list may be. No more of it is written than that.
fn short(value: &Value) -> Option<String> {
    let mut room = [0; MAX_LIST_BYTES];
    let mut left: &mut [u8] = &mut room;
    serde_json::to_writer(&mut left, value).ok()?;
    let unused = left.len();
    room.get(..MAX_LIST_BYTES - unused).and_then(|text| String::from_utf8(text.to_vec()).ok())
}

/// The values of an `enum`, or how many there are.
pub(super) fn one_of(values: &[Value]) -> String {
    if values.is_empty() {
        return "no value at all".to_owned();
    }
    let mut names = Vec::new();
    let mut bytes = 0;
    for value in values {
        let is_scalar = !value.is_array() && !value.is_object();
        let text = if is_scalar { short(value) } else { None };
        bytes += text.as_ref().map_or(0, |text| text.len() + 2);
        let Some(text) = text.filter(|_| bytes <= MAX_LIST_BYTES) else {
            return format!("one of {} values", values.len());
        };
        names.push(text);
    }
    alternatives(&names)
}
