//! From the pointers of the validator's errors to the values of a document.

use std::collections::HashMap;

use crate::json::{JsonKind, JsonRef};

/// Objects up to this many members are searched as they are.
const FEW: usize = 8;

/// Finds values by pointer. What it learns about a large container is kept, so that an error for every
/// child of it takes time in proportion to their number.
pub(super) struct Places<'a> {
    root: JsonRef<'a>,
    /// The elements of arrays that were looked into, by the arrays' index.
    elements: HashMap<usize, Vec<JsonRef<'a>>>,
    /// The members of objects that were looked into, by the objects' index.
    members: HashMap<usize, HashMap<&'a str, JsonRef<'a>>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(root: JsonRef<'a>) -> Self {
        Self { root, elements: HashMap::new(), members: HashMap::new() }
    }

    /// The value at a pointer that the validator gave.
    pub(super) fn value(&mut self, pointer: &str) -> JsonRef<'a> {
        let mut value = self.root;
        for segment in pointer.split('/').skip(1) {
            value = self.child(value, segment).unwrap_or(value);
        }
        value
    }

    fn child(&mut self, value: JsonRef<'a>, segment: &str) -> Option<JsonRef<'a>> {
        if value.kind() == JsonKind::Array {
            let elements =
                self.elements.entry(value.index()).or_insert_with(|| value.elements().collect());
            return elements.get(segment.parse::<usize>().ok()?).copied();
        }
        if segment.contains('~') {
            return self.member(value, &segment.replace("~1", "/").replace("~0", "~"));
        }
        self.member(value, segment)
    }

    /// The member of an object by its name.
    pub(super) fn member(&mut self, object: JsonRef<'a>, name: &str) -> Option<JsonRef<'a>> {
        if object.len() <= FEW {
            return object.get(name);
        }
        let members =
            self.members.entry(object.index()).or_insert_with(|| object.members().collect());
        members.get(name).copied()
    }
}

/// Bytes of the longest pointer to a value below. Recursion is bounded by the documents' depth.
pub(super) fn longest_pointer(value: JsonRef<'_>) -> usize {
    /// Digits of an index, and the slash.
    const INDEX_BYTES: usize = 11;
    let elements = value.elements().map(|element| INDEX_BYTES + longest_pointer(element));
    let members = value.members().map(|(name, member)| 1 + name.len() + longest_pointer(member));
    elements.chain(members).max().unwrap_or(0)
}
