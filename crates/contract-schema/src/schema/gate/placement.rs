//! Keywords that their draft ignores where they stand (contract D3).

use serde_json::{Map, Value};

use super::positions::Positions;
use crate::schema::draft::Draft;
use crate::schema::keyword::Reach::Definition;
use crate::schema::keyword::{Keyword, Role, Shape};

/// Why `keyword` has no effect where it stands, if so.
pub(super) fn ignored(
    positions: &Positions<'_>,
    members: &Map<String, Value>,
    keyword: &Keyword,
) -> Option<String> {
    beside_reference(positions.draft, members, keyword)
        .or_else(|| without_partner(positions, members, keyword.name))
        .map(|partner| format!("`{}` has no effect {partner}", keyword.name))
}

fn beside_reference(
    draft: Draft,
    members: &Map<String, Value>,
    keyword: &Keyword,
) -> Option<&'static str> {
    let is_ignored = draft == Draft::Draft7
        && keyword.role == Role::Enforced
        && keyword.shape != Shape::SchemaMap(Definition)
        && keyword.name != "$ref"
        && members.contains_key("$ref");
    is_ignored.then_some("beside `$ref` in draft-07")
}

fn without_partner(
    positions: &Positions<'_>,
    members: &Map<String, Value>,
    name: &str,
) -> Option<&'static str> {
    let has = |name: &str| members.contains_key(name);
    match name {
        "then" | "else" if !has("if") => Some("without `if`"),
        // `if` alone still says which members it looked at, where something asks for that.
        "if" if !has("then") && !has("else") && !positions.has_unevaluated => {
            Some("without `then` or `else`")
        }
        "minContains" | "maxContains" if !has("contains") => Some("without `contains`"),
        "additionalItems" if !members.get("items").is_some_and(Value::is_array) => {
            Some("unless `items` is an array")
        }
        _ => None,
    }
}
