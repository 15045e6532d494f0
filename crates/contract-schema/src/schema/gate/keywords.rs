//! Judges the keywords of one schema.

use serde_json::{Map, Value};

use super::positions::{Positions, Target};
use super::{Report, placement, value};
use crate::schema::keyword::{Keyword, Role, keyword};
use crate::schema::pointer;

/// Prefix of keywords that anyone may use as annotations.
const EXTENSION_PREFIX: &str = "x-";

/// Judges the schema at one position, its subschemas apart.
pub(super) fn check(positions: &Positions<'_>, at: usize, report: &mut Report) {
    match positions.value(at) {
        Value::Bool(_) => {}
        Value::Object(members) => {
            for (name, value) in members {
                check_member(positions, at, members, (name, value), report);
            }
        }
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            report.refuse(at, "", "a schema must be an object or a boolean");
        }
    }
}

fn check_member(
    positions: &Positions<'_>,
    at: usize,
    members: &Map<String, Value>,
    (name, value): (&str, &Value),
    report: &mut Report,
) {
    if name.starts_with(EXTENSION_PREFIX) {
        return;
    }
    let mut path = String::new();
    pointer::push(&mut path, name);
    let row = match supported(positions, name) {
        Ok(row) => row,
        Err(reason) => return report.refuse(at, path, reason),
    };
    if let Some(reason) = placement::ignored(positions, members, row) {
        return report.refuse(at, path, reason);
    }
    let faults = value::faults(row, value, positions.draft);
    let is_well_formed = faults.is_empty();
    for (below, reason) in faults {
        report.refuse(at, format!("{path}{below}"), reason);
    }
    if is_well_formed && let Some(reason) = misplaced(positions, at, row, value) {
        report.refuse(at, path, reason);
    }
}

fn supported(positions: &Positions<'_>, name: &str) -> Result<&'static Keyword, String> {
    let Some(row) = keyword(name) else { return Err("unknown keyword".to_owned()) };
    if row.role == Role::Refused {
        return Err(format!("`{name}` is not supported: {}", row.typescript));
    }
    if !row.drafts.contains(positions.draft) {
        return Err(format!("`{name}` belongs to {}, not {}", row.drafts.name(), positions.draft));
    }
    Ok(row)
}

fn misplaced(positions: &Positions<'_>, at: usize, row: &Keyword, value: &Value) -> Option<String> {
    let text = value.as_str().unwrap_or_default();
    match row.name {
        "$ref" => reference_fault(positions, text),
        "$schema" | "$id" if at != 0 => {
            Some(format!("`{}` is supported at the root only", row.name))
        }
        "$id" if text.split_once('#').is_some_and(|(_, fragment)| !fragment.is_empty()) => {
            Some("`$id` must not have a fragment".to_owned())
        }
        _ => None,
    }
}

fn reference_fault(positions: &Positions<'_>, reference: &str) -> Option<String> {
    let shown = pointer::clip(reference);
    match positions.resolve(reference) {
        Target::Position(_) => None,
        Target::Remote => Some(format!("{shown:?} is not a pointer into this document")),
        Target::Dangling => Some(format!("{shown:?} points at nothing")),
        Target::NoSchema => Some(format!("{shown:?} points at something that is no schema")),
    }
}
