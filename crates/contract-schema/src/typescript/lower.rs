//! From a schema to a type.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::comment::{self, Doc};
use super::literal::literal;
use super::name::Names;
use super::types::{Type, intersect, union};
use super::{arrays, name, objects};
use crate::schema::{Draft, Schema, pointer_of};

/// Turns a document into types: the root first, then what it refers to, in the order of first mention.
pub(super) struct Lowering<'a> {
    document: &'a Value,
    pub(super) draft: Draft,
    root: String,
    taken: &'a mut Names,
    /// Names of types by the pointer of their schema.
    named: HashMap<String, String>,
    waiting: VecDeque<(String, &'a Value)>,
}

/// Whether the members of an object are all known although its schema is spread over several places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Members {
    Open,
    ClosedAbove,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(schema: &'a Schema, root: String, taken: &'a mut Names) -> Self {
        let document = schema.document();
        Self {
            document,
            draft: schema.draft(),
            named: HashMap::from([(String::new(), root.clone())]),
            waiting: VecDeque::from([(root.clone(), document)]),
            root,
            taken,
        }
    }

    /// The next type to declare.
    pub(super) fn next_type(&mut self) -> Option<(String, Doc, Type)> {
        let (name, schema) = self.waiting.pop_front()?;
        let ty = self.lower(schema);
        Some((name, comment::doc(schema), ty.bare().clone()))
    }

    /// The type of a schema.
    pub(super) fn lower(&mut self, schema: &'a Value) -> Type {
        self.lower_part(schema, Members::Open)
    }

    fn lower_part(&mut self, schema: &'a Value, above: Members) -> Type {
        if let Value::Bool(accepts) = schema {
            return if *accepts { Type::Any } else { Type::Never };
        }
        let members = if objects::closes_parts(schema) { Members::ClosedAbove } else { above };
        let mut ty = self.own(schema, members);
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            ty = intersect(ty, self.named(reference));
        }
        for part in list(schema, "allOf") {
            ty = intersect(ty, self.lower_part(part, members));
        }
        for keyword in ["anyOf", "oneOf"] {
            if schema.get(keyword).is_some() {
                let branches: Vec<_> = list(schema, keyword)
                    .map(|branch| self.lower_part(branch, members).documented(comment::doc(branch)))
                    .collect();
                ty = intersect(ty, union(branches));
            }
        }
        ty
    }

    /// What the schema says by itself, without other schemas that apply to the same value.
    fn own(&mut self, schema: &'a Value, members: Members) -> Type {
        let constants = ["const", "enum"].iter().filter_map(|keyword| {
            let value = schema.get(keyword)?;
            Some(if *keyword == "const" {
                literal(value)
            } else {
                union(value.as_array().into_iter().flatten().map(literal))
            })
        });
        if let Some(constant) = constants.reduce(intersect) {
            return match types(schema) {
                Some(names) => intersect(union(names.into_iter().map(whole_type)), constant),
                None => constant,
            };
        }
        let names = types(schema)
            .unwrap_or_else(|| vec!["null", "boolean", "number", "string", "array", "object"]);
        let kinds = names.into_iter().map(|name| match name {
            "array" => arrays::lower(self, schema),
            "object" => objects::lower(self, schema, members),
            name => whole_type(name),
        });
        union(kinds.collect::<Vec<_>>())
    }

    /// The named type that a reference stands for.
    fn named(&mut self, reference: &str) -> Type {
        // The gate let only pointers to schemas through.
        let pointer = pointer_of(reference).unwrap_or_default().into_owned();
        let Some(schema) = self.document.pointer(&pointer) else { return Type::Any };
        if let Some(name) = self.named.get(&pointer) {
            return Type::Named(name.clone());
        }
        let last = pointer.rsplit('/').next().unwrap_or_default();
        // The sign keeps it apart from a root called the same: Pascal case has none.
        let wanted = format!("{}_{}", self.root, name::identifier(last));
        let name = self.taken.unique(&wanted);
        self.named.insert(pointer, name.clone());
        self.waiting.push_back((name.clone(), schema));
        Type::Named(name)
    }
}

/// The schemas of a keyword that holds a list of them.
pub(super) fn list<'a>(
    schema: &'a Value,
    keyword: &str,
) -> impl Iterator<Item = &'a Value> + use<'a> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Everything of one of JSON Schema's types.
fn whole_type(name: &str) -> Type {
    match name {
        "null" => Type::Null,
        "boolean" => Type::Boolean,
        "integer" | "number" => Type::Number,
        "string" => Type::String,
        "array" => Type::any_array(),
        "object" => Type::any_object(),
        _ => Type::Any,
    }
}
