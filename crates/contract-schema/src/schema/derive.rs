//! Schemas derived from Rust types: the settings, in one place.
//!
//! What schemars writes is adapted to the contract:
//! - The root has no `$schema` and no `title`; every type is written out where it is used, only recursive
//!   ones become `$defs`.
//! - Objects are closed: `additionalProperties: false`, or `unevaluatedProperties: false` where the members
//!   of an object are spread over `allOf`, `anyOf` or `oneOf` (a flattened enum, say). Maps stay open.
//! - An optional property is absent or has a value; null is taken out of it (contract D7).
//! - A root union of objects says `type: object` (D7).
//! - Number formats that only Rust knows (`int32`, `double`) are removed. The 32-bit ones leave their
//!   bounds behind, so that what validates also fits the type.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::keyword::{Reach, Shape, keyword};
use super::reference;

/// Keywords that spread the members of an object over several subschemas.
const COMPOSITIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Formats that describe a Rust number.
const RUST_FORMATS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// The schema of what `T` serializes to (contract D2, D7): for the values of tools.
#[must_use]
pub fn output_schema<T: JsonSchema + ?Sized>() -> Value {
    derive::<T>(settings().for_serialize())
}

/// The schema of what `T` deserializes from (contract D2, D7; decisions DG8): for arguments.
#[must_use]
pub fn argument_schema<T: JsonSchema + ?Sized>() -> Value {
    derive::<T>(settings().for_deserialize())
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    })
}

fn derive<T: JsonSchema + ?Sized>(settings: SchemaSettings) -> Value {
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(root) = schema.as_object_mut() {
        root.shift_remove("title");
    }
    adapt(&mut schema, false);
    type_root(&mut schema);
    schema
}

/// Adapts a schema and everything below it. `is_part`: its members are some of those of an object whose
/// schema is closed further up.
fn adapt(schema: &mut Value, is_part: bool) {
    let Some(members) = schema.as_object_mut() else { return };
    plain_number(members);
    plain_optionals(members);
    let is_object = is_object(members);
    let is_composed = is_object && COMPOSITIONS.iter().any(|name| members.contains_key(*name));
    if is_object && !is_part {
        close(members, is_composed);
    }
    for (name, value) in members {
        let Some(row) = keyword(name) else { continue };
        each_subschema(row.shape, value, |reach, below| {
            adapt(below, reach == Reach::InPlace && (is_part || is_composed));
        });
    }
}

fn each_subschema(shape: Shape, value: &mut Value, mut visit: impl FnMut(Reach, &mut Value)) {
    match (shape, value) {
        (Shape::Schema(reach), below) => visit(reach, below),
        (Shape::Schemas(reach), Value::Array(list)) => {
            list.iter_mut().for_each(|below| visit(reach, below));
        }
        (Shape::SchemaMap(reach), Value::Object(map)) => {
            map.values_mut().for_each(|below| visit(reach, below));
        }
        (Shape::PatternMap, Value::Object(map)) => {
            map.values_mut().for_each(|below| visit(Reach::Child, below));
        }
        (Shape::Items, below) => visit(Reach::Child, below),
        _ => {}
    }
}

fn is_object(members: &Map<String, Value>) -> bool {
    members.contains_key("properties") || names_type(members, "object")
}

fn names_type(members: &Map<String, Value>, name: &str) -> bool {
    match members.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(names)) => names.iter().any(|other| other == name),
        Some(_) | None => false,
    }
}

fn close(members: &mut Map<String, Value>, is_composed: bool) {
    if members.contains_key("additionalProperties")
        || members.contains_key("unevaluatedProperties")
        || members.contains_key("patternProperties")
    {
        return;
    }
    let keyword = if is_composed { "unevaluatedProperties" } else { "additionalProperties" };
    members.insert(keyword.to_owned(), Value::Bool(false));
}

fn plain_number(members: &mut Map<String, Value>) {
    let Some(format) = members.get("format").and_then(Value::as_str) else { return };
    if !RUST_FORMATS.contains(&format) {
        return;
    }
    let bounds = match format {
        "int32" => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
        "uint32" => Some((0, i64::from(u32::MAX))),
        _ => None,
    };
    members.shift_remove("format");
    if let Some((least, most)) = bounds {
        members.entry("minimum").or_insert_with(|| least.into());
        members.entry("maximum").or_insert_with(|| most.into());
    }
}

fn plain_optionals(members: &mut Map<String, Value>) {
    let required: Vec<String> = members
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let Some(Value::Object(properties)) = members.get_mut("properties") else { return };
    for (name, property) in properties {
        if !required.contains(name)
            && let Value::Object(property) = property
        {
            strip_null(property);
        }
    }
}

/// Takes null out of what a property accepts, unless it accepts nothing else.
fn strip_null(property: &mut Map<String, Value>) {
    if let Some(Value::Array(names)) = property.get_mut("type") {
        names.retain(|name| name != "null");
        if let [only] = names.as_mut_slice() {
            let only = only.take();
            property.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = property.get_mut("enum")
        && values.iter().any(|value| !value.is_null())
    {
        values.retain(|value| !value.is_null());
    }
    for keyword in ["anyOf", "oneOf"] {
        strip_null_branch(property, keyword);
    }
    if property.get("default").is_some_and(Value::is_null) {
        property.shift_remove("default");
    }
}

fn strip_null_branch(property: &mut Map<String, Value>, keyword: &str) {
    let Some(Value::Array(branches)) = property.get_mut(keyword) else { return };
    if branches.iter().all(is_null_schema) {
        return;
    }
    branches.retain(|branch| !is_null_schema(branch));
    let [Value::Object(only)] = branches.as_mut_slice() else { return };
    let only = std::mem::take(only);
    if only.keys().any(|name| name != "description" && property.contains_key(name)) {
        property.insert(keyword.to_owned(), Value::Array(vec![Value::Object(only)]));
        return;
    }
    property.shift_remove(keyword);
    for (name, value) in only {
        // What the field says about itself goes before what its type says.
        property.entry(name).or_insert(value);
    }
}

fn is_null_schema(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
        || schema.get("const").is_some_and(Value::is_null)
}

/// Gives a root union of objects its type.
fn type_root(schema: &mut Value) {
    let all_objects = ["anyOf", "oneOf"].iter().any(|keyword| {
        let branches = schema.get(keyword).and_then(Value::as_array);
        branches.is_some_and(|list| list.iter().all(|branch| is_object_branch(schema, branch)))
    });
    if let Value::Object(members) = schema
        && all_objects
        && !members.contains_key("type")
    {
        members.shift_insert(0, "type".to_owned(), "object".into());
    }
}

fn is_object_branch(root: &Value, branch: &Value) -> bool {
    let reference = branch.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|text| reference::resolve(root, text)).unwrap_or(branch);
    target.get("type").is_some_and(|name| name == "object")
}
