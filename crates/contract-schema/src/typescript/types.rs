//! Types and how they combine. Every rule here may widen and none may narrow.

use std::collections::HashSet;

use super::arrays;
use super::comment::Doc;

/// Most alternatives that an intersection spells out.
const MAX_ALTERNATIVES: usize = 64;
/// Most parts of types that may be repeated to write a type exactly; beyond it a wider one is written, so
/// that the text stays in proportion to the schema.
pub(super) const MAX_REPEATED_PARTS: usize = 64;

/// A TypeScript type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Type {
    Never,
    /// `JsonValue`.
    Any,
    /// Only in index signatures.
    Undefined,
    Null,
    Boolean,
    True,
    False,
    Number,
    NumberLiteral(String),
    String,
    StringLiteral(String),
    Array(Box<Type>),
    Tuple {
        items: Vec<Type>,
        rest: Option<Box<Type>>,
    },
    Object(Object),
    Named(String),
    Union(Vec<Type>),
    Intersection(Vec<Type>),
    /// An alternative with something to say.
    Documented(Doc, Box<Type>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Object {
    pub(super) members: Vec<Member>,
    pub(super) index: Option<Box<Type>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) is_optional: bool,
    pub(super) doc: Doc,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    /// Any array.
    pub(super) fn any_array() -> Self {
        Self::Array(Box::new(Self::Any))
    }

    /// Any object.
    pub(super) fn any_object() -> Self {
        Self::Object(Object { members: Vec::new(), index: Some(Box::new(Self::Any)) })
    }

    pub(super) fn documented(self, doc: Doc) -> Self {
        if doc.is_empty() { self } else { Self::Documented(doc, Box::new(self)) }
    }

    /// The type without what it has to say.
    pub(super) fn bare(&self) -> &Self {
        if let Self::Documented(_, inner) = self { inner.bare() } else { self }
    }

    /// Number of parts, for the bound on repetition.
    pub(super) fn size(&self) -> usize {
        1 + match self {
            Self::Array(item) => item.size(),
            Self::Documented(_, inner) => inner.size(),
            Self::Tuple { items, rest } => {
                items.iter().chain(rest.as_deref()).map(Self::size).sum()
            }
            Self::Object(object) => {
                let members = object.members.iter().map(|member| &member.ty);
                members.chain(object.index.as_deref()).map(Self::size).sum()
            }
            Self::Union(parts) | Self::Intersection(parts) => parts.iter().map(Self::size).sum(),
            Self::Never
            | Self::Any
            | Self::Undefined
            | Self::Null
            | Self::Boolean
            | Self::True
            | Self::False
            | Self::Number
            | Self::NumberLiteral(_)
            | Self::String
            | Self::StringLiteral(_)
            | Self::Named(_) => 0,
        }
    }

    /// The kind of every value of an alternative; `None` when they may differ.
    fn kind(&self) -> Option<Kind> {
        match self {
            Self::Null => Some(Kind::Null),
            Self::Boolean | Self::True | Self::False => Some(Kind::Boolean),
            Self::Number | Self::NumberLiteral(_) => Some(Kind::Number),
            Self::String | Self::StringLiteral(_) => Some(Kind::String),
            Self::Array(_) | Self::Tuple { .. } => Some(Kind::Array),
            Self::Object(_) => Some(Kind::Object),
            Self::Intersection(parts) => parts.iter().find_map(Self::kind),
            Self::Documented(_, inner) => inner.kind(),
            Self::Never | Self::Any | Self::Undefined | Self::Named(_) | Self::Union(_) => None,
        }
    }

    fn alternatives(self) -> Vec<Self> {
        if let Self::Union(parts) = self { parts } else { vec![self] }
    }
}

/// Any of the types.
pub(super) fn union(types: impl IntoIterator<Item = Type>) -> Type {
    let mut seen = HashSet::new();
    let mut parts: Vec<Type> = Vec::new();
    for part in types.into_iter().flat_map(Type::alternatives) {
        let bare = part.bare();
        if *bare == Type::Any {
            return Type::Any;
        }
        if *bare != Type::Never && seen.insert(bare.clone()) {
            parts.push(part);
        }
    }
    absorb_literals(&mut parts, &seen);
    if is_everything(&parts) {
        return Type::Any;
    }
    match parts.len() {
        0 => Type::Never,
        1 => parts.remove(0),
        _ => Type::Union(parts),
    }
}

/// Drops what a wider part already says; `true | false` becomes `boolean`.
fn absorb_literals(parts: &mut Vec<Type>, seen: &HashSet<Type>) {
    let has = |part: &Type| seen.contains(part);
    let is_documented = |part: &Type| matches!(part, Type::Documented(..));
    if has(&Type::True)
        && has(&Type::False)
        && !has(&Type::Boolean)
        && !parts.iter().any(|part| is_documented(part) && part.kind() == Some(Kind::Boolean))
        && let Some(at) = parts.iter().position(|part| part.kind() == Some(Kind::Boolean))
    {
        parts.insert(at, Type::Boolean);
        parts.retain(|part| !matches!(part, Type::True | Type::False));
    }
    parts.retain(|part| match part {
        Type::True | Type::False => !has(&Type::Boolean),
        Type::NumberLiteral(_) => !has(&Type::Number),
        Type::StringLiteral(_) => !has(&Type::String),
        Type::Never
        | Type::Any
        | Type::Undefined
        | Type::Null
        | Type::Boolean
        | Type::Number
        | Type::String
        | Type::Array(_)
        | Type::Tuple { .. }
        | Type::Object(_)
        | Type::Named(_)
        | Type::Union(_)
        | Type::Intersection(_)
        | Type::Documented(..) => true,
    });
}

fn is_everything(parts: &[Type]) -> bool {
    let has = |wanted: &Type| parts.iter().any(|part| part.bare() == wanted);
    has(&Type::Null)
        && has(&Type::Boolean)
        && has(&Type::Number)
        && has(&Type::String)
        && has(&Type::any_array())
        && has(&Type::any_object())
}

/// Values of both types. Wider where spelling it out would take too much.
pub(super) fn intersect(a: Type, b: Type) -> Type {
    match (a.bare(), b.bare()) {
        (Type::Never, _) | (_, Type::Never) => return Type::Never,
        (Type::Any, _) => return b,
        (_, Type::Any) => return a,
        (bare_a, bare_b) if bare_a == bare_b => return a,
        _ => {}
    }
    let (size_a, size_b) = (a.size(), b.size());
    let (parts_a, parts_b) = (a.alternatives(), b.alternatives());
    let repeated = size_a * (parts_b.len() - 1) + size_b * (parts_a.len() - 1);
    let is_opaque = |part: &Type| part.kind().is_none();
    if parts_a.iter().chain(&parts_b).any(is_opaque) {
        return opaque(parts_a, parts_b);
    }
    if let Some(ty) = one_with_many(&parts_a, &parts_b) {
        return ty;
    }
    if parts_a.len() * parts_b.len() > MAX_ALTERNATIVES || repeated > 4 * MAX_REPEATED_PARTS {
        return both(union(parts_a), union(parts_b));
    }
    let pairs = parts_a.iter().flat_map(|a| parts_b.iter().map(move |b| (a, b)));
    union(pairs.map(|(a, b)| intersect_parts(a, b)))
}

/// One object beside several: written once, not repeated for each of them.
fn one_with_many(parts_a: &[Type], parts_b: &[Type]) -> Option<Type> {
    let (one, many) = match (parts_a, parts_b) {
        ([one], many) | (many, [one]) => (one, many),
        _ => return None,
    };
    if one.kind() != Some(Kind::Object) || *one == Type::any_object() {
        return None;
    }
    let alike: Vec<_> = many.iter().filter(|part| part.kind() == one.kind()).cloned().collect();
    (alike.len() > 1).then(|| both(one.clone(), union(alike)))
}

/// Where a named type takes part: all that is known is that both hold.
fn opaque(parts_a: Vec<Type>, parts_b: Vec<Type>) -> Type {
    let (a, b) = (union(parts_a), union(parts_b));
    let says_little = |ty: &Type| *ty == Type::any_object() || *ty == Type::any_array();
    if says_little(&a) {
        b
    } else if says_little(&b) {
        a
    } else {
        both(a, b)
    }
}

fn intersect_parts(a: &Type, b: &Type) -> Type {
    if let Type::Documented(doc, inner) = a {
        return intersect_parts(inner, b).documented(doc.clone());
    }
    if let Type::Documented(doc, inner) = b {
        return intersect_parts(a, inner).documented(doc.clone());
    }
    if a.kind() != b.kind() {
        return Type::Never;
    }
    match (a, b) {
        (a, b) if a == b => a.clone(),
        (Type::Boolean | Type::Number | Type::String, narrow) => narrow.clone(),
        (narrow, Type::Boolean | Type::Number | Type::String) => narrow.clone(),
        (Type::True | Type::False, _)
        | (Type::NumberLiteral(_), _)
        | (Type::StringLiteral(_), _) => Type::Never,
        (wide, narrow) if *wide == Type::any_array() || *wide == Type::any_object() => {
            narrow.clone()
        }
        (narrow, wide) if *wide == Type::any_array() || *wide == Type::any_object() => {
            narrow.clone()
        }
        (a, b) if a.kind() == Some(Kind::Array) => arrays::intersect(a, b),
        (a, b) => both(a.clone(), b.clone()),
    }
}

/// Both hold, element by element or member by member.
pub(super) fn both(a: Type, b: Type) -> Type {
    let mut parts = Vec::new();
    for part in [a, b] {
        if let Type::Intersection(inner) = part { parts.extend(inner) } else { parts.push(part) }
    }
    Type::Intersection(parts)
}
