//! What a caller reads when a document breaks its schema (decisions DG7, DG8).

use contract_schema::{Json, Schema};
use serde_json::{Value, json};

/// The violations of a document, one line each.
fn check(schema: &Value, document: &str, expected: &[&str]) {
    let schema = Schema::compile(schema).unwrap();
    let text = match schema.canonicalize(Json::parse(document).unwrap()) {
        Ok(_) => String::new(),
        Err(violations) => violations.to_string(),
    };
    assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{document}");
}

fn arguments() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1},
            "file_path": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 10},
            "mode": {"enum": ["content", "files"]},
        },
        "required": ["pattern"],
        "additionalProperties": false,
    })
}

#[test]
fn each_line_names_the_place_and_the_fix() {
    let schema = arguments();
    check(&schema, r#"{"pattern":"a","limit":2.0}"#, &[]);
    check(&schema, "{}", &["the top level: required property `pattern` is missing"]);
    check(&schema, "[]", &["the top level: expected object, found array"]);
    check(
        &schema,
        r#"{"patern":"x","pattern":""}"#,
        &[
            "/patern: no such property; did you mean `pattern`?",
            "/pattern: expected at least 1 character, found string",
        ],
    );
    check(
        &schema,
        r#"{"pattern":"a","filePath":"x"}"#,
        &["/filePath: no such property; did you mean `file_path`?"],
    );
    check(
        &schema,
        r#"{"pattern":"a","zzz":1}"#,
        &["/zzz: no such property; known here: `pattern`, `file_path`, `limit`, `mode`"],
    );
    check(
        &schema,
        r#"{"mode":"x","limit":"5","pattern":null}"#,
        &[
            "/mode: expected \"content\" or \"files\", found string",
            "/limit: expected integer, found string",
            "/pattern: expected string, found null",
        ],
    );
    check(
        &schema,
        r#"{"pattern":"a","limit":11}"#,
        &["/limit: expected at most 10, found integer"],
    );
}

#[test]
fn five_are_shown_in_document_order_and_the_rest_is_counted() {
    let schema = json!({"items": {"type": "string"}});
    let document = "[1,2,\"a\",3,4,5,6,7]";
    check(
        &schema,
        document,
        &[
            "/0: expected string, found integer",
            "/1: expected string, found integer",
            "/3: expected string, found integer",
            "/4: expected string, found integer",
            "/5: expected string, found integer",
            "and 2 more",
        ],
    );
    let schema = Schema::compile(&schema).unwrap();
    let violations = schema.canonicalize(Json::parse(document).unwrap()).unwrap_err();
    assert_eq!((violations.shown().len(), violations.total()), (5, 7));
    assert!(violations.is_complete());
}

#[test]
fn no_line_holds_a_value() {
    let schema = json!({
        "properties": {
            "a": {"const": 1}, "b": {"pattern": "^x$"}, "c": {"not": {}}, "d": {"maxLength": 2},
        },
        "propertyNames": {"maxLength": 3},
    });
    let secret = "hunter2";
    let document = json!({"a": secret, "b": secret, "c": secret, "d": secret});
    let schema = Schema::compile(&schema).unwrap();
    let violations = schema.canonicalize(Json::snapshot(&document).unwrap()).unwrap_err();
    assert_eq!(violations.total(), 4);
    assert!(!format!("{violations} {violations:?}").contains(secret));
}

#[test]
fn names_are_cut_and_cannot_break_a_line() {
    let schema = json!({"additionalProperties": false});
    let name = format!("a\n{}", "é".repeat(100));
    let document = json!({name: 1}).to_string();
    let line = format!("/a\\n{}…: no such property", "é".repeat(39));
    check(&schema, &document, &[&line]);
}

fn tagged() -> Value {
    json!({
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": "background"}, "jobId": {"type": "string"}},
                "required": ["kind", "jobId"],
                "additionalProperties": false,
            },
            {"$ref": "#/$defs/foreground"},
        ],
        "$defs": {
            "foreground": {
                "type": "object",
                "properties": {
                    "kind": {"const": "foreground"},
                    "exitCode": {"type": ["integer", "null"]},
                },
                "required": ["kind", "exitCode"],
            },
        },
    })
}

#[test]
fn a_tagged_union_reports_against_the_branch_of_its_tag() {
    let schema = tagged();
    check(
        &schema,
        r#"{"kind":"foreground","exitCode":"1"}"#,
        &["/exitCode: expected null or integer, found string"],
    );
    check(
        &schema,
        r#"{"kind":"background","jobID":"1"}"#,
        &[
            "the top level: required property `jobId` is missing",
            "/jobID: no such property; did you mean `jobId`?",
        ],
    );
    check(
        &schema,
        r#"{"kind":"other"}"#,
        &["/kind: expected \"background\" or \"foreground\", found string"],
    );
    check(&schema, "{}", &["the top level: required property `kind` is missing"]);
    check(&schema, "3", &["the top level: expected object, found integer"]);
}

#[test]
fn a_union_of_kinds_reports_against_the_branch_of_that_kind() {
    let schema = json!({
        "properties": {
            "a": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "b": {"anyOf": [{"minimum": 3}, {"multipleOf": 2}]},
            "c": {"oneOf": [{"minimum": 3}, {"multipleOf": 2}]},
        },
    });
    check(
        &schema,
        r#"{"a":["x",1],"b":1,"c":4}"#,
        &[
            "/a/1: expected string, found integer",
            "/b: expected a value that fits one of 2 alternatives, found integer",
            "/c: expected exactly one alternative that fits, not several, found integer",
        ],
    );
    check(&schema, r#"{"a":1}"#, &["/a: expected array or null, found integer"]);
}

#[test]
fn every_kind_of_bound_has_its_phrase() {
    let schema = json!({
        "properties": {
            "a": {"maxItems": 1, "uniqueItems": true},
            "b": {"minProperties": 2, "maxProperties": 1},
            "c": {"exclusiveMinimum": 1, "multipleOf": 0.5},
            "d": {"prefixItems": [true], "items": false},
            "e": {"contains": {"const": 1}},
            "f": false,
            "g": {"propertyNames": {"pattern": "^a"}},
            "h": {"properties": {"x": true}, "unevaluatedProperties": false},
            "i": {"dependentRequired": {"x": ["y"]}},
        },
    });
    check(
        &schema,
        r#"{"a":[1,1],"b":{"x":1}}"#,
        &[
            "/a: expected at most 1 item, found array",
            "/a: expected items that all differ, found array",
            "/b: expected at least 2 properties, found object",
        ],
    );
    check(
        &schema,
        r#"{"c":0.75,"d":[1,2],"e":[2]}"#,
        &[
            "/c: expected more than 1, found number",
            "/c: expected a multiple of 0.5, found number",
            "/d/1: expected nothing: no value is allowed here, found integer",
            "/e: expected items as `contains` asks for, found array",
        ],
    );
    check(
        &schema,
        r#"{"f":1,"g":{"b":1},"h":{"y":1},"i":{"x":1}}"#,
        &[
            "/f: expected nothing: no value is allowed here, found integer",
            "/g: property name `b` is not allowed: expected text that matches \"^a\"",
            "/h/y: no such property; known here: `x`",
            "/i: required property `y` is missing",
        ],
    );
}

#[test]
fn integers_are_compared_exactly() {
    let schema = json!({"maximum": 9_007_199_254_740_992_u64});
    check(&schema, "9007199254740992", &[]);
    check(
        &schema,
        "9007199254740993",
        &["the top level: expected at most 9007199254740992, found integer"],
    );
    let schema = json!({"const": 18_446_744_073_709_551_615_u64});
    check(&schema, "18446744073709551615", &[]);
    check(
        &schema,
        "18446744073709551614",
        &["the top level: expected 18446744073709551615, found integer"],
    );
}

#[test]
fn a_schema_that_takes_no_value_says_so() {
    let line = "the top level: expected no value at all, found integer";
    check(&json!({"enum": []}), "1", &[line]);
}
