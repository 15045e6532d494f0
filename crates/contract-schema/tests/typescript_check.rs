//! What the suite's schemas declare compiles under `tsc --strict`, and their valid values type-check.

use contract_schema::typescript::{Declarations, PRELUDE};
use contract_schema::{Json, Schema};
use proptest::prelude::Strategy as _;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::agreement;
use crate::support::suite::{folder, groups};
use crate::support::{say, skipped, tsc};

const RANDOM_SCHEMAS: usize = 800;
const VALUES_EACH: usize = 10;

#[test]
fn valid_values_of_the_suite_type_check() {
    let Some(folder) = folder() else {
        return skipped("TypeScript of the suite", "set TENON_SUITES to the folder of suites");
    };
    let Some(compiler) = tsc::find() else {
        return skipped("TypeScript of the suite", "set TENON_TSC to the TypeScript compiler");
    };
    let mut declarations = Declarations::new();
    let mut values = String::new();
    let (mut schemas, mut count) = (0, 0);
    for group in groups(&folder) {
        let Ok(schema) = Schema::compile(&group.schema) else { continue };
        let name = declarations.add(&schema, "Suite");
        schemas += 1;
        values.push_str(&format!("// {}\n", group.name.replace(['\n', '\r'], " ")));
        for case in group.cases.iter().filter(|case| case.valid) {
            if Json::parse(&case.data.to_string()).is_ok() {
                let value = tsc::expression(&case.data);
                values.push_str(&format!("const value{count}: {name} = {value};\n"));
                count += 1;
            }
        }
    }
    let declarations = declarations.text();
    let source = format!("export {{}};\n{PRELUDE}\n{declarations}\n{values}");
    assert!(!declarations.contains("unknown"));
    say(&format!("TypeScript: {schemas} schemas of the suite, {count} valid values"));
    assert!(schemas >= 200, "the suite is incomplete");
    if let Err(output) = tsc::check(&compiler, "suite", &source) {
        panic!("tsc --strict refuses the declarations:\n{output}");
    }
}

/// Schemas whose obvious declaration would refuse a valid value, each with such values.
fn tricky() -> Vec<(Value, Vec<Value>)> {
    let open = json!({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}});
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}},
        "additionalProperties": false});
    let nested = json!({"type": "object", "properties": {"x": closed}});
    let pattern = json!({"properties": {"a": {"type": "string"}}, "type": "object",
        "patternProperties": {"^n": {"type": "number"}}, "additionalProperties": false});
    let spread = json!({"type": "object", "properties": {"a": {"type": "string"}},
        "oneOf": [{"properties": {"k": {"const": 1}}, "required": ["k"]}, {"required": ["m"],
        "properties": {"m": nested}}], "unevaluatedProperties": false});
    let names = json!({"type": "object", "additionalProperties": false, "properties": {
        "__proto__": {"type": "string"}, "constructor": {"type": "string"}, "a b": {}, "\u{2028}": {},
        "default": {}, "1": {}, "\"": {}}});
    let optional_tuple = json!({"type": "object", "properties":
        {"t": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}]}}});
    let tree = json!({"type": "object", "properties": {"value": true,
        "children": {"type": "array", "items": {"$ref": "#"}}}, "additionalProperties": false});
    let both = json!({"allOf": [open, {"properties": {"c": {"type": ["null", "object"]}}}],
        "additionalProperties": {"type": ["string", "integer", "null", "object"]}});
    vec![
        (open.clone(), vec![json!({"a": "x", "c": [null]}), json!({}), json!([1]), json!(null)]),
        (closed, vec![json!({}), json!({"a": "x"})]),
        (nested, vec![json!({"x": {}}), json!({"x": {"a": ""}, "y": {"z": [{}]}})]),
        (pattern, vec![json!({}), json!({"n": 1}), json!({"a": "x", "n1": 1.5})]),
        (spread, vec![json!({"a": "x", "k": 1}), json!({"m": {"x": {}}}), json!({"k": 1})]),
        (names, vec![json!({}), json!({"__proto__": "x", "constructor": "y", "1": 1, "\"": null})]),
        (optional_tuple, vec![json!({"t": []}), json!({"t": ["a", null, 1]}), json!({"t": ["a"]})]),
        (tree, vec![json!({"value": {"a": [1]}, "children": [{"children": []}, {"value": null}]})]),
        (both, vec![json!({"a": "x", "c": null, "d": {}}), json!({})]),
        (
            json!({"enum": [{"a": [1, "x", {}]}, [], 1.0, "\n"]}),
            vec![json!({"a": [1, "x", {}]}), json!(1)],
        ),
        (json!({"const": 9_007_199_254_740_993_u64}), vec![json!(9_007_199_254_740_993_u64)]),
        (json!({"description": "*/ type X = ;", "type": "array"}), vec![json!([[{"a": {}}]])]),
    ]
}

#[test]
fn valid_values_of_tricky_schemas_type_check() {
    let Some(compiler) = tsc::find() else {
        return skipped("TypeScript", "set TENON_TSC to the TypeScript compiler");
    };
    let mut declarations = Declarations::new();
    let mut uses = String::new();
    for (document, values) in tricky() {
        let schema = Schema::compile(&document).unwrap();
        let name = declarations.add(&schema, "Tricky");
        for value in values {
            schema.canonicalize(Json::snapshot(&value).unwrap()).unwrap();
            let expression = tsc::expression(&value);
            uses.push_str(&format!("{{ const value: {name} = {expression}; void value; }}\n"));
            // What a tool returns is also JSON to whoever takes any.
            uses.push_str(&format!("{{ const json: JsonValue = null! as {name}; void json; }}\n"));
        }
    }
    let text = declarations.text();
    let source = format!("export {{}};\n{PRELUDE}\n{text}\n{uses}");
    if let Err(output) = tsc::check(&compiler, "tricky", &source) {
        panic!("tsc --strict refuses the declarations:\n{output}\n{text}");
    }
}

#[test]
fn a_declaration_still_refuses_what_is_wrong() {
    let Some(compiler) = tsc::find() else {
        return skipped("TypeScript", "set TENON_TSC to the TypeScript compiler");
    };
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "t": {"type": "array",
            "prefixItems": [{"type": "string"}], "items": false, "minItems": 1}},
            "required": ["kind", "t"], "additionalProperties": false},
        {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"],
            "additionalProperties": false},
    ]});
    let mut declarations = Declarations::new();
    declarations.add(&Schema::compile(&schema).unwrap(), "Wrong");
    let wrong = [
        json!({}),
        json!({"kind": "c"}),
        json!({"kind": "a"}),
        json!({"kind": "b", "t": ["x"]}),
        json!({"kind": "a", "t": []}),
        json!({"kind": "a", "t": ["x", "y"]}),
        json!(null),
    ];
    let uses: Vec<_> = wrong
        .iter()
        .map(|value| format!("// @ts-expect-error\nconst _: Wrong = {};", tsc::expression(value)))
        .map(|line| format!("{{\n{line}\n}}"))
        .collect();
    let source = format!("export {{}};\n{PRELUDE}\n{}\n{}", declarations.text(), uses.join("\n"));
    if let Err(output) = tsc::check(&compiler, "wrong", &source) {
        panic!("tsc --strict accepts a wrong value:\n{output}");
    }
}

#[test]
fn valid_values_of_random_schemas_type_check() {
    let Some(compiler) = tsc::find() else {
        return skipped("TypeScript", "set TENON_TSC to the TypeScript compiler");
    };
    let mut runner = TestRunner::deterministic();
    let mut declarations = Declarations::new();
    let mut uses = String::new();
    for _ in 0..RANDOM_SCHEMAS {
        let document = agreement::schema().new_tree(&mut runner).unwrap().current();
        let Ok(schema) = Schema::compile(&document) else { continue };
        let name = declarations.add(&schema, "Random");
        uses.push_str(&format!("// {}\n", document.to_string().replace('\u{2028}', "")));
        for _ in 0..VALUES_EACH {
            let value = agreement::value().new_tree(&mut runner).unwrap().current();
            if schema.canonicalize(Json::snapshot(&value).unwrap()).is_ok() {
                let expression = tsc::expression(&value);
                uses.push_str(&format!("{{ const value: {name} = {expression}; void value; }}\n"));
            }
        }
    }
    let source = format!("export {{}};\n{PRELUDE}\n{}\n{uses}", declarations.text());
    if let Err(output) = tsc::check(&compiler, "random", &source) {
        panic!("tsc --strict refuses the declarations:\n{output}");
    }
}
