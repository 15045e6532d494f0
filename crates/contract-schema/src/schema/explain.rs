//! From the validator's errors to violations: paths, keywords and expectations, never a value.

use std::rc::Rc;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;

use super::compiled::Engine;
use super::node::{Copies, TapeNode, Walk};
use super::places::{Places, longest_pointer};
use super::unexpected::{KnownNames, Unexpected};
use super::violation::{MAX_SHOWN_VIOLATIONS, Violation, Violations};
use super::{expected, pointer, union};
use crate::json::{Json, JsonRef};

/// Children that the search for every violation may look at. It also bounds how many errors there can be,
/// and so the memory they take.
const LISTING_STEPS: u64 = 500_000;
/// Bytes that the pointers of all those errors may take together.
const LISTING_POINTER_BYTES: u64 = 64 << 20;

/// What is wrong with a document that is known to be invalid. `budget` is for the search for one
/// violation, where the search for every one takes too long.
pub(super) fn explain(engine: &Engine, json: &Json, copies: Copies, budget: u64) -> Violations {
    let walk = Walk::new(listing_steps(json), copies);
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

/// Fewer where the pointers are long.
fn listing_steps(json: &Json) -> u64 {
    let longest = longest_pointer(json.root()) as u64;
    LISTING_STEPS.min(LISTING_POINTER_BYTES / longest.max(1))
}

/// Gathers violations with their place in the document.
pub(super) struct Explainer<'a> {
    pub(super) engine: &'a Engine,
    places: Places<'a>,
    known: KnownNames<'a>,
    /// Each with the index of the value it is about.
    found: Vec<(usize, Found<'a>)>,
}

enum Found<'a> {
    Stated(Violation),
    Unexpected(Unexpected<'a>),
}

impl Found<'_> {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stated(a), Self::Stated(b)) => a == b,
            (Self::Unexpected(a), Self::Unexpected(b)) => a.is_same(b),
            (Self::Stated(_), Self::Unexpected(_)) | (Self::Unexpected(_), Self::Stated(_)) => {
                false
            }
        }
    }

    fn violation(self) -> Violation {
        match self {
            Self::Stated(violation) => violation,
            Self::Unexpected(unexpected) => unexpected.violation(),
        }
    }
}

impl<'a> Explainer<'a> {
    fn new(engine: &'a Engine, json: &'a Json) -> Self {
        let places = Places::new(json.root());
        Self { engine, places, known: KnownNames::default(), found: Vec::new() }
    }

    fn violations(mut self, errors: &[ValidationError<'_>], is_complete: bool) -> Violations {
        for error in errors {
            self.add_error(error);
        }
        if self.found.is_empty() {
            self.add("", "$schema", "a value that the schema accepts".to_owned());
        }
        self.found.sort_by_key(|(at, _)| *at);
        self.found.dedup_by(|(_, later), (_, earlier)| later.is_same(earlier));
        let total = self.found.len();
        let shown = self.found.into_iter().take(MAX_SHOWN_VIOLATIONS);
        Violations::new(shown.map(|(_, found)| found.violation()).collect(), total, is_complete)
    }

    /// The value at a pointer that the validator gave.
    pub(super) fn value(&mut self, pointer: &str) -> JsonRef<'a> {
        self.places.value(pointer)
    }

    /// Adds a violation of `keyword` at a pointer.
    pub(super) fn add(&mut self, pointer: &str, keyword: &str, expected: String) {
        let value = self.value(pointer);
        let violation = Violation {
            path: pointer::clip_pointer(pointer),
            keyword: keyword.to_owned(),
            expected,
            found: value.kind(),
        };
        self.found.push((value.index(), Found::Stated(violation)));
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
            Kind::AdditionalProperties { unexpected } => {
                self.add_unexpected(error, "additionalProperties", unexpected);
            }
            Kind::UnevaluatedProperties { unexpected } => {
                self.add_unexpected(error, "unevaluatedProperties", unexpected);
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

    fn add_unexpected(
        &mut self,
        error: &ValidationError<'_>,
        keyword: &'static str,
        names: &[String],
    ) {
        let schema = error.schema_path().as_str();
        let owner = schema.rsplit_once('/').map_or("", |(owner, _)| owner);
        let known = self.known.of(&self.engine.enforced, owner);
        let pointer = error.instance_path().as_str();
        let object = self.value(pointer);
        let pointer: Rc<str> = pointer.into();
        for name in names {
            let value = self.places.member(object, name).unwrap_or(object);
            let unexpected = Unexpected {
                object: Rc::clone(&pointer),
                name: name.clone(),
                keyword,
                known: Rc::clone(&known),
                found: value.kind(),
            };
            self.found.push((value.index(), Found::Unexpected(unexpected)));
        }
    }
}
