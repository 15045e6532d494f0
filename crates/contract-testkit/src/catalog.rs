//! What must hold for every tool, checked from its samples with no code from its author.

use std::collections::BTreeSet;

use contract_registry::Audience;
use contract_registry::samples::{ErasedSample, SampledTool};
use contract_schema::{Json, Schema};
use serde_json::Value;

use crate::faults::Faults;
use crate::projection::Projector;

/// A key that no tool declares.
const UNKNOWN_KEY: &str = "undeclaredKey";

/// Checks every tool and every sample.
///
/// Names are unique and well formed; both schemas are inside the subset; every sample passes them and
/// survives a write and a read; it renders to the same bytes each time, to at least one block, and for a
/// program without meta; a missing and an unknown key are refused, in arguments and in values.
///
/// # Errors
///
/// Every fault found.
pub fn check_catalog(tools: &[SampledTool]) -> Result<(), Faults> {
    let mut faults = Faults::default();
    let mut names = BTreeSet::new();
    for tool in tools {
        let definition = tool.tool.definition();
        let name = definition.name();
        faults.require(names.insert(name.to_owned()), name, "the name occurs twice");
        faults.require(well_formed(name), name, "the name is not a lower-case word with `_`");
        faults.require(well_formed(definition.family()), name, "the family is not a word");
        let first = definition.description().lines().next().unwrap_or_default();
        faults.require(!first.trim().is_empty(), name, "the description has no first line");
        for (part, schema) in
            [("argument", definition.parameters()), ("value", definition.output())]
        {
            if let Err(error) = Schema::compile(schema.document()) {
                faults.add(name, format!("{part} schema: {error}"));
            }
        }
        check_samples(tool, &mut faults);
    }
    faults.into_result()
}

fn well_formed(name: &str) -> bool {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.len() <= 64 && name.chars().all(word)
}

fn check_samples(tool: &SampledTool, faults: &mut Faults) {
    let name = tool.tool.definition().name();
    faults.require(!tool.samples.is_empty(), name, "no sample");
    let mut names = BTreeSet::new();
    for sample in &tool.samples {
        let title = format!("{name}, sample {}", sample.name);
        faults.require(names.insert(sample.name), &title, "the sample's name occurs twice");
        if let Err(what) = check_projections(tool, sample) {
            faults.add(&title, what);
        }
        check_round_trip("arguments", &sample.args, &title, faults);
        check_round_trip("value", &sample.value, &title, faults);
        let definition = tool.tool.definition();
        check_keys("arguments", definition.parameters(), &sample.args, &title, faults);
        check_keys("value", definition.output(), &sample.value, &title, faults);
    }
}

fn check_projections(tool: &SampledTool, sample: &ErasedSample) -> Result<(), String> {
    let projector = Projector::new(tool, sample)?;
    let (content, meta) = projector.project(Audience::Direct)?;
    if content.is_empty() {
        return Err("renders to no block".to_owned());
    }
    if projector.project(Audience::Direct)? != (content.clone(), meta) {
        return Err("renders differently the second time".to_owned());
    }
    if projector.project(Audience::Nested)? != (content, None) {
        return Err("a nested call differs in content, or has meta".to_owned());
    }
    let Some(overflow) = projector.overflow()? else { return Ok(()) };
    if overflow.suggested_name.contains(['/', '\\']) {
        return Err("the suggested name of the overflow has a separator".to_owned());
    }
    for place in [None, Some("somewhere")] {
        let page = (overflow.page)(place);
        if page.is_empty() || page != (overflow.page)(place) {
            return Err("the overflow's page is empty, or differs the second time".to_owned());
        }
    }
    Ok(())
}

/// A write and a read, and a copy into a tree and back, change nothing.
fn check_round_trip(part: &str, json: &Json, title: &str, faults: &mut Faults) {
    let read = Json::parse(&json.to_string());
    faults.require(read.as_ref() == Ok(json), title, format!("{part}: reads back differently"));
    let again = Json::snapshot(&json.to_value());
    faults.require(again.as_ref() == Ok(json), title, format!("{part}: copies differently"));
}

/// An object without a key it must have, or with one it must not have, is refused.
fn check_keys(part: &str, schema: &Schema, json: &Json, title: &str, faults: &mut Faults) {
    let Value::Object(members) = json.to_value() else { return };
    let mut refused = |changed: serde_json::Map<String, Value>, what: String| {
        let accepted = match Json::snapshot(&Value::Object(changed)) {
            Ok(json) => schema.canonicalize(json).is_ok(),
            Err(_) => false,
        };
        faults.require(!accepted, title, format!("{part}: {what} is accepted"));
    };
    let mut more = members.clone();
    more.insert(UNKNOWN_KEY.to_owned(), Value::Null);
    refused(more, "an unknown key".to_owned());
    for key in required(schema.document()) {
        let mut fewer = members.clone();
        fewer.shift_remove(key);
        refused(fewer, format!("an object without `{key}`"));
    }
}

/// Keys that every object of the schema must have: listed at its root, or the tag of a root union.
fn required(document: &Value) -> Vec<&str> {
    let listed = document["required"].as_array();
    let keys: Vec<&str> = listed.into_iter().flatten().filter_map(Value::as_str).collect();
    let union = ["oneOf", "anyOf"].iter().any(|keyword| document[*keyword].is_array());
    if keys.is_empty() && union { vec!["kind"] } else { keys }
}
