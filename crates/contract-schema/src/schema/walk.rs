//! The subschemas of a schema, found through the keyword table.

use serde_json::{Map, Value};

use super::draft::Draft;
use super::keyword::{Keyword, Reach, Role, Shape, keyword};
use super::pointer;

/// Where a subschema stands below its parent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Segment<'a> {
    Root,
    Keyword(&'a str),
    Member(&'a str, &'a str),
    Index(&'a str, usize),
}

impl Segment<'_> {
    pub(crate) fn push_to(self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Keyword(keyword) => pointer::push(pointer, keyword),
            Self::Member(keyword, name) => {
                pointer::push(pointer, keyword);
                pointer::push(pointer, name);
            }
            Self::Index(keyword, index) => {
                pointer::push(pointer, keyword);
                pointer::push(pointer, &index.to_string());
            }
        }
    }
}

/// A subschema as its parent holds it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subschema<'a> {
    pub(crate) segment: Segment<'a>,
    pub(crate) reach: Reach,
    pub(crate) value: &'a Value,
}

/// The subschemas directly below `schema`, in document order. What stands under a keyword that the
/// draft does not have, or is malformed, is no schema.
pub(crate) fn subschemas(schema: &Value, draft: Draft) -> Vec<Subschema<'_>> {
    let mut found = Vec::new();
    let Some(members) = schema.as_object() else { return found };
    for (name, value) in members {
        if let Some(row) = enforced(name, draft) {
            collect(name, value, row.shape, draft, &mut found);
        }
    }
    found
}

fn enforced(name: &str, draft: Draft) -> Option<&'static Keyword> {
    keyword(name).filter(|row| row.role == Role::Enforced && row.drafts.contains(draft))
}

fn collect<'a>(
    name: &'a str,
    value: &'a Value,
    shape: Shape,
    draft: Draft,
    found: &mut Vec<Subschema<'a>>,
) {
    match shape {
        Shape::Schema(reach) => {
            found.push(Subschema { segment: Segment::Keyword(name), reach, value });
        }
        Shape::Schemas(reach) => list(name, value, reach, found),
        Shape::SchemaMap(reach) => map(name, value, reach, found),
        Shape::PatternMap => map(name, value, Reach::Child, found),
        Shape::Items if value.is_array() && draft == Draft::Draft7 => {
            list(name, value, Reach::Child, found);
        }
        // 2020-12 has no list here; the gate says so once.
        Shape::Items if value.is_array() => {}
        Shape::Items => {
            found.push(Subschema { segment: Segment::Keyword(name), reach: Reach::Child, value });
        }
        Shape::Dependencies => dependencies(name, value, found),
        Shape::Any
        | Shape::Flag
        | Shape::Text
        | Shape::List
        | Shape::Types
        | Shape::Count
        | Shape::Bound
        | Shape::Positive
        | Shape::Pattern
        | Shape::Names
        | Shape::NameLists
        | Shape::Reference => {}
    }
}

fn list<'a>(name: &'a str, value: &'a Value, reach: Reach, found: &mut Vec<Subschema<'a>>) {
    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
        found.push(Subschema { segment: Segment::Index(name, index), reach, value });
    }
}

fn map<'a>(name: &'a str, value: &'a Value, reach: Reach, found: &mut Vec<Subschema<'a>>) {
    for (member, value) in value.as_object().into_iter().flat_map(Map::iter) {
        found.push(Subschema { segment: Segment::Member(name, member), reach, value });
    }
}

fn dependencies<'a>(name: &'a str, value: &'a Value, found: &mut Vec<Subschema<'a>>) {
    for (member, value) in value.as_object().into_iter().flat_map(Map::iter) {
        if !value.is_array() {
            let segment = Segment::Member(name, member);
            found.push(Subschema { segment, reach: Reach::InPlace, value });
        }
    }
}
