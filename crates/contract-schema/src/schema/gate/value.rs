//! Whether a keyword's own value is well formed.

use std::collections::HashSet;

use serde_json::Value;

use crate::schema::draft::Draft;
use crate::schema::keyword::{Keyword, Shape};
use crate::schema::{pattern, pointer};

/// The names that `type` may have.
pub(crate) const TYPES: [&str; 7] =
    ["null", "boolean", "integer", "number", "string", "array", "object"];

/// What is wrong with a keyword's value: a pointer suffix below the keyword, and why.
pub(super) type Fault = (String, String);

/// The faults of `value` as the value of `keyword`; subschemas are judged where they stand.
pub(super) fn faults(keyword: &Keyword, value: &Value, draft: Draft) -> Vec<Fault> {
    match keyword.shape {
        Shape::Any | Shape::Schema(_) => Vec::new(),
        Shape::Flag => expect(value.is_boolean(), "must be true or false"),
        Shape::Text | Shape::Reference => expect(value.is_string(), "must be a string"),
        Shape::List => expect(value.is_array(), "must be an array"),
        Shape::Bound => expect(value.is_number(), "must be a number"),
        Shape::Positive => expect(is_positive(value), "must be a number above 0"),
        Shape::Count => expect(is_count(value), "must be a whole number, 0 or above"),
        Shape::Types => types(value),
        Shape::Pattern => pattern_fault(value, draft).into_iter().collect(),
        Shape::Names => names(value),
        Shape::NameLists => name_lists(value),
        Shape::Schemas(_) => expect(is_non_empty_array(value), "must be a non-empty array"),
        Shape::SchemaMap(_) => expect(value.is_object(), "must be an object"),
        Shape::PatternMap => pattern_map(value, draft),
        Shape::Items if value.is_array() && draft == Draft::Draft202012 => {
            expect(false, "must be one schema in 2020-12; a tuple is written with `prefixItems`")
        }
        Shape::Items if value.is_array() => {
            expect(is_non_empty_array(value), "must be a schema or a non-empty array of them")
        }
        Shape::Items => Vec::new(),
        Shape::Dependencies => dependencies(value),
    }
}

fn expect(holds: bool, otherwise: &str) -> Vec<Fault> {
    if holds { Vec::new() } else { vec![(String::new(), otherwise.to_owned())] }
}

fn is_non_empty_array(value: &Value) -> bool {
    value.as_array().is_some_and(|elements| !elements.is_empty())
}

fn is_count(value: &Value) -> bool {
    value.is_u64() || value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}

fn is_positive(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number > 0.0)
}

fn types(value: &Value) -> Vec<Fault> {
    match value {
        Value::String(name) => type_fault(name, String::new()).into_iter().collect(),
        Value::Array(elements) if elements.len() > TYPES.len() => {
            expect(false, "must not list more than the 7 types there are")
        }
        Value::Array(elements) if !elements.is_empty() => type_list(elements),
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            expect(false, "must be a type name or a non-empty array of them")
        }
    }
}

fn type_list(elements: &[Value]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (i, element) in elements.iter().enumerate() {
        match element.as_str() {
            None => faults.push((format!("/{i}"), "must be a type name".to_owned())),
            Some(name) if elements[..i].contains(element) => {
                faults
                    .push((format!("/{i}"), format!("{:?} is listed twice", pointer::clip(name))));
            }
            Some(name) => faults.extend(type_fault(name, format!("/{i}"))),
        }
    }
    faults
}

fn type_fault(name: &str, below: String) -> Option<Fault> {
    let known = TYPES.contains(&name);
    (!known).then(|| (below, format!("{:?} is not a type", pointer::clip(name))))
}

fn pattern_fault(value: &Value, draft: Draft) -> Option<Fault> {
    let Some(text) = value.as_str() else {
        return Some((String::new(), "must be a string".to_owned()));
    };
    (!pattern::compiles(text, draft)).then(|| (String::new(), invalid_pattern(text)))
}

fn invalid_pattern(text: &str) -> String {
    format!("{:?} is not a valid pattern", pointer::clip(text))
}

fn pattern_map(value: &Value, draft: Draft) -> Vec<Fault> {
    let Some(members) = value.as_object() else { return expect(false, "must be an object") };
    let mut faults = Vec::new();
    for name in members.keys().filter(|name| !pattern::compiles(name, draft)) {
        let mut below = String::new();
        pointer::push(&mut below, name);
        faults.push((below, invalid_pattern(name)));
    }
    faults
}

fn names(value: &Value) -> Vec<Fault> {
    let Some(elements) = value.as_array() else {
        return expect(false, "must be an array of property names");
    };
    let mut seen = HashSet::new();
    let mut faults = Vec::new();
    for (i, element) in elements.iter().enumerate() {
        match element.as_str() {
            None => faults.push((format!("/{i}"), "must be a property name".to_owned())),
            Some(name) if !seen.insert(name) => {
                faults
                    .push((format!("/{i}"), format!("{:?} is listed twice", pointer::clip(name))));
            }
            Some(_) => {}
        }
    }
    faults
}

fn name_lists(value: &Value) -> Vec<Fault> {
    let Some(members) = value.as_object() else { return expect(false, "must be an object") };
    members.iter().flat_map(|(name, list)| below(name, names(list))).collect()
}

fn dependencies(value: &Value) -> Vec<Fault> {
    let Some(members) = value.as_object() else { return expect(false, "must be an object") };
    let lists = members.iter().filter(|(_, value)| value.is_array());
    lists.flat_map(|(name, list)| below(name, names(list))).collect()
}

fn below(name: &str, faults: Vec<Fault>) -> Vec<Fault> {
    let prefix = |(path, reason): Fault| {
        let mut full = String::new();
        pointer::push(&mut full, name);
        full.push_str(&path);
        (full, reason)
    };
    faults.into_iter().map(prefix).collect()
}
