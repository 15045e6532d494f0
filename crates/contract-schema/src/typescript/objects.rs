//! Objects.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::comment;
use super::lower::{Lowering, Members, list};
use super::types::{MAX_REPEATED_PARTS, Member, Object, Type, union};

/// Keywords that may allow members beside the ones that `properties` names.
const LOOKS_FURTHER: [&str; 5] =
    ["if", "not", "dependentSchemas", "dependencies", "patternProperties"];
/// Members that every object inherits in JavaScript. TypeScript takes the inherited one for the member of
/// that name, so an optional one cannot be declared with a type of its own.
const INHERITED: [&str; 7] = [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// Whether a schema and its parts together name every member there can be.
pub(super) fn closes_parts(schema: &Value) -> bool {
    schema.get("unevaluatedProperties") == Some(&Value::Bool(false))
        && schema.get("additionalProperties").is_none()
        && names_its_members(schema)
}

fn names_its_members(schema: &Value) -> bool {
    LOOKS_FURTHER.iter().all(|keyword| schema.get(keyword).is_none())
        && ["allOf", "anyOf", "oneOf"].iter().flat_map(|keyword| list(schema, keyword)).all(
            |part| {
                let extra = part.get("additionalProperties");
                extra.is_none_or(|extra| *extra == Value::Bool(false))
                    && part.get("unevaluatedProperties").is_none()
                    && names_its_members(part)
            },
        )
}

/// The type of the objects that a schema accepts.
pub(super) fn lower<'a>(lowering: &mut Lowering<'a>, schema: &'a Value, members: Members) -> Type {
    let additional = schema.get("additionalProperties");
    let patterns: Vec<Type> =
        entries(schema, "patternProperties").map(|(_, value)| lowering.lower(value)).collect();
    let extra = match additional {
        Some(value) => lowering.lower(value),
        None => Type::Any,
    };
    let mut named: Vec<Member> = entries(schema, "properties")
        .map(|(name, value)| Member {
            name: name.clone(),
            ty: lowering.lower(value),
            is_optional: true,
            doc: comment::doc(value),
        })
        .collect();
    require(schema, &mut named, if patterns.is_empty() { &extra } else { &Type::Any });
    let declared = named.len();
    named.retain(|member| !member.is_optional || !INHERITED.contains(&member.name.as_str()));
    if named.len() < declared {
        let index = Type::Union(vec![Type::Any, Type::Undefined]);
        return Type::Object(Object { members: named, index: Some(Box::new(index)) });
    }
    if members == Members::ClosedAbove && additional.is_none() && patterns.is_empty() {
        // Without members of its own it says nothing about the others.
        return if named.is_empty() {
            Type::any_object()
        } else {
            Type::Object(Object { members: named, index: None })
        };
    }
    let index = index(&named, patterns, extra);
    Type::Object(Object { members: named, index })
}

fn entries<'a>(
    schema: &'a Value,
    keyword: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
    schema.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// Marks the required members, and adds those that `properties` does not name.
fn require(schema: &Value, members: &mut Vec<Member>, otherwise: &Type) {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let declared: HashMap<String, usize> =
        members.iter().enumerate().map(|(at, member)| (member.name.clone(), at)).collect();
    // No name is required twice, so what is added here is not looked for.
    for name in required.filter_map(Value::as_str) {
        if let Some(at) = declared.get(name) {
            members[*at].is_optional = false;
            continue;
        }
        members.push(Member {
            name: name.to_owned(),
            ty: otherwise.clone(),
            is_optional: false,
            doc: Vec::new(),
        });
    }
}

/// The index signature. TypeScript wants it to cover the named members too, so it is as wide as all of
/// them together.
fn index(members: &[Member], patterns: Vec<Type>, extra: Type) -> Option<Box<Type>> {
    if extra == Type::Never && patterns.is_empty() {
        let nothing = members.is_empty().then_some(Type::Never);
        return nothing.map(Box::new);
    }
    let parts: usize = members.iter().map(|member| member.ty.size()).sum();
    let covered = if parts > MAX_REPEATED_PARTS {
        Type::Any
    } else {
        let named = members.iter().map(|member| member.ty.clone());
        union(patterns.into_iter().chain([extra]).chain(named))
    };
    let has_optional = members.iter().any(|member| member.is_optional);
    let index = match (has_optional, covered) {
        (false, covered) => covered,
        (true, Type::Any) => Type::Union(vec![Type::Any, Type::Undefined]),
        (true, covered) => union([covered, Type::Undefined]),
    };
    Some(Box::new(index))
}
