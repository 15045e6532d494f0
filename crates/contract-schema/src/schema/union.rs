//! Narrows down a value that fits no branch of `anyOf` or `oneOf`.
//!
//! "fits none of 5 alternatives" helps nobody. When the branches are objects told apart by a constant
//! member, or only one branch takes values of that kind, the violations of that one branch are the answer.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use super::explain::Explainer;
use super::{equality, expected, pointer, reference};
use crate::json::{JsonKind, JsonRef};

/// References followed to find out what a branch is.
const MAX_HOPS: usize = 8;

/// Adds the violations of a failed union.
pub(super) fn add(
    explainer: &mut Explainer<'_>,
    error: &ValidationError<'_>,
    context: &[Vec<ValidationError<'static>>],
) {
    let place = error.instance_path().as_str();
    let keyword = error.kind().keyword();
    let value = explainer.value(place);
    let root = &explainer.engine.enforced;
    let branches = root.pointer(error.schema_path().as_str()).and_then(Value::as_array);
    let branches: Vec<_> = branches.into_iter().flatten().map(|b| target(root, b)).collect();
    let fitting: Vec<usize> =
        (0..context.len()).filter(|i| !is_other_kind(&context[*i], place)).collect();
    if let Some(tag) = tag(&branches, &fitting).filter(|_| value.kind() == JsonKind::Object) {
        return add_tagged(explainer, place, keyword, value, &tag, context);
    }
    match fitting.as_slice() {
        [] => explainer.add(place, keyword, kinds(context, place)),
        [only] => context[*only].iter().for_each(|error| explainer.add_error(error)),
        _ => {
            let count = context.len();
            let text = format!("a value that fits one of {count} alternatives");
            explainer.add(place, keyword, text);
        }
    }
}

/// A member by which branches are told apart: its name, and each branch's number and constant.
struct Tag<'a> {
    name: &'a str,
    branches: Vec<(usize, &'a Value)>,
}

fn add_tagged(
    explainer: &mut Explainer<'_>,
    place: &str,
    keyword: &str,
    value: JsonRef<'_>,
    tag: &Tag<'_>,
    context: &[Vec<ValidationError<'static>>],
) {
    let Some(found) = value.get(tag.name) else {
        let text = format!("required property `{}`", pointer::clip(tag.name));
        return explainer.add(place, "required", text);
    };
    let matching = tag.branches.iter().find(|(_, is)| equality::equals_value(found, is));
    if let Some((branch, _)) = matching {
        return context[*branch].iter().for_each(|error| explainer.add_error(error));
    }
    let mut member = place.to_owned();
    pointer::push(&mut member, tag.name);
    let constants: Vec<Value> = tag.branches.iter().map(|(_, is)| (*is).clone()).collect();
    explainer.add(&member, keyword, expected::one_of(&constants));
}

/// The first member that every fitting branch fixes, each to another constant.
fn tag<'a>(branches: &[&'a Value], fitting: &[usize]) -> Option<Tag<'a>> {
    let first = branches.get(*fitting.first()?)?;
    let names = first.get("properties")?.as_object()?.keys();
    names.map(String::as_str).find_map(|name| {
        let mut found: Vec<(usize, &Value)> = Vec::new();
        for branch in fitting {
            let constant = constant(branches.get(*branch)?, name)?;
            if found.iter().any(|(_, other)| *other == constant) {
                return None;
            }
            found.push((*branch, constant));
        }
        (found.len() > 1).then_some(Tag { name, branches: found })
    })
}

fn constant<'a>(branch: &'a Value, name: &str) -> Option<&'a Value> {
    let member = branch.get("properties")?.get(name)?;
    member.get("const").or_else(|| match member.get("enum")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    })
}

/// What a branch stands for when it is only a reference.
fn target<'a>(root: &'a Value, mut branch: &'a Value) -> &'a Value {
    for _ in 0..MAX_HOPS {
        let reference = branch.get("$ref").and_then(Value::as_str);
        let Some(next) = reference.and_then(|text| reference::resolve(root, text)) else { break };
        branch = next;
    }
    branch
}

/// Whether a branch failed because it takes values of other kinds.
fn is_other_kind(errors: &[ValidationError<'_>], place: &str) -> bool {
    errors.iter().any(|error| {
        matches!(error.kind(), Kind::Type { .. }) && error.instance_path().as_str() == place
    })
}

/// The kinds that the branches take.
fn kinds(context: &[Vec<ValidationError<'static>>], place: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for error in context.iter().flatten() {
        if matches!(error.kind(), Kind::Type { .. }) && error.instance_path().as_str() == place {
            let name = expected::phrase(error.kind());
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    expected::alternatives(&names)
}
