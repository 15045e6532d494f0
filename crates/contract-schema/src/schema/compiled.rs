//! `Schema`: an accepted document and the validator built from it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use jsonschema::Validator;
use serde_json::Value;

use super::draft::Draft;
use super::enforced::enforced;
use super::error::SchemaError;
use super::gate::{self, Facts};
use super::node::{Copies, TapeJson, TapeNode, Walk};
use super::violation::{Violation, Violations};
use super::{explain, pattern};
use crate::json::{Canonical, Json};

/// Children that one validation may look at, on top of [`STEPS_A_BYTE`] for the document's size.
const STEPS: u64 = 1 << 20;
/// A value of a document takes sixteen bytes, so this is some hundred looks at every value.
const STEPS_A_BYTE: u64 = 8;
/// A tree takes some times the memory of the document it is copied from.
const BYTES_COPIED_A_BYTE: u64 = 8;
/// Stack that one schema applied to one value may take, with a margin over what was measured in an
/// unoptimized build.
const STACK_BYTES_A_STEP: usize = 6 << 10;
/// Stack that building the validator may take for one level of the document.
const STACK_BYTES_A_LEVEL: usize = 64 << 10;
/// Stack that is left untouched.
const STACK_BYTES_SPARE: usize = 128 << 10;

/// A schema document that passed the gate (contract D3, D4). Cheap to clone, shared between threads.
///
/// The validator is built on first use, or at once by [`Schema::force`].
#[derive(Clone)]
pub struct Schema {
    inner: Arc<Inner>,
}

struct Inner {
    document: Value,
    facts: Facts,
    engine: OnceLock<Result<Engine, String>>,
}

/// What validates, and what its errors point into.
pub(super) struct Engine {
    pub(super) validator: Validator<TapeJson>,
    pub(super) enforced: Value,
}

impl Schema {
    /// Judges a schema document.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] with every place that the supported subset does not cover (contract D3).
    pub fn compile(document: &Value) -> Result<Self, SchemaError> {
        let facts = gate::check(document)?;
        let inner = Inner { document: document.clone(), facts, engine: OnceLock::new() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// [`Schema::compile`] of a document that was read as [`Json`].
    ///
    /// # Errors
    ///
    /// As [`Schema::compile`].
    pub fn compile_json(document: &Json) -> Result<Self, SchemaError> {
        Self::compile(&document.to_value())
    }

    /// The document, annotations included, as it was given.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.inner.document
    }

    /// The draft it is written in.
    #[must_use]
    pub fn draft(&self) -> Draft {
        self.inner.facts.draft
    }

    /// Containers open at the deepest point of the document.
    pub(crate) fn depth(&self) -> usize {
        self.inner.facts.depth as usize
    }

    /// Builds the validator now instead of on first use.
    pub fn force(&self) {
        let _ = self.engine();
    }

    /// Builds the validator now and says whether that succeeded. What the gate accepts is meant to build;
    /// whoever registers a document from outside asks here, so that nothing fails at its first use.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] of the whole document when the validator refuses what the gate accepted.
    pub fn try_force(&self) -> Result<(), SchemaError> {
        self.engine()
            .map(|_| ())
            .map_err(|reason| SchemaError::at_root(format!("must be {reason}")))
    }

    /// Validates a document and states the result in its type: the only way to a [`Canonical`].
    ///
    /// # Errors
    ///
    /// [`Violations`] with the places where the document breaks the schema; they never hold a value.
    pub fn canonicalize(&self, json: Json) -> Result<Canonical, Violations> {
        let engine = self.engine().map_err(|reason| whole(&json, "$schema", reason.to_owned()))?;
        match self.verdict(engine, &json) {
            Some(true) => Ok(Canonical::new_validated(json)),
            Some(false) => Err(self.explain(engine, &json)),
            None => Err(whole(&json, "$schema", undecided())),
        }
    }

    /// Whether the document is valid; `None` when that would take too many steps.
    fn verdict(&self, engine: &Engine, json: &Json) -> Option<bool> {
        let walk = Walk::new(budget(json), Copies::None);
        let node = TapeNode::Value(&walk, json.root());
        let is_valid = self.on_enough_stack(json, || engine.validator.is_valid(node));
        (!walk.is_spent()).then_some(is_valid)
    }

    fn explain(&self, engine: &Engine, json: &Json) -> Violations {
        let copies = if self.inner.facts.has_patterns {
            Copies::Root { bytes: (json.memory_bytes() as u64).saturating_mul(BYTES_COPIED_A_BYTE) }
        } else {
            Copies::None
        };
        self.on_enough_stack(json, || explain::explain(engine, json, copies, budget(json)))
    }

    /// Validation recurses through the document and, at each of its values, through the subschemas that
    /// apply to it; both are bounded, their product may still be more than a thread's stack (V5).
    fn on_enough_stack<T>(&self, json: &Json, run: impl FnOnce() -> T) -> T {
        let levels = json.max_depth() as usize + 1;
        let steps = levels * (self.inner.facts.in_place_depth as usize + 1);
        let needed = steps * STACK_BYTES_A_STEP + STACK_BYTES_SPARE;
        stacker::maybe_grow(needed, needed, run)
    }

    fn engine(&self) -> Result<&Engine, &str> {
        let built = self.inner.engine.get_or_init(|| self.build());
        built.as_ref().map_err(String::as_str)
    }

    /// What the gate accepts, the validator builds; if it ever does not, nothing validates.
    fn build(&self) -> Result<Engine, String> {
        let facts = self.inner.facts;
        let needed = facts.depth as usize * STACK_BYTES_A_LEVEL + STACK_BYTES_SPARE;
        stacker::maybe_grow(needed, needed, || {
            let enforced = enforced(&self.inner.document);
            let validator = jsonschema::options_for::<TapeJson>()
                .with_draft(facts.draft.engine())
                .with_pattern_options(pattern::options())
                .should_validate_formats(false)
                .build(&enforced)
                .map_err(|error| format!("a schema the validator can build ({error})"))?;
            Ok(Engine { validator, enforced })
        })
    }
}

/// How many children one validation of the document may look at.
fn budget(json: &Json) -> u64 {
    STEPS.saturating_add((json.memory_bytes() as u64).saturating_mul(STEPS_A_BYTE))
}

/// One violation of the whole document.
fn whole(json: &Json, keyword: &str, expected: String) -> Violations {
    Violations::one(Violation {
        path: String::new(),
        keyword: keyword.to_owned(),
        expected,
        found: json.root().kind(),
    })
}

fn undecided() -> String {
    "a value that can be validated in a bounded number of steps".to_owned()
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema")
            .field("draft", &self.draft())
            .field("document", &self.inner.document)
            .finish_non_exhaustive()
    }
}

/// Two schemas are equal when their documents are.
impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner) || self.inner.document == other.inner.document
    }
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Schema>();
};
