//! Every place of a document where a schema stands.

use std::collections::HashMap;

use serde_json::Value;

use crate::schema::draft::Draft;
use crate::schema::error::SchemaError;
use crate::schema::keyword::Reach;
use crate::schema::reference;
use crate::schema::walk::{Segment, subschemas};

/// Most places of one document where a schema stands: subschemas, counted with the document itself.
pub const MAX_SUBSCHEMAS: usize = 50_000;

/// One place where a schema stands.
struct Position<'a> {
    value: &'a Value,
    parent: usize,
    segment: Segment<'a>,
    children: Vec<(usize, Reach)>,
}

/// All of them, in document order; the root is number 0.
pub(super) struct Positions<'a> {
    document: &'a Value,
    pub(super) draft: Draft,
    list: Vec<Position<'a>>,
    by_address: HashMap<usize, usize>,
    /// Whether anything in the document looks at what other subschemas evaluated.
    pub(super) has_unevaluated: bool,
}

/// What a `$ref` refers to.
pub(super) enum Target {
    /// The position of that number.
    Position(usize),
    /// Not a pointer into this document.
    Remote,
    /// A pointer to nothing.
    Dangling,
    /// A pointer to something that is no schema.
    NoSchema,
}

impl<'a> Positions<'a> {
    /// Finds them; a refusal when there are more than [`MAX_SUBSCHEMAS`].
    pub(super) fn collect(document: &'a Value, draft: Draft) -> Result<Self, SchemaError> {
        let mut positions = Self {
            document,
            draft,
            list: Vec::new(),
            by_address: HashMap::new(),
            has_unevaluated: false,
        };
        let mut waiting = vec![(document, 0, Segment::Root, Reach::Definition)];
        while let Some((value, parent, segment, reach)) = waiting.pop() {
            let at = positions.add(value, parent, segment, reach);
            if at >= MAX_SUBSCHEMAS {
                let reason = format!("has more than {MAX_SUBSCHEMAS} subschemas");
                return Err(SchemaError::at_root(reason));
            }
            let below = subschemas(value, draft).into_iter().rev();
            waiting.extend(below.map(|sub| (sub.value, at, sub.segment, sub.reach)));
        }
        positions.has_unevaluated =
            positions.any_keyword(&["unevaluatedItems", "unevaluatedProperties"]);
        Ok(positions)
    }

    fn add(
        &mut self,
        value: &'a Value,
        parent: usize,
        segment: Segment<'a>,
        reach: Reach,
    ) -> usize {
        let at = self.list.len();
        if at > 0 {
            self.list[parent].children.push((at, reach));
        }
        self.list.push(Position { value, parent, segment, children: Vec::new() });
        self.by_address.insert(address(value), at);
        at
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn value(&self, at: usize) -> &'a Value {
        self.list[at].value
    }

    /// The pointer of a position, built when a message needs it.
    pub(super) fn pointer(&self, mut at: usize) -> String {
        let mut segments = Vec::new();
        while at != 0 {
            segments.push(self.list[at].segment);
            at = self.list[at].parent;
        }
        let mut pointer = String::new();
        for segment in segments.into_iter().rev() {
            segment.push_to(&mut pointer);
        }
        pointer
    }

    pub(super) fn any_keyword(&self, keywords: &[&str]) -> bool {
        let has =
            |at: &Position<'_>| keywords.iter().any(|keyword| at.value.get(keyword).is_some());
        self.list.iter().any(has)
    }

    pub(super) fn resolve(&self, reference: &str) -> Target {
        if reference::pointer_of(reference).is_none() {
            return Target::Remote;
        }
        match reference::resolve(self.document, reference) {
            None => Target::Dangling,
            Some(value) => match self.by_address.get(&address(value)) {
                Some(at) => Target::Position(*at),
                None => Target::NoSchema,
            },
        }
    }

    /// The positions applied to the same value as `at`: subschemas in document order, then the target
    /// of its `$ref`. Each with the pointer suffix of what leads there.
    pub(super) fn in_place(&self, at: usize) -> Vec<(usize, &'static str)> {
        let position = &self.list[at];
        let below = position.children.iter().filter(|(_, reach)| *reach == Reach::InPlace);
        let mut found: Vec<_> = below.map(|(child, _)| (*child, "")).collect();
        let reference = position.value.get("$ref").and_then(Value::as_str);
        if let Some(Target::Position(target)) = reference.map(|text| self.resolve(text)) {
            found.push((target, "/$ref"));
        }
        found
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}
