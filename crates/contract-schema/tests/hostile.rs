//! Schemas and values made to exhaust the stack, the time or the memory (contract V5): clear errors, soon.

use std::time::{Duration, Instant};

use contract_schema::typescript::typescript;
use contract_schema::{Json, Schema, Violations};
use serde_json::{Map, Value, json};

/// Far below what one frame a level would need.
const SMALL_STACK_BYTES: usize = 512 << 10;

fn on_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(SMALL_STACK_BYTES);
        thread.spawn_scoped(scope, run).unwrap().join().unwrap()
    })
}

fn within<T>(limit: Duration, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    assert!(start.elapsed() < limit, "took {:?}", start.elapsed());
    result
}

fn refusal(document: &Value) -> String {
    Schema::compile(document).unwrap_err().to_string()
}

fn violations(schema: &Schema, value: &Value) -> Violations {
    schema.canonicalize(Json::snapshot(value).unwrap()).unwrap_err()
}

fn nested_array(depth: usize, innermost: Value) -> Value {
    (0..depth).fold(innermost, |inner, _| Value::Array(vec![inner]))
}

/// Takes a tree apart without recursion.
fn dismantle(root: Value) {
    let mut waiting = vec![root];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(elements) => waiting.extend(elements),
            Value::Object(members) => waiting.extend(members.into_iter().map(|(_, value)| value)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

#[test]
fn a_schema_nested_a_million_levels_is_refused() {
    let mut schema = json!({});
    for _ in 0..1_000_000 {
        let mut outer = Map::new();
        outer.insert("items".to_owned(), schema);
        schema = Value::Object(outer);
    }
    let text = on_small_stack(|| refusal(&schema));
    assert_eq!(text, "the top level: nests deeper than 127 containers");
    dismantle(schema);
}

#[test]
fn annotations_nested_too_deep_are_refused_as_well() {
    let schema = json!({"default": nested_array(127, json!(1))});
    assert_eq!(refusal(&schema), "the top level: nests deeper than 127 containers");
}

fn chain(length: usize, hop: impl Fn(Value) -> Value) -> Value {
    let mut definitions = Map::new();
    for i in 0..length {
        let next = json!({"$ref": format!("#/$defs/c{}", i + 1)});
        definitions.insert(format!("c{i}"), hop(next));
    }
    definitions.insert(format!("c{length}"), json!({"type": "string"}));
    json!({"$defs": definitions, "$ref": "#/$defs/c0"})
}

#[test]
fn a_long_chain_of_references_is_refused_once() {
    let schema = chain(40_000, |next| next);
    let error = on_small_stack(|| Schema::compile(&schema).unwrap_err());
    // Counted from the end of the chain.
    assert_eq!(error.refusals().len(), 312);
    assert!(
        error.refusals()[0]
            .reason
            .contains("more than 128 subschemas in a chain apply to the same value")
    );
}

#[test]
fn a_long_chain_through_members_validates_and_is_declared() {
    let schema = chain(10_000, |next| json!({"type": "object", "properties": {"next": next}}));
    within(Duration::from_secs(60), || {
        let schema = Schema::compile(&schema).unwrap();
        let found = on_small_stack(|| violations(&schema, &json!({"next": {"next": 1}})));
        assert_eq!(found.to_string(), "/next/next: expected object, found integer");
        let text = on_small_stack(|| typescript(&schema, "Chain"));
        assert_eq!(text.lines().count(), 20_003);
    });
}

#[test]
fn an_exponential_schema_is_refused() {
    let mut definitions = Map::new();
    for i in 0..60 {
        let next = json!({"$ref": format!("#/$defs/r{}", i + 1)});
        definitions.insert(format!("r{i}"), json!({"allOf": [next, next]}));
    }
    definitions.insert("r60".to_owned(), json!({"type": "string"}));
    let schema = json!({"$defs": definitions, "$ref": "#/$defs/r0"});
    let text = refusal(&schema);
    assert!(text.contains("more than 10000 subschemas apply to the same value"), "{text}");
}

/// Every level of the value is looked at twice as often as the one above.
fn doubling(keyword: &str) -> Value {
    let again = json!({"$ref": "#/$defs/t"});
    json!({
        "$defs": {"t": {"type": ["array", "null"], keyword: {"allOf": [again, again]}}},
        "$ref": "#/$defs/t",
    })
}

#[test]
fn a_schema_that_is_exponential_in_the_depth_of_the_value_ends() {
    for keyword in ["items", "unevaluatedItems", "contains"] {
        let schema = Schema::compile(&doubling(keyword)).unwrap();
        within(Duration::from_secs(20), || {
            let valid = nested_array(100, json!(null));
            let verdict = schema.canonicalize(Json::snapshot(&valid).unwrap());
            if let Err(found) = verdict {
                let text = found.to_string();
                assert!(text.contains("in a bounded number of steps"), "{keyword}: {text}");
            }
            let found = violations(&schema, &nested_array(100, json!(1)));
            assert!(!found.shown().is_empty());
        });
    }
}

#[test]
fn deep_values_and_long_chains_together_fit_the_stack() {
    let wraps: [fn(Value) -> Value; 7] = [
        |inner| json!({"allOf": [inner]}),
        |inner| json!({"anyOf": [{"type": "string", "maxLength": 0}, inner]}),
        |inner| json!({"oneOf": [false, inner]}),
        |inner| json!({"not": {"not": inner}}),
        |inner| json!({"if": {}, "then": inner}),
        |inner| json!({"if": {}, "then": true, "else": true, "allOf": [inner, {}]}),
        |inner| json!({"allOf": [inner], "unevaluatedItems": true}),
    ];
    for wrap in wraps {
        let inner = (0..8).fold(json!({"$ref": "#"}), |inner, _| wrap(inner));
        let schema = json!({"type": ["array", "null"], "items": inner});
        let schema = Schema::compile(&schema).unwrap();
        on_small_stack(|| {
            let valid = Json::snapshot(&nested_array(126, json!(null))).unwrap();
            schema.canonicalize(valid).unwrap();
            let found = violations(&schema, &nested_array(126, json!(1)));
            assert!(!found.shown().is_empty());
            assert!(typescript(&schema, "Deep").contains("Deep"));
        });
    }
}

#[test]
fn the_longest_chain_fits_the_stack() {
    let schema = (0..60).fold(json!({"type": "null"}), |inner, _| json!({"allOf": [inner]}));
    let schema = json!({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": schema}});
    let schema = Schema::compile(&schema).unwrap();
    on_small_stack(|| {
        let found = violations(&schema, &json!([1]));
        assert_eq!(found.to_string(), "/0: expected null, found integer");
    });
}

#[test]
fn the_deepest_schema_compiles_on_a_small_stack() {
    let schema = (0..126).fold(json!({}), |inner, _| json!({"not": inner}));
    let chain = Schema::compile(&schema).unwrap();
    let schema = (0..126)
        .fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}));
    let arrays = Schema::compile(&schema).unwrap();
    on_small_stack(|| {
        chain.canonicalize(Json::parse("1").unwrap()).unwrap();
        let found = violations(&arrays, &nested_array(126, json!(1)));
        assert_eq!(found.shown()[0].expected, "string");
        assert!(typescript(&arrays, "Deep").contains("string[][]"));
    });
}

#[test]
fn a_catastrophic_pattern_is_undecided_not_endless() {
    let schema = Schema::compile(&json!({
        "properties": {"text": {"pattern": "^(?:(?=a)a+)+$"}},
    }))
    .unwrap();
    let text = format!("{}b", "a".repeat(60));
    within(Duration::from_secs(10), || {
        let found = violations(&schema, &json!({"deep": 1, "text": text}));
        assert_eq!(
            found.to_string(),
            "/text: expected text whose match with the pattern can be decided in a bounded number of \
             steps, found string"
        );
    });
}

#[test]
fn an_undecided_match_is_reported_wherever_it_happens() {
    let pattern = "^(?:(?=a)a+)+$";
    let text = format!("{}b", "a".repeat(60));
    let schemas = [
        json!({"propertyNames": {"pattern": pattern}}),
        json!({"patternProperties": {pattern: false}, "additionalProperties": false}),
        json!({"additionalProperties": {"anyOf": [{"pattern": pattern}, {"type": "null"}]}}),
        json!({"additionalProperties": {"not": {"pattern": pattern}}}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"patternProperties": {".": {"pattern": pattern}}}}}),
    ];
    for schema in schemas {
        let schema = Schema::compile(&schema).unwrap();
        within(Duration::from_secs(10), || {
            let found = violations(&schema, &json!({text.clone(): text, "a/b~": text}));
            assert!(!found.shown().is_empty());
        });
    }
}

#[test]
fn a_pattern_that_is_too_large_is_refused() {
    let text = within(Duration::from_secs(10), || {
        refusal(&json!({"pattern": "((((a{1000}){1000}){1000}){1000}){1000}"}))
    });
    assert!(text.starts_with("/pattern: "), "{text}");
}

#[test]
fn a_huge_enum_is_counted_not_printed() {
    let names: Vec<Value> = (0..200_000).map(|i| json!(format!("name {i}"))).collect();
    within(Duration::from_secs(20), || {
        let schema = Schema::compile(&json!({"enum": names})).unwrap();
        let found = violations(&schema, &json!("other"));
        assert_eq!(found.to_string(), "the top level: expected one of 200000 values, found string");
    });
}

#[test]
fn a_large_invalid_value_is_searched_up_to_a_bound() {
    let element = json!({"a": [1, 2, 3], "b": {"c": "text"}});
    let value = Value::Array(vec![element; 200_000]);
    let branch = json!({"properties": {"a": {"items": {"type": "string"}}, "b": {"type": "null"}}});
    let schema = json!({"items": {"anyOf": [branch, {"type": "string"}]}});
    let schema = Schema::compile(&schema).unwrap();
    within(Duration::from_secs(30), || {
        let found = violations(&schema, &value);
        assert!(!found.is_complete());
        assert!(found.shown()[0].path.starts_with("/0/"), "{found}");
    });
}

#[test]
fn many_equal_looking_elements_are_compared_in_time() {
    let schema = Schema::compile(&json!({"uniqueItems": true})).unwrap();
    let numbers: Vec<Value> = (0..100_000).map(|i| json!({"n": i, "m": [i]})).collect();
    within(Duration::from_secs(10), || {
        schema.canonicalize(Json::snapshot(&numbers).unwrap()).unwrap();
    });
}
