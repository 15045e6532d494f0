//! Random schemas and values: the gate and the validator agree with a second, independent validator.
//!
//! Left out, because the other validator rounds there: numbers beyond a few digits.

use std::cell::Cell;

use contract_schema::{Json, Schema};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

use crate::support::say;

const NAMES: [&str; 4] = ["a", "b", "aa", "é"];
const PATTERNS: [&str; 5] = ["^a", "a$", "^[ab]+$", "\\p{L}", "^.$"];

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(&NAMES[..]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..6).prop_map(Value::from),
        (-6_i64..12).prop_map(|number| json!(number as f64 / 2.0)),
        prop::sample::select(vec!["", "a", "ab", "é", "aaa"]).prop_map(Value::from),
    ]
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn types() -> impl Strategy<Value = Value> {
    let names = ["null", "boolean", "integer", "number", "string", "array", "object"];
    prop_oneof![
        prop::sample::select(names.to_vec()).prop_map(Value::from),
        prop::sample::subsequence(names.to_vec(), 1..4).prop_map(Value::from),
    ]
}

fn assertion() -> impl Strategy<Value = (&'static str, Value)> {
    let count = || (0_u64..4).prop_map(Value::from);
    let bound = || (-2_i64..5).prop_map(Value::from);
    let names = || prop::sample::subsequence(NAMES.to_vec(), 0..3).prop_map(Value::from);
    let lists = prop::collection::btree_map(name(), names(), 0..2)
        .prop_map(|lists| Value::Object(lists.into_iter().collect()));
    prop_oneof![
        4 => types().prop_map(|names| ("type", names)),
        1 => value().prop_map(|value| ("const", value)),
        1 => prop::collection::vec(value(), 1..4).prop_map(|values| ("enum", Value::from(values))),
        1 => bound().prop_map(|bound| ("minimum", bound)),
        1 => bound().prop_map(|bound| ("maximum", bound)),
        1 => bound().prop_map(|bound| ("exclusiveMinimum", bound)),
        1 => bound().prop_map(|bound| ("exclusiveMaximum", bound)),
        1 => prop::sample::select(vec![json!(1), json!(2), json!(0.5)]).prop_map(|n| ("multipleOf", n)),
        1 => count().prop_map(|count| ("minLength", count)),
        1 => count().prop_map(|count| ("maxLength", count)),
        1 => count().prop_map(|count| ("minItems", count)),
        1 => count().prop_map(|count| ("maxItems", count)),
        1 => count().prop_map(|count| ("minProperties", count)),
        1 => count().prop_map(|count| ("maxProperties", count)),
        1 => any::<bool>().prop_map(|flag| ("uniqueItems", Value::from(flag))),
        1 => prop::sample::select(&PATTERNS[..]).prop_map(|text| ("pattern", Value::from(text))),
        1 => names().prop_map(|names| ("required", names)),
        1 => lists.prop_map(|lists| ("dependentRequired", lists)),
        1 => prop::sample::select(vec!["#", "#/$defs/one", "#/$defs/two"])
            .prop_map(|reference| ("$ref", Value::from(reference))),
    ]
}

fn applicator(
    inner: impl Strategy<Value = Value> + Clone + 'static,
) -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let one = inner.clone();
    let list = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from);
    let named = prop::collection::btree_map(name(), inner.clone(), 0..3)
        .prop_map(|members| Value::Object(members.into_iter().collect()));
    let patterns =
        prop::collection::btree_map(prop::sample::select(&PATTERNS[..]), inner.clone(), 0..2)
            .prop_map(|members| {
                Value::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
            });
    let keyword = |names: &[&'static str]| prop::sample::select(names.to_vec());
    prop_oneof![
        3 => (keyword(&["properties", "dependentSchemas"]), named).prop_map(|pair| vec![pair]),
        2 => (keyword(&["allOf", "anyOf", "oneOf", "prefixItems"]), list).prop_map(|pair| vec![pair]),
        3 => (
            keyword(&[
                "items", "contains", "not", "additionalProperties", "propertyNames",
                "unevaluatedProperties", "unevaluatedItems",
            ]),
            one,
        )
            .prop_map(|pair| vec![pair]),
        1 => patterns.prop_map(|patterns| vec![("patternProperties", patterns)]),
        1 => (inner.clone(), inner.clone(), inner.clone())
            .prop_map(|(a, b, c)| vec![("if", a), ("then", b), ("else", c)]),
        1 => (inner, 0_u64..3, 1_u64..3).prop_map(|(schema, least, most)| {
            vec![
                ("contains", schema), ("minContains", json!(least)), ("maxContains", json!(most)),
            ]
        }),
    ]
}

fn object(pairs: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>())
}

fn subschema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        8 => prop::collection::vec(assertion(), 0..3).prop_map(object),
        1 => any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let applicators = prop::collection::vec(applicator(inner.boxed()), 1..3);
        (prop::collection::vec(assertion(), 0..2), applicators).prop_map(|(assertions, more)| {
            object(assertions.into_iter().chain(more.into_iter().flatten()))
        })
    })
}

pub(crate) fn schema() -> impl Strategy<Value = Value> {
    (subschema(), subschema(), subschema()).prop_map(|(root, one, two)| {
        let mut root = if root.is_object() { root } else { json!({"not": root}) };
        root["$defs"] = json!({"one": one, "two": two});
        root
    })
}

/// The other validator's verdict.
fn other(schema: &Value, value: &Value) -> Result<bool, String> {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.set_default_draft(boon::Draft::V2020_12);
    compiler.add_resource("test.json", schema.clone()).map_err(|error| error.to_string())?;
    let index = compiler.compile("test.json", &mut schemas).map_err(|error| error.to_string())?;
    Ok(schemas.validate(value, index).is_ok())
}

#[test]
fn verdicts_agree_with_another_validator() {
    let config = ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() };
    let mut runner = TestRunner::new(config);
    let (accepted, valid, invalid) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let input = (schema(), prop::collection::vec(value(), 1..6));
    let outcome = runner.run(&input, |(schema, values)| {
        let Ok(compiled) = Schema::compile(&schema) else { return Ok(()) };
        accepted.set(accepted.get() + 1);
        for value in values {
            let expected = other(&schema, &value).unwrap();
            let verdict = compiled.canonicalize(Json::snapshot(&value).unwrap());
            prop_assert_eq!(verdict.is_ok(), expected, "{} by {}: {:?}", value, schema, verdict);
            let tally = if expected { &valid } else { &invalid };
            tally.set(tally.get() + 1);
        }
        Ok(())
    });
    let (accepted, valid, invalid) = (accepted.get(), valid.get(), invalid.get());
    say(&format!(
        "boon: agreed on {accepted} of 2000 random schemas, {valid} valid and {invalid} invalid values"
    ));
    if let Err(error) = outcome {
        panic!("{error}");
    }
    assert!(accepted > 1_000 && valid > 500 && invalid > 500, "the schemas say too little");
}
