//! From the validator's errors to violations: paths, keywords and expectations, never a value.

use std::collections::HashMap;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;

use super::compiled::Engine;
use super::node::{Copies, TapeNode, Walk};
use super::violation::{Violation, Violations};
use super::{expected, nearest, pointer, union};
use crate::json::{Json, JsonKind, JsonRef};

/// Children that the search for every violation may look at. It also bounds how many errors there can be,
/// and so the memory they take.
const LISTING_STEPS: u64 = 500_000;

/// What is wrong with a document that is known to be invalid. `budget` is for the search for one
/// violation, where the search for every one takes too long.
pub(super) fn explain(engine: &Engine, json: &Json, copies: Copies, budget: u64) -> Violations {
    let walk = Walk::new(LISTING_STEPS, copies);
    let errors: Vec<_> =
        engine.validator.iter_errors(TapeNode::Value(&walk, json.root())).collect();
    if !walk.is_spent() {
        return Explainer::new(engine, json).violations(&errors, true);
    }
    drop(errors);
    let walk = Walk::new(budget, copies);
    let first = engine.validator.validate(TapeNode::Value(&walk, json.root()));
    match first {
        Err(error) if !walk.is_spent() => Explainer::new(engine, json).violations(&[error], false),
        Ok(()) | Err(_) => Explainer::new(engine, json).violations(&[], false),
    }
}

/// Gathers violations with their place in the document.
pub(super) struct Explainer<'a> {
    pub(super) engine: &'a Engine,
    root: JsonRef<'a>,
    /// The elements of arrays that were looked into, by the arrays' index.
    elements: HashMap<usize, Vec<JsonRef<'a>>>,
    found: Vec<(usize, Violation)>,
}

impl<'a> Explainer<'a> {
    fn new(engine: &'a Engine, json: &'a Json) -> Self {
        Self { engine, root: json.root(), elements: HashMap::new(), found: Vec::new() }
    }

    fn violations(mut self, errors: &[ValidationError<'_>], is_complete: bool) -> Violations {
        for error in errors {
            self.add_error(error);
        }
        if self.found.is_empty() {
            self.add("", "$schema", "a value that the schema accepts".to_owned());
        }
        self.found.sort_by_key(|(at, _)| *at);
        let mut found: Vec<_> = self.found.into_iter().map(|(_, violation)| violation).collect();
        found.dedup();
        Violations::new(found, is_complete)
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
            return value.get(&segment.replace("~1", "/").replace("~0", "~"));
        }
        value.get(segment)
    }

    /// Adds a violation of `keyword` at a pointer.
    pub(super) fn add(&mut self, pointer: &str, keyword: &str, expected: String) {
        let value = self.value(pointer);
        self.add_at(value, pointer, keyword, expected);
    }

    fn add_at(&mut self, value: JsonRef<'a>, pointer: &str, keyword: &str, expected: String) {
        let violation = Violation {
            path: pointer::clip_pointer(pointer),
            keyword: keyword.to_owned(),
            expected,
            found: value.kind(),
        };
        self.found.push((value.index(), violation));
    }

    /// Adds what an error says, a failed union narrowed down where that is possible.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a foreign enum; the rest is one phrase each"
    )]
    pub(super) fn add_error(&mut self, error: &ValidationError<'_>) {
        let pointer = error.instance_path().as_str();
        match error.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                union::add(self, error, context);
            }
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                self.add_unexpected(error, error.kind().keyword(), unexpected);
            }
            Kind::PropertyNames { error: inner } => {
                let name = inner.instance().as_str().map(pointer::clip).unwrap_or_default();
                let wanted = expected::phrase(inner.kind());
                let text = format!("property name `{name}` is not allowed: expected {wanted}");
                self.add(pointer, "propertyNames", text);
            }
            Kind::FalseSchema if self.refuses_members(error) => {
                let members = self.value(pointer).members();
                let names: Vec<String> = members.map(|(name, _)| name.to_owned()).collect();
                self.add_unexpected(error, "additionalProperties", &names);
            }
            kind => self.add(pointer, expected::keyword(kind), expected::phrase(kind)),
        }
    }

    /// Whether the schema refuses every member of an object because it names none: the validator reports
    /// that against the object.
    fn refuses_members(&self, error: &ValidationError<'_>) -> bool {
        let owner = error.schema_path().as_str().strip_suffix("/additionalProperties");
        let owner = owner.and_then(|owner| self.engine.enforced.pointer(owner));
        owner.is_some_and(|owner| {
            owner.get("properties").is_none() && owner.get("patternProperties").is_none()
        })
    }

    fn add_unexpected(&mut self, error: &ValidationError<'_>, keyword: &str, names: &[String]) {
        let schema = error.schema_path().as_str();
        let owner = schema.rsplit_once('/').map_or("", |(owner, _)| owner);
        let known = self.engine.enforced.pointer(owner).map(nearest::known_names);
        let known = known.unwrap_or_default();
        let object = error.instance_path().as_str();
        for name in names {
            let mut place = object.to_owned();
            pointer::push(&mut place, name);
            self.add(&place, keyword, format!("no such property{}", nearest::hint(name, &known)));
        }
    }
}
