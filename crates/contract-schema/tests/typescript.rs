//! The text of declarations (contract D4).

use contract_schema::Schema;
use contract_schema::typescript::{Declarations, PRELUDE, typescript};
use serde_json::{Value, json};

/// The declarations of a schema as `T`.
fn check(schema: Value, expected: &str) {
    let compiled = Schema::compile(&schema).unwrap();
    assert_eq!(typescript(&compiled, "T").trim_end(), expected, "{schema}");
    assert_eq!(typescript(&compiled, "T"), typescript(&compiled, "T"));
}

fn check7(mut schema: Value, expected: &str) {
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    check(schema, expected);
}

#[test]
fn scalars_and_literals() {
    check(json!(true), "type T = JsonValue;");
    check(json!({"description": "Anything."}), "/** Anything. */\ntype T = JsonValue;");
    check(json!(false), "type T = never;");
    check(json!({"type": "integer", "minimum": 1}), "type T = number;");
    check(json!({"type": ["string", "null"]}), "type T = string | null;");
    check(
        json!({"enum": ["a\"\n\u{2028}", 1, 1.0, -2, 0.5, null, true]}),
        "type T = \"a\\\"\\n\\u2028\" | 1 | -2 | 0.5 | null | true;",
    );
    check(json!({"type": "string", "enum": ["a", 1, null]}), "type T = \"a\";");
    check(json!({"enum": [true, false]}), "type T = boolean;");
    check(json!({"const": {"a": [1, {}]}}), "type T = { a: [1, { [key: string]: never }] };");
    check(json!({"const": 9_007_199_254_740_993_u64}), "type T = number;");
    check(json!({"type": "string", "pattern": "^a", "maxLength": 3}), "type T = string;");
}

#[test]
fn objects_and_maps() {
    let properties = json!({"a": {"type": "string"}, "b-c": {"type": "integer"}});
    check(
        json!({"type": "object", "properties": properties, "required": ["a"],
            "additionalProperties": false}),
        "type T = { a: string; \"b-c\"?: number };",
    );
    check(
        json!({"type": "object", "properties": properties}),
        "type T = { a?: string; \"b-c\"?: number; [key: string]: JsonValue | undefined };",
    );
    check(
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        "type T = { [key: string]: number };",
    );
    check(
        json!({"type": "object", "properties": {"a": {"type": "string"}},
            "patternProperties": {"^x": {"type": "boolean"}}, "additionalProperties": false}),
        "type T = { a?: string; [key: string]: boolean | string | undefined };",
    );
    check(json!({"type": "object"}), "type T = { [key: string]: JsonValue };");
    check(
        json!({"type": "object", "additionalProperties": false}),
        "type T = { [key: string]: never };",
    );
    check(
        json!({"type": "object", "required": ["x"], "additionalProperties": {"type": "null"}}),
        "type T = { x: null; [key: string]: null };",
    );
    check(
        json!({"type": "object", "properties": {"__proto__": {"type": "null"}, "toString": {}},
            "required": ["__proto__"], "additionalProperties": false}),
        "type T = { \"__proto__\": null; [key: string]: JsonValue | undefined };",
    );
}

#[test]
fn arrays_and_tuples() {
    let string = json!({"type": "string"});
    let number = json!({"type": "number"});
    check(json!({"type": "array", "items": string, "minItems": 1}), "type T = string[];");
    check(
        json!({"type": "array", "items": {"type": ["string", "null"]}}),
        "type T = (string | null)[];",
    );
    check(
        json!({"type": "array", "items": string, "minItems": 2, "maxItems": 2}),
        "type T = [string, string];",
    );
    let pair = json!([string, number]);
    check(
        json!({"type": "array", "prefixItems": pair, "items": false, "minItems": 2}),
        "type T = [string, number];",
    );
    check(
        json!({"type": "array", "prefixItems": pair}),
        "type T = [] | [string] | [string, number, ...JsonValue[]];",
    );
    check(
        json!({"type": "array", "prefixItems": pair, "minItems": 1, "items": number}),
        "type T = [string] | [string, number, ...number[]];",
    );
    check7(
        json!({"type": "array", "items": pair, "additionalItems": false, "minItems": 2}),
        "type T = [string, number];",
    );
    check(json!({"type": "array", "maxItems": 0}), "type T = [];");
}

#[test]
fn unions_and_intersections() {
    check(
        json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"],
                "additionalProperties": false},
            {"type": "object", "properties": {"kind": {"const": "b"}, "n": {"type": "integer"}},
                "required": ["kind"], "additionalProperties": false},
            {"type": "null"},
        ]}),
        "type T = { kind: \"a\" } | { kind: \"b\"; n?: number } | null;",
    );
    check(
        json!({"oneOf": [
            {"const": "a", "description": "First."}, {"const": "b", "description": "Second."},
        ]}),
        "type T =\n  /** First. */\n  | \"a\"\n  /** Second. */\n  | \"b\";",
    );
    check(
        json!({"allOf": [{"type": ["string", "null"]}, {"type": ["string", "integer"]}]}),
        "type T = string;",
    );
    check(
        json!({"type": "string", "not": {"const": "a"}, "if": {}, "then": {}}),
        "type T = string;",
    );
    check(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
            "oneOf": [
                {"properties": {"b": {"const": 1}}, "required": ["b"]},
                {"properties": {"c": {"const": 2}}, "required": ["c"]},
            ],
            "unevaluatedProperties": false}),
        "type T = { a: string } & ({ b: 1 } | { c: 2 });",
    );
}

#[test]
fn references_and_recursion() {
    check(
        json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
            "additionalProperties": false}),
        "type T = { children?: T[] };",
    );
    check(
        json!({
            "anyOf": [{"$ref": "#/$defs/a-b"}, {"$ref": "#/$defs/a_b"}],
            "$defs": {
                "a-b": {"type": "array", "items": {"$ref": "#/$defs/a_b"}},
                "a_b": {"type": "string", "description": "Text."},
                "unused": {"type": "null"},
            },
        }),
        "type T = T_AB | T_AB2;\n\ntype T_AB = T_AB2[];\n\n/** Text. */\ntype T_AB2 = string;",
    );
    check(
        json!({"$ref": "#/$defs/x", "type": "object", "$defs": {"x": {"type": "null"}}}),
        "type T = T_X;\n\ntype T_X = null;",
    );
}

#[test]
fn comments_cannot_be_closed_from_inside() {
    check(
        json!({"type": "object", "properties": {
            "a": {"type": "string", "description": "x */ ; */\u{2029}@ts-ignore \u{202e}y", "default": "*/"},
            "b": {"type": "integer", "deprecated": true},
        }, "additionalProperties": false}),
        concat!(
            "type T = {\n",
            "  /**\n   * x *\\/ ; *\\/\n   * @ ts-ignore \\u{202e}y\n   * @default \"*\\/\"\n   */\n  a?: string;\n",
            "  /** @deprecated */\n  b?: number;\n",
            "};",
        ),
    );
}

#[test]
fn declarations_share_one_namespace() {
    let schema = |value: Value| Schema::compile(&value).unwrap();
    let mut declarations = Declarations::new();
    let tree = schema(json!({"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "null"}}}));
    assert_eq!(declarations.add(&tree, "read"), "Read");
    assert_eq!(declarations.add(&tree, "Read"), "Read2");
    assert_eq!(declarations.add(&schema(json!({"type": "string"})), "read-node"), "ReadNode");
    assert_eq!(declarations.add_named(&schema(json!({"type": "null"})), "a$b_c"), "a$b_c");
    assert_eq!(declarations.add_named(&schema(json!({"type": "null"})), "class"), "Class");
    let expected = "type Read = Read_Node;\n\ntype Read_Node = null;\n\ntype Read2 = Read2_Node;\n\n\
                    type Read2_Node = null;\n\ntype ReadNode = string;\n\ntype a$b_c = null;\n\n\
                    type Class = null;\n";
    assert_eq!(declarations.text(), expected);
    assert!(PRELUDE.contains("type JsonValue ="));
    assert!(PRELUDE.contains("`bigint`"));
}

#[test]
fn text_stays_in_proportion_to_the_schema() {
    // Each of these would double at every level if it were written out.
    let wraps: [fn(Value) -> Value; 4] = [
        |inner| json!({"type": "array", "items": inner, "minItems": 8, "maxItems": 8}),
        |inner| json!({"type": "array", "prefixItems": [inner, true]}),
        |inner| json!({"type": "object", "properties": {"a": inner}, "additionalProperties": {"type": "null"}}),
        |inner| {
            json!({"anyOf": [{"properties": {"a": inner}}, {"type": "null"}],
            "allOf": [{"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}]})
        },
    ];
    for wrap in wraps {
        let schema = (0..20).fold(json!({"type": "string"}), |inner, _| wrap(inner));
        let text = typescript(&Schema::compile(&schema).unwrap(), "T");
        assert!(text.len() < 200_000, "{} bytes", text.len());
    }
}
