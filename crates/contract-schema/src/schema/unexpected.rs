//! Properties that should not be there. There may be as many as a document has members, so each is only
//! noted, and put into words when it is shown.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::Value;

use super::violation::Violation;
use super::{nearest, pointer};
use crate::json::JsonKind;

/// One property that should not be there.
#[derive(Clone)]
pub(super) struct Unexpected<'a> {
    /// Pointer to the object.
    pub(super) object: Rc<str>,
    pub(super) name: String,
    pub(super) keyword: &'static str,
    /// The names that the schema knows instead.
    pub(super) known: Rc<[&'a str]>,
    pub(super) found: JsonKind,
}

impl Unexpected<'_> {
    pub(super) fn violation(&self) -> Violation {
        let mut place = self.object.to_string();
        pointer::push(&mut place, &self.name);
        Violation {
            path: pointer::clip_pointer(&place),
            keyword: self.keyword.to_owned(),
            expected: format!("no such property{}", nearest::hint(&self.name, &self.known)),
            found: self.found,
        }
    }

    /// Whether both become the same violation.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.keyword == other.keyword
            && Rc::ptr_eq(&self.known, &other.known)
            && self.name == other.name
            && self.object == other.object
    }
}

/// The names that schemas know, gathered once a schema; equal lists are one list.
#[derive(Default)]
pub(super) struct KnownNames<'a> {
    by_schema: HashMap<String, Rc<[&'a str]>>,
    lists: HashSet<Rc<[&'a str]>>,
}

impl<'a> KnownNames<'a> {
    /// The names known to the schema at a pointer.
    pub(super) fn of(&mut self, document: &'a Value, schema: &str) -> Rc<[&'a str]> {
        if let Some(known) = self.by_schema.get(schema) {
            return Rc::clone(known);
        }
        let names = document.pointer(schema).map(nearest::known_names).unwrap_or_default();
        let names: Rc<[&str]> = names.into();
        let known = self.lists.get(&names).cloned().unwrap_or(names);
        self.lists.insert(Rc::clone(&known));
        self.by_schema.insert(schema.to_owned(), Rc::clone(&known));
        known
    }
}
