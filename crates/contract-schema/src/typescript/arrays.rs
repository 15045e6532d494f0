//! Arrays and tuples.

use serde_json::Value;

use super::lower::{Lowering, list};
use super::types::{self, MAX_REPEATED_PARTS, Type, both, union};
use crate::schema::Draft;

/// Longest tuple that is written out for the sake of its length alone.
const MAX_PADDED: usize = 8;

/// The type of the arrays that a schema accepts.
pub(super) fn lower<'a>(lowering: &mut Lowering<'a>, schema: &'a Value) -> Type {
    let shape = Shape::of(lowering, schema);
    if shape.prefix.is_empty() { uniform(shape) } else { tuple(shape) }
}

struct Shape {
    prefix: Vec<Type>,
    rest: Type,
    least: usize,
    most: Option<usize>,
}

impl Shape {
    fn of<'a>(lowering: &mut Lowering<'a>, schema: &'a Value) -> Self {
        let is_list = schema.get("items").is_some_and(Value::is_array);
        let (prefix, rest) = if lowering.draft == Draft::Draft7 && is_list {
            ("items", "additionalItems")
        } else {
            ("prefixItems", "items")
        };
        let mut prefix: Vec<Type> = list(schema, prefix).map(|item| lowering.lower(item)).collect();
        let mut rest = match schema.get(rest) {
            Some(rest) => lowering.lower(rest),
            None => Type::Any,
        };
        // Where nothing is allowed, the array ends.
        if let Some(end) = prefix.iter().position(|item| *item == Type::Never) {
            prefix.truncate(end);
            rest = Type::Never;
        }
        let least = count(schema, "minItems").unwrap_or(0);
        Self { prefix, rest, least, most: count(schema, "maxItems") }
    }
}

fn count(schema: &Value, keyword: &str) -> Option<usize> {
    let value = schema.get(keyword)?;
    let whole = value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))?;
    Some(usize::try_from(whole).unwrap_or(usize::MAX))
}

fn uniform(shape: Shape) -> Type {
    let Shape { rest: item, least, most, .. } = shape;
    if most == Some(0) || item == Type::Never {
        return if least > 0 { Type::Never } else { Type::Tuple { items: vec![], rest: None } };
    }
    let is_short = most == Some(least) && least <= MAX_PADDED;
    if is_short && item.size() * least <= MAX_REPEATED_PARTS {
        return Type::Tuple { items: vec![item; least], rest: None };
    }
    Type::Array(Box::new(item))
}

fn tuple(shape: Shape) -> Type {
    let Shape { prefix, rest, least, most } = shape;
    let is_ended = rest == Type::Never || most.is_some_and(|most| most <= prefix.len());
    let longest = most.map_or(prefix.len(), |most| most.min(prefix.len()));
    let shortest = least.min(prefix.len());
    if shortest > longest || (is_ended && least > longest) {
        return Type::Never;
    }
    let parts: usize = prefix.iter().map(Type::size).sum();
    if (longest - shortest) * parts > MAX_REPEATED_PARTS {
        let rest = if is_ended { Type::Never } else { rest };
        return Type::Array(Box::new(union(prefix.into_iter().chain([rest]))));
    }
    let lengths = (shortest..=longest).map(|length| {
        let is_whole = length == prefix.len();
        let rest = (is_whole && !is_ended).then(|| Box::new(rest.clone()));
        Type::Tuple { items: prefix[..length].to_vec(), rest }
    });
    union(lengths.collect::<Vec<_>>())
}

/// Arrays of both types. An intersection of array types would say the same, but TypeScript does not see
/// through it when it infers the type of a nested literal.
pub(super) fn intersect(a: &Type, b: &Type) -> Type {
    let (Some(left), Some(right)) = (Elements::of(a), Elements::of(b)) else {
        return both(a.clone(), b.clone());
    };
    let mut items = Vec::new();
    for at in 0..left.items.len().max(right.items.len()) {
        let (Some(a), Some(b)) = (left.at(at), right.at(at)) else { return Type::Never };
        let item = types::intersect(a.clone(), b.clone());
        if item == Type::Never {
            return Type::Never;
        }
        items.push(item);
    }
    let rest = match (left.rest, right.rest) {
        (Some(a), Some(b)) => types::intersect(a.clone(), b.clone()),
        (None, _) | (_, None) => Type::Never,
    };
    if rest == Type::Never {
        return Type::Tuple { items, rest: None };
    }
    if items.is_empty() {
        return Type::Array(Box::new(rest));
    }
    Type::Tuple { items, rest: Some(Box::new(rest)) }
}

struct Elements<'a> {
    items: &'a [Type],
    rest: Option<&'a Type>,
}

impl<'a> Elements<'a> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "asks for two of many")]
    fn of(ty: &'a Type) -> Option<Self> {
        match ty {
            Type::Array(item) => Some(Self { items: &[], rest: Some(item) }),
            Type::Tuple { items, rest } => Some(Self { items, rest: rest.as_deref() }),
            _ => None,
        }
    }

    fn at(&self, index: usize) -> Option<&'a Type> {
        self.items.get(index).or(self.rest)
    }
}
