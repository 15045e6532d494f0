//! The validator reads the tape directly: a document is never copied to be validated.
//!
//! A walk has a budget of children it may look at. A schema that looks at the same value over and over
//! (recursion through several subschemas at once) would otherwise take time exponential in the depth
//! of the value. When the budget is spent every container looks empty or at its end, so that the validator comes back
//! soon; whoever started the walk then discards its verdict.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object};
use serde_json::Value;

use super::equality;
use crate::json::{Elements, JsonKind, JsonRef, Members, Number};

/// Which values the validator gets when it asks for a copy to put into an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copies {
    /// Of everything.
    #[cfg(test)]
    All,
    /// Of the root alone, which a failed pattern match needs; with the bytes that one takes, roughly.
    Root { bytes: u64 },
    /// Of nothing: this crate's messages never hold a value.
    None,
}

/// Members that a lookup passes over in the time that visiting one child takes, roughly.
const MEMBERS_SCANNED_A_STEP: usize = 16;

/// Bytes that copies of the root may take in one walk, if that is more than [`FEWEST_COPIES`]. The validator
/// asks for one with every error at the root, and keeps one for each of them inside a union.
const COPIED_BYTES: u64 = 32 << 20;
/// Copies that a walk may make of the largest root.
const FEWEST_COPIES: u64 = 4;

/// One run of the validator over one document.
pub(crate) struct Walk {
    left: Cell<u64>,
    copies: Copies,
    copies_left: Cell<u64>,
    root: OnceCell<Value>,
}

impl Walk {
    pub(crate) fn new(budget: u64, copies: Copies) -> Self {
        let copies_left = match copies {
            Copies::Root { bytes } => FEWEST_COPIES.max(COPIED_BYTES / bytes.max(1)),
            #[cfg(test)]
            Copies::All => u64::MAX,
            Copies::None => 0,
        };
        Self {
            left: Cell::new(budget),
            copies,
            copies_left: Cell::new(copies_left),
            root: OnceCell::new(),
        }
    }

    /// Whether the budget was spent: what the validator said then means nothing.
    pub(crate) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Pays for looking at `children` children; false when the budget is spent.
    #[inline]
    fn pay(&self, children: usize) -> bool {
        let left = self.left.get().saturating_sub(children as u64 + 1);
        self.left.set(left);
        left > 0
    }
}

/// The representation, as the validator names it.
pub(crate) struct TapeJson;

/// One value during a walk.
#[derive(Clone, Copy)]
pub(crate) enum TapeNode<'a> {
    Value(&'a Walk, JsonRef<'a>),
    /// A property name that is validated as a string.
    Name(&'a str),
}

impl Json for TapeJson {
    type Node<'a> = TapeNode<'a>;
    type PreparedKey = Box<str>;
    // A lookup scans the members, so one pass over them is never worse than two lookups.
    const KEYS_PER_LOOKUP: usize = 2;
    const ACYCLIC: bool = true;
    type StringBuffer = ();

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(TapeNode<'_>) -> T) -> T {
        f(TapeNode::Name(string))
    }
}

impl<'a> Node<'a, TapeJson> for TapeNode<'a> {
    type Object = TapeContainer<'a>;
    type Array = TapeContainer<'a>;
    type Number = TapeNumber;

    #[inline]
    fn as_object(&self) -> Option<TapeContainer<'a>> {
        self.container(JsonKind::Object)
    }

    #[inline]
    fn as_array(&self) -> Option<TapeContainer<'a>> {
        self.container(JsonKind::Array)
    }

    #[inline]
    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.text().map(Cow::Borrowed)
    }

    #[inline]
    fn as_number(&self) -> Option<TapeNumber> {
        match self {
            Self::Value(_, value) => value.as_number().map(TapeNumber),
            Self::Name(_) => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self {
            Self::Value(_, value) => value.as_bool(),
            Self::Name(_) => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Self::Value(_, value) if value.is_null())
    }

    #[inline]
    fn json_type(&self) -> JsonType {
        match self {
            Self::Name(_) => JsonType::String,
            Self::Value(_, value) => match value.kind() {
                JsonKind::Null => JsonType::Null,
                JsonKind::Bool => JsonType::Boolean,
                JsonKind::Integer | JsonKind::Number => JsonType::Number,
                JsonKind::String => JsonType::String,
                JsonKind::Array => JsonType::Array,
                JsonKind::Object => JsonType::Object,
            },
        }
    }

    fn string_length_within(&self, min: u64, max: u64) -> Option<bool> {
        let text = self.text()?;
        // A code point takes one to four bytes.
        let bytes = text.len() as u64;
        let fewest = bytes.div_ceil(4);
        if bytes < min || fewest > max {
            return Some(false);
        }
        if min <= fewest && bytes <= max {
            return Some(true);
        }
        Some((min..=max).contains(&(text.chars().count() as u64)))
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match self {
            Self::Value(walk, value) => {
                equality::equals_value_within(*value, expected, &|children| walk.pay(children))
            }
            Self::Name(name) => expected.as_str() == Some(name),
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        match *self {
            Self::Name(name) => Cow::Owned(Value::from(name)),
            Self::Value(walk, value) => walk.copy(value),
        }
    }

    #[inline]
    fn identity(&self) -> Option<NodeIdentity> {
        match self {
            // Within one walk there is one document, so the walk stands for its address.
            Self::Value(walk, value) => {
                let address = std::ptr::from_ref::<Walk>(walk) as usize;
                Some(NodeIdentity::tagged(address, value.index() as u32))
            }
            Self::Name(_) => None,
        }
    }
}

impl Walk {
    /// A copy for an error. Too many of them end the walk.
    fn copy(&self, value: JsonRef<'_>) -> Cow<'_, Value> {
        match self.copies {
            #[cfg(test)]
            Copies::All => Cow::Owned(value.to_value()),
            Copies::Root { .. } if value.index() == 0 => {
                match self.copies_left.get().checked_sub(1) {
                    Some(left) => self.copies_left.set(left),
                    None => self.left.set(0),
                }
                Cow::Borrowed(self.root.get_or_init(|| value.to_value()))
            }
            Copies::Root { .. } | Copies::None => Cow::Owned(Value::Null),
        }
    }
}

impl<'a> TapeNode<'a> {
    #[inline]
    fn container(&self, kind: JsonKind) -> Option<TapeContainer<'a>> {
        match *self {
            Self::Value(walk, value) if value.kind() == kind => {
                let is_open = walk.pay(value.len());
                Some(TapeContainer { walk, value, is_open })
            }
            Self::Value(..) | Self::Name(_) => None,
        }
    }

    #[inline]
    fn text(&self) -> Option<&'a str> {
        match *self {
            Self::Value(_, value) => value.as_str(),
            Self::Name(name) => Some(name),
        }
    }
}

/// An array or an object during a walk.
pub(crate) struct TapeContainer<'a> {
    walk: &'a Walk,
    value: JsonRef<'a>,
    is_open: bool,
}

impl<'a> Object<'a, TapeJson> for TapeContainer<'a> {
    type Node = TapeNode<'a>;
    type MemberName = &'a str;
    type MembersIter = TapeMembers<'a>;

    #[inline]
    fn len(&self) -> usize {
        self.value.len()
    }

    #[inline]
    fn get(&self, key: &Box<str>) -> Option<TapeNode<'a>> {
        // A lookup in a small object costs no more than the visit that was paid for.
        let scanned = self.value.len() / MEMBERS_SCANNED_A_STEP;
        if scanned > 0 && !self.walk.pay(scanned) {
            return None;
        }
        self.value.get(key).map(|value| TapeNode::Value(self.walk, value))
    }

    #[inline]
    fn members(&self) -> TapeMembers<'a> {
        TapeMembers { walk: self.walk, members: self.is_open.then(|| self.value.members()) }
    }
}

impl<'a> Array<'a, TapeJson> for TapeContainer<'a> {
    type Node = TapeNode<'a>;
    type ElementsIter = TapeElements<'a>;

    #[inline]
    fn len(&self) -> usize {
        self.value.len()
    }

    #[inline]
    fn elements(&self) -> TapeElements<'a> {
        TapeElements { walk: self.walk, elements: self.is_open.then(|| self.value.elements()) }
    }

    fn is_unique(&self) -> bool {
        equality::all_distinct(self.value)
    }
}

pub(crate) struct TapeMembers<'a> {
    walk: &'a Walk,
    members: Option<Members<'a>>,
}

impl<'a> Iterator for TapeMembers<'a> {
    type Item = (&'a str, TapeNode<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let members = self.members.as_mut().filter(|_| !self.walk.is_spent());
        let (name, value) = members?.next()?;
        Some((name, TapeNode::Value(self.walk, value)))
    }
}

pub(crate) struct TapeElements<'a> {
    walk: &'a Walk,
    elements: Option<Elements<'a>>,
}

impl<'a> Iterator for TapeElements<'a> {
    type Item = TapeNode<'a>;

    #[inline]
    fn next(&mut self) -> Option<TapeNode<'a>> {
        let elements = self.elements.as_mut().filter(|_| !self.walk.is_spent());
        let value = elements?.next()?;
        Some(TapeNode::Value(self.walk, value))
    }
}

/// A number during a walk.
pub(crate) struct TapeNumber(Number);

impl JsonNumber for TapeNumber {
    fn as_u64(&self) -> Option<u64> {
        match self.0 {
            Number::Unsigned(value) => Some(value),
            Number::Negative(_) | Number::Float(_) => None,
        }
    }

    fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Number::Unsigned(value) => i64::try_from(value).ok(),
            Number::Negative(value) => Some(value),
            Number::Float(_) => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        Some(match self.0 {
            Number::Unsigned(value) => value as f64,
            Number::Negative(value) => value as f64,
            Number::Float(value) => value,
        })
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_number().to_string())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(match self.0 {
            Number::Unsigned(value) => value.into(),
            Number::Negative(value) => value.into(),
            // Floats of a document are finite.
            Number::Float(value) => serde_json::Number::from_f64(value).unwrap_or_else(|| 0.into()),
        })
    }

    fn is_integer(&self) -> bool {
        match self.0 {
            Number::Unsigned(_) | Number::Negative(_) => true,
            Number::Float(value) => value.fract() == 0.0,
        }
    }

    fn is_written_as_integer(&self) -> bool {
        !matches!(self.0, Number::Float(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_representation_keeps_the_validators_contract() {
        let document = jsonschema::json::conformance::document();
        let json = crate::Json::snapshot(&document).unwrap();
        let walk = Walk::new(u64::MAX, Copies::All);
        jsonschema::json::conformance::assert_conformance::<TapeJson>(&TapeNode::Value(
            &walk,
            json.root(),
        ));
    }

    #[test]
    fn a_spent_budget_ends_the_walk() {
        let json = crate::Json::parse("[[1,2,3],[4]]").unwrap();
        let walk = Walk::new(4, Copies::None);
        let node = TapeNode::Value(&walk, json.root());
        let outer: Vec<_> = node.as_array().unwrap().elements().collect();
        assert!(!walk.is_spent());
        assert_eq!(outer[0].as_array().unwrap().elements().count(), 0);
        assert!(walk.is_spent());
    }
}
