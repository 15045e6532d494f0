//! Work in proportion to what is given: large invalid values, large schemas (contract V5).

use std::time::{Duration, Instant};

use contract_schema::schema::{
    MAX_PATTERN_BYTES, MAX_PATTERNS, MAX_SHOWN_VIOLATIONS, MAX_SUBSCHEMAS,
};
use contract_schema::typescript::typescript;
use contract_schema::{Json, Schema, Violations};
use serde_json::{Map, Value, json};

/// Far above what linear work takes in an unoptimized build, far below what quadratic work takes.
const SOON: Duration = Duration::from_secs(30);

fn soon<T>(run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    assert!(start.elapsed() < SOON, "took {:?}", start.elapsed());
    result
}

fn violations(schema: Value, value: &Value) -> Violations {
    let schema = Schema::compile(&schema).unwrap();
    let json = Json::snapshot(value).unwrap();
    soon(|| schema.canonicalize(json).unwrap_err())
}

fn members(count: usize, value: &Value) -> Map<String, Value> {
    (0..count).map(|i| (format!("member {i}"), value.clone())).collect()
}

#[test]
fn a_hundred_thousand_unknown_names_are_counted_in_time() {
    let value = json!(members(100_000, &json!(1)));
    let named = json!({"properties": {"member": {}}, "additionalProperties": false});
    let unnamed = json!({"additionalProperties": false});
    let unevaluated = json!({"properties": {"member": {}}, "unevaluatedProperties": false});
    for schema in [named, unnamed, unevaluated] {
        let found = violations(schema.clone(), &value);
        assert_eq!((found.total(), found.is_complete()), (100_000, true), "{schema}");
        let paths: Vec<_> = found.shown().iter().map(|violation| &violation.path).collect();
        let first = ["/member 0", "/member 1", "/member 2", "/member 3", "/member 4"];
        assert_eq!(paths, first, "{schema}");
    }
}

#[test]
fn members_of_the_wrong_type_are_counted_in_time() {
    let value = json!(members(80_000, &json!(1)));
    let found = violations(json!({"additionalProperties": {"type": "string"}}), &value);
    assert_eq!((found.total(), found.is_complete()), (80_000, true));
    assert_eq!(found.shown()[0].to_string(), "/member 0: expected string, found integer");
    assert_eq!(found.shown().len(), MAX_SHOWN_VIOLATIONS);
    let union = json!({"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]});
    let found = violations(json!({"additionalProperties": union}), &value);
    assert_eq!((found.total(), found.is_complete()), (80_000, true));
}

#[test]
fn errors_at_the_root_of_a_large_value_do_not_copy_it_each() {
    let value = json!(members(20_000, &json!(1)));
    let names = json!({"propertyNames": {"pattern": "^a"}});
    for schema in [names.clone(), json!({"anyOf": [names, {"type": "null"}]})] {
        let found = violations(schema, &value);
        assert!(!found.is_complete());
        assert!(!found.shown().is_empty());
    }
    let few = json!(members(200, &json!(1)));
    let found = violations(json!({"propertyNames": {"pattern": "^a"}}), &few);
    assert_eq!((found.total(), found.is_complete()), (200, true));
}

#[test]
fn a_name_refused_twice_is_one_violation() {
    let part = json!({"properties": {"known": {}}, "additionalProperties": false});
    let value = json!(members(7, &json!(1)));
    let found = violations(json!({"allOf": [part, part]}), &value);
    assert_eq!(found.total(), 7);
    assert_eq!(found.shown()[0].to_string(), "/member 0: no such property; known here: `known`");
}

#[test]
fn pointers_that_are_long_do_not_multiply() {
    let value = json!({"x".repeat(1 << 20): members(50_000, &json!(1))});
    let inner = json!({"additionalProperties": {"type": "string"}});
    let found = violations(json!({"additionalProperties": inner}), &value);
    assert!(!found.is_complete());
    assert!(found.to_string().contains("/member 0: expected string, found integer"), "{found}");
}

#[test]
fn a_long_constant_is_not_written_for_every_error() {
    let constant = json!({"const": vec!["text"; 100_000]});
    let value = Value::Array(vec![json!([]); 20_000]);
    let found = violations(json!({"items": constant}), &value);
    assert_eq!(found.total(), 20_000);
    let line = "/0: expected the one value of `const`, found array";
    assert_eq!(found.shown()[0].to_string(), line);
}

#[test]
fn comparing_large_constants_over_and_over_is_undecided() {
    let ending = |last: i64| {
        let mut list = vec![json!(1); 1000];
        list.push(json!(last));
        Value::Array(list)
    };
    let options: Vec<Value> = (1..=200).map(ending).collect();
    let again = vec![json!({"$ref": "#/$defs/a"}); 20];
    let schema = json!({"$defs": {"a": {"not": {"enum": options}}}, "allOf": again});
    let found = violations(schema, &ending(0));
    assert!(found.to_string().contains("in a bounded number of steps"), "{found}");
}

#[test]
fn a_schema_with_too_many_subschemas_is_refused() {
    let schema = |count| json!({"properties": members(count, &json!({}))});
    assert!(Schema::compile(&schema(MAX_SUBSCHEMAS - 1)).is_ok());
    let error = Schema::compile(&schema(MAX_SUBSCHEMAS)).unwrap_err();
    assert_eq!(error.to_string(), "the top level: has more than 50000 subschemas");
}

#[test]
fn patterns_beyond_the_limits_are_refused_before_they_are_compiled() {
    let many = |count| json!({"properties": members(count, &json!({"pattern": "a"}))});
    assert!(Schema::compile(&many(MAX_PATTERNS)).is_ok());
    let error = Schema::compile(&many(50_000 - 1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/properties/member 256/pattern: more than 256 patterns in one schema"
    );
    let text = "a".repeat(MAX_PATTERN_BYTES / 64);
    let parts = vec![json!({"pattern": text}); 64];
    assert!(Schema::compile(&json!({"allOf": parts})).is_ok());
    let error = Schema::compile(&json!({"allOf": parts, "pattern": "b"})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/allOf/63/pattern: more than 65536 bytes of patterns in one schema"
    );
    let schema = json!({"patternProperties": members(MAX_PATTERNS + 1, &json!({}))});
    let error = Schema::compile(&schema).unwrap_err();
    assert_eq!(error.refusals()[0].path, "/patternProperties/member 256");
}

#[test]
fn twenty_thousand_names_are_declared_in_time() {
    // Without a letter in it, every name becomes the same identifier.
    let name = |i: usize| format!("{}{}", "日".repeat(i % 150), "本".repeat(i / 150));
    let refs: Vec<Value> =
        (0..20_000).map(|i| json!({"$ref": format!("#/$defs/{}", name(i))})).collect();
    let definitions: Map<String, Value> =
        (0..20_000).map(|i| (name(i), json!({"type": "string"}))).collect();
    let names: Vec<String> = (0..20_000).map(|i| format!("name{i}")).collect();
    let schema = json!({"$defs": definitions, "prefixItems": refs, "required": names});
    let schema = Schema::compile(&schema).unwrap();
    let text = soon(|| typescript(&schema, "Many"));
    assert!(text.contains("type Many_Type20000 = string;"));
    assert!(text.contains("name19999: JsonValue;"));
}
