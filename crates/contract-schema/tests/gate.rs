//! What the gate refuses, in its own words (contract D3, D4).

use contract_schema::schema::{Draft, Schema};
use serde_json::{Value, json};

/// The refusals of a schema, one line each.
fn check(schema: Value, expected: &[&str]) {
    let text = match Schema::compile(&schema) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{schema}");
}

/// [`check`] in draft-07.
fn check7(mut schema: Value, expected: &[&str]) {
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    check(schema, expected);
}

#[test]
fn every_offending_place_is_reported_at_once_in_document_order() {
    check(
        json!({
            "type": "object",
            "nullable": true,
            "properties": {
                "a": {"type": "strin", "pattern": "("},
                "b/c": {"minLength": -1, "items": [{}]},
                "d": {"$ref": "#/$defs/none"},
                "e": 7,
            },
            "required": ["a", "a", 1],
        }),
        &[
            "/nullable: unknown keyword",
            "/required/1: \"a\" is listed twice",
            "/required/2: must be a property name",
            "/properties/a/type: \"strin\" is not a type",
            "/properties/a/pattern: \"(\" is not a valid pattern",
            "/properties/b~1c/minLength: must be a whole number, 0 or above",
            "/properties/b~1c/items: must be one schema in 2020-12; a tuple is written with \
             `prefixItems`",
            "/properties/d/$ref: \"#/$defs/none\" points at nothing",
            "/properties/e: a schema must be an object or a boolean",
        ],
    );
}

#[test]
fn the_draft_comes_from_the_document() {
    let draft = |schema: Value| Schema::compile(&schema).map(|schema| schema.draft());
    assert_eq!(draft(json!({})), Ok(Draft::Draft202012));
    assert_eq!(draft(json!(true)), Ok(Draft::Draft202012));
    for uri in
        ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema"]
    {
        assert_eq!(draft(json!({"$schema": uri})), Ok(Draft::Draft7));
    }
    let unsupported = "/$schema: only draft-07 and 2020-12 are supported";
    check(json!({"$schema": "http://json-schema.org/draft-04/schema#"}), &[unsupported]);
    check(json!({"$schema": "https://json-schema.org/draft/2019-09/schema"}), &[unsupported]);
    check(json!({"$schema": 7}), &["/$schema: must be a string"]);
    check(json!([]), &["the top level: a schema must be an object or a boolean"]);
}

#[test]
fn keywords_of_the_other_draft_are_refused() {
    check7(
        json!({"prefixItems": [{}]}),
        &["/prefixItems: `prefixItems` belongs to 2020-12, not draft-07"],
    );
    check7(
        json!({"dependentRequired": {}}),
        &["/dependentRequired: `dependentRequired` belongs to 2020-12, not draft-07"],
    );
    check7(
        json!({"unevaluatedProperties": false}),
        &["/unevaluatedProperties: `unevaluatedProperties` belongs to 2020-12, not draft-07"],
    );
    check(
        json!({"additionalItems": false}),
        &["/additionalItems: `additionalItems` belongs to draft-07, not 2020-12"],
    );
}

#[test]
fn keywords_that_their_draft_ignores_where_they_stand_are_refused() {
    check7(
        json!({
            "properties": {
                "a": {"$ref": "#/definitions/a", "minLength": 1, "description": "kept"},
            },
            "definitions": {"a": {"type": "string"}},
        }),
        &["/properties/a/minLength: `minLength` has no effect beside `$ref` in draft-07"],
    );
    check(json!({"$ref": "#/$defs/a", "minLength": 1, "$defs": {"a": {}}}), &[]);
    check(json!({"then": {}}), &["/then: `then` has no effect without `if`"]);
    check(json!({"else": {}}), &["/else: `else` has no effect without `if`"]);
    check(json!({"if": {}}), &["/if: `if` has no effect without `then` or `else`"]);
    check(json!({"if": {}, "unevaluatedProperties": false}), &[]);
    check(
        json!({"minContains": 1}),
        &["/minContains: `minContains` has no effect without `contains`"],
    );
    check(
        json!({"maxContains": 1}),
        &["/maxContains: `maxContains` has no effect without `contains`"],
    );
    check7(
        json!({"items": {}, "additionalItems": false}),
        &["/additionalItems: `additionalItems` has no effect unless `items` is an array"],
    );
    check7(json!({"items": [{}], "additionalItems": false}), &[]);
    check7(json!({"items": []}), &["/items: must be a schema or a non-empty array of them"]);
}

#[test]
fn references_stay_inside_the_document_and_end() {
    let remote = "is not a pointer into this document";
    for reference in ["other.json", "https://example.com/a#/$defs/b", "#name", ""] {
        check(json!({"$ref": reference}), &[&format!("/$ref: {reference:?} {remote}")]);
    }
    check(
        json!({"$ref": "#/examples/0", "examples": [{}]}),
        &["/$ref: \"#/examples/0\" points at something that is no schema"],
    );
    check(json!({"properties": {"a": {}, "b": {"$ref": "#/properties/a"}}}), &[]);
    check(json!({"properties": {"child": {"$ref": "#"}}}), &[]);
    let endless = "leads back to itself without entering the value";
    check(json!({"$ref": "#"}), &[&format!("/$ref: {endless}")]);
    check(
        json!({
            "$defs": {
                "a": {"allOf": [{"$ref": "#/$defs/b"}]},
                "b": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}]},
            },
        }),
        &[&format!("/$defs/b/anyOf/1/$ref: {endless}")],
    );
    check(
        json!({"dependentSchemas": {"a": {"not": {"$ref": "#"}}}}),
        &[&format!("/dependentSchemas/a/not/$ref: {endless}")],
    );
}

#[test]
fn a_reference_may_name_any_definition() {
    let names =
        ["日本", "a b", "a\0b", "^[a]|", "a#b", "50%", "a%20b", "a~b", "\"<>\\`{}", "\u{7f}\n", ""];
    for name in names {
        let pointer = name.replace('~', "~0").replace('%', "%25");
        let schema =
            json!({"$defs": {name: {"type": "string"}}, "$ref": format!("#/$defs/{pointer}")});
        let schema = Schema::compile(&schema).unwrap();
        assert_eq!(schema.try_force(), Ok(()), "{name:?}");
        let verdict = |text| schema.canonicalize(contract_schema::Json::parse(text).unwrap());
        assert!(verdict("\"text\"").is_ok(), "{name:?}");
        let line = "the top level: expected string, found integer";
        assert_eq!(verdict("1").unwrap_err().to_string(), line, "{name:?}");
    }
    let dangling = "/$ref: \"#/$defs/日\" points at nothing";
    check(json!({"$defs": {"本": {}}, "$ref": "#/$defs/日"}), &[dangling]);
}

#[test]
fn what_is_accepted_can_be_built() {
    let odd = [
        json!({"enum": []}),
        json!({"required": [], "properties": {}, "patternProperties": {}, "type": ["null"]}),
        json!({"maxLength": 1e30, "minItems": 2.0, "multipleOf": 1e-300, "maximum": 1e308}),
        json!({"dependencies": {"a": [], "b": true}, "definitions": {"": false}}),
        json!({"pattern": "", "const": null, "uniqueItems": false, "contains": true}),
        json!({"allOf": [{"$ref": "#/allOf/1"}, {"not": {}}], "items": {"$ref": "#"}}),
        json!({"$id": "not a uri \0", "$comment": "", "default": {"$ref": 1}}),
        json!({"x-any": {"$ref": "nowhere"}, "const": {"$ref": "#/none", "$id": "::"}}),
        json!({"enum": [{"$ref": 1, "$anchor": 2}], "properties": {"$ref": {"type": "null"}}}),
    ];
    for dialect in
        ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    {
        for schema in &odd {
            let mut schema = schema.clone();
            schema["$schema"] = json!(dialect);
            let built = Schema::compile(&schema).and_then(|compiled| compiled.try_force());
            assert_eq!(built, Ok(()), "{schema}");
        }
    }
}

#[test]
fn what_reaches_outside_or_changes_the_language_is_refused() {
    check(
        json!({
            "$id": "https://example.com/root",
            "$anchor": "a",
            "$dynamicRef": "#b",
            "$vocabulary": {},
            "properties": {"a": {"$id": "inner"}, "b": {"$schema": "x"}},
        }),
        &[
            "/$anchor: `$anchor` is not supported: refer by pointer instead",
            "/$dynamicRef: `$dynamicRef` is not supported: use `$ref`",
            "/$vocabulary: `$vocabulary` is not supported: vocabularies cannot be changed",
            "/properties/a/$id: `$id` is supported at the root only",
            "/properties/b/$schema: `$schema` is supported at the root only",
        ],
    );
    check7(json!({"$id": "#here"}), &["/$id: `$id` must not have a fragment"]);
}

#[test]
fn annotations_are_accepted_and_well_formed() {
    check(
        json!({
            "title": "t", "description": "d", "default": null, "examples": [1], "deprecated": true,
            "readOnly": true, "writeOnly": false, "$comment": "c", "format": "email",
            "contentEncoding": "base64", "contentMediaType": "application/json",
            "contentSchema": {"anything": 1}, "x-order": {"a": 1},
        }),
        &[],
    );
    check(
        json!({"description": 1, "examples": {}, "deprecated": "yes"}),
        &[
            "/description: must be a string",
            "/examples: must be an array",
            "/deprecated: must be true or false",
        ],
    );
}

#[test]
fn malformed_keyword_values_are_refused() {
    let count = "must be a whole number, 0 or above";
    check(
        json!({"minItems": 1.5, "maxItems": "2", "minLength": 2.0}),
        &[&format!("/minItems: {count}"), &format!("/maxItems: {count}")],
    );
    check(
        json!({"multipleOf": 0, "minimum": "1"}),
        &["/multipleOf: must be a number above 0", "/minimum: must be a number"],
    );
    check(json!({"type": []}), &["/type: must be a type name or a non-empty array of them"]);
    check(
        json!({"type": ["string", "string", 1]}),
        &["/type/1: \"string\" is listed twice", "/type/2: must be a type name"],
    );
    check(
        json!({"type": vec!["string"; 8]}),
        &["/type: must not list more than the 7 types there are"],
    );
    check(
        json!({"allOf": [], "properties": [], "enum": 1, "uniqueItems": 1}),
        &[
            "/allOf: must be a non-empty array",
            "/properties: must be an object",
            "/enum: must be an array",
            "/uniqueItems: must be true or false",
        ],
    );
    check(
        json!({"patternProperties": {"(": {}, "[z-a]": {}}}),
        &[
            "/patternProperties/(: \"(\" is not a valid pattern",
            "/patternProperties/[z-a]: \"[z-a]\" is not a valid pattern",
        ],
    );
    check(
        json!({"dependentRequired": {"a": ["b", "b"], "c": 1}}),
        &[
            "/dependentRequired/a/1: \"b\" is listed twice",
            "/dependentRequired/c: must be an array of property names",
        ],
    );
}

#[test]
fn a_long_list_of_refusals_is_cut_in_text_only() {
    let properties: serde_json::Map<String, Value> =
        (0..60).map(|i| (format!("p{i}"), json!({"nullable": true}))).collect();
    let error = Schema::compile(&json!({"properties": properties})).unwrap_err();
    assert_eq!(error.refusals().len(), 60);
    assert!(error.to_string().ends_with("\nand 10 more"));
}

#[test]
fn format_and_content_are_annotations_in_both_drafts() {
    for dialect in
        ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    {
        let schema = json!({
            "$schema": dialect, "format": "ipv4", "contentEncoding": "base64",
            "contentMediaType": "application/json",
        });
        let schema = Schema::compile(&schema).unwrap();
        let json = contract_schema::Json::parse("\"not {base64}\"").unwrap();
        assert!(schema.canonicalize(json).is_ok());
    }
}
