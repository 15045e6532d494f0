//! The arguments of one call as rules see them: each path is looked up once, however many rules ask.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use contract_registry::Call;
use contract_schema::JsonRef;

use super::number::by_value;
use super::path::{Named, Root, is_path};

/// A call under judgement.
pub(super) struct Looked<'a> {
    call: &'a Call,
    root: OnceCell<Root>,
    paths: RefCell<HashMap<String, Rc<Named>>>,
}

/// One argument.
#[derive(Debug)]
pub(super) enum Argument {
    /// A text.
    Text(String),
    /// What is none: its JSON text as it came, and with numbers by their value.
    Value { written: String, by_value: String },
    /// A text that names a place.
    Path(Rc<Named>),
}

impl<'a> Looked<'a> {
    pub(super) fn new(call: &'a Call) -> Self {
        Self { call, root: OnceCell::new(), paths: RefCell::default() }
    }

    pub(super) fn tool(&self) -> &str {
        self.call.name()
    }

    pub(super) fn root(&self) -> &Root {
        self.root.get_or_init(|| Root::new(self.call.workspace_root()))
    }

    /// The argument of that name, or at that JSON pointer.
    pub(super) fn argument(&self, key: &str) -> Option<Argument> {
        let arguments = self.call.arguments().root();
        let value = if key.starts_with('/') { arguments.pointer(key) } else { arguments.get(key) }?;
        let Some(text) = value.as_str() else { return Some(valued(value)) };
        if !is_path(key) {
            return Some(Argument::Text(text.to_owned()));
        }
        let mut paths = self.paths.borrow_mut();
        let named = match paths.get(text) {
            Some(named) => Rc::clone(named),
            None => {
                let named = Rc::new(Named::new(text, self.root()));
                paths.insert(text.to_owned(), Rc::clone(&named));
                named
            }
        };
        Some(Argument::Path(named))
    }
}

fn valued(value: JsonRef<'_>) -> Argument {
    Argument::Value { written: value.to_string(), by_value: by_value(value) }
}
