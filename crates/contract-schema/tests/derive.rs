//! Schemas derived from Rust types (contract D2, D7; decisions DG8).
#![allow(dead_code, reason = "the types are only there to be derived from")]

use std::collections::BTreeMap;

use contract_schema::{Json, Schema, argument_schema, output_schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Hit {
    /// Where it is.
    path: String,
    line_number: u32,
    exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    score: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Outcome {
    Background { id: String },
    Foreground(Hit),
    Nothing,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Spread {
    name: String,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Forest {
    trees: Vec<Tree>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// First.
    One,
    /// Second.
    Two,
}

#[derive(Deserialize, JsonSchema)]
struct Args {
    file_path: String,
    limit: Option<u32>,
    #[serde(default)]
    mode: Option<Mode>,
    hit: Option<Hit>,
    #[serde(default)]
    tags: BTreeMap<String, Value>,
}

fn compiled(schema: &Value) -> Schema {
    Schema::compile(schema).unwrap()
}

fn accepts(schema: &Value, value: Value) -> bool {
    compiled(schema).canonicalize(Json::snapshot(&value).unwrap()).is_ok()
}

#[test]
fn a_value_schema_is_closed_and_says_what_is_null_and_what_is_absent() {
    let schema = output_schema::<Hit>();
    let expected = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where it is."},
            "lineNumber": {"type": "integer", "minimum": 0, "maximum": u32::MAX},
            "exitCode": {"type": ["integer", "null"], "minimum": i32::MIN, "maximum": i32::MAX},
            "note": {"type": "string"},
            "score": {"type": "number"},
        },
        "required": ["path", "lineNumber", "exitCode", "score"],
        "additionalProperties": false,
    });
    assert_eq!(schema, expected);
    let names: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["path", "lineNumber", "exitCode", "note", "score"], "declared order");
}

#[test]
fn an_argument_schema_has_no_null_and_no_unknown_key() {
    let schema = argument_schema::<Args>();
    assert_eq!(schema["required"], json!(["file_path"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    let properties = &schema["properties"];
    let limit = json!({"type": "integer", "minimum": 0, "maximum": u32::MAX});
    assert_eq!(properties["limit"], limit);
    let mode = json!({
        "oneOf": [
            {"type": "string", "const": "one", "description": "First."},
            {"type": "string", "const": "two", "description": "Second."},
        ],
    });
    assert_eq!(properties["mode"], mode);
    assert_eq!(properties["hit"]["type"], json!("object"));
    assert_eq!(properties["tags"]["additionalProperties"], json!(true), "a map stays open");
    assert!(accepts(&schema, json!({"file_path": "a", "tags": {"x": null}})));
    assert!(!accepts(&schema, json!({"file_path": "a", "limit": null})));
    assert!(!accepts(&schema, json!({"file_path": "a", "other": 1})));
    assert!(!accepts(&schema, json!({"file_path": "a", "limit": 4_294_967_296_u64})));
}

#[test]
fn every_branch_of_a_tagged_union_is_closed_and_the_root_is_an_object() {
    let schema = output_schema::<Outcome>();
    assert_eq!(schema["type"], json!("object"));
    for branch in schema["oneOf"].as_array().unwrap() {
        assert_eq!(branch["additionalProperties"], json!(false));
    }
    assert!(accepts(&schema, json!({"kind": "nothing"})));
    assert!(!accepts(&schema, json!({"kind": "nothing", "id": "x"})));
}

#[test]
fn an_object_with_flattened_alternatives_is_closed_as_a_whole() {
    let schema = output_schema::<Spread>();
    assert_eq!(schema["unevaluatedProperties"], json!(false));
    assert!(accepts(&schema, json!({"name": "a", "kind": "background", "id": "x"})));
    assert!(!accepts(&schema, json!({"name": "a", "kind": "background", "id": "x", "more": 1})));
    assert!(!accepts(&schema, json!({"name": "a", "kind": "nothing", "id": "x"})));
}

#[test]
fn recursive_types_refer_to_themselves() {
    let schema = output_schema::<Tree>();
    assert_eq!(schema["properties"]["children"]["items"], json!({"$ref": "#"}));
    let schema = output_schema::<Forest>();
    let item = &schema["$defs"]["Tree"]["properties"]["children"]["items"];
    assert_eq!(*item, json!({"$ref": "#/$defs/Tree"}));
    assert_eq!(schema["$defs"]["Tree"]["additionalProperties"], json!(false));
    let leaf = json!({"name": "leaf", "children": []});
    assert!(accepts(&schema, json!({"trees": [{"name": "a", "children": [leaf]}]})));
    assert!(!accepts(&schema, json!({"trees": [{"name": "a", "children": [{"name": 1}]}]})));
}

#[test]
fn roots_have_no_title_and_no_dialect() {
    for schema in [output_schema::<Forest>(), argument_schema::<Args>(), output_schema::<String>()]
    {
        assert_eq!((schema.get("title"), schema.get("$schema")), (None, None));
    }
    assert_eq!(output_schema::<Value>(), json!({}));
    assert_eq!(output_schema::<Vec<u8>>()["items"]["maximum"], json!(255));
}

#[test]
fn a_value_that_serializes_passes_its_schema() {
    let hit = Hit { path: "a".to_owned(), line_number: 1, exit_code: None, note: None, score: 0.1 };
    let spread = Spread { name: "x".to_owned(), outcome: Outcome::Foreground(hit) };
    let json = Json::snapshot(&spread).unwrap();
    let canonical = compiled(&output_schema::<Spread>()).canonicalize(json).unwrap();
    assert_eq!(canonical.root().pointer("/score").unwrap().as_f64(), Some(0.1));
}
