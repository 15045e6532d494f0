//! A million levels, wherever they can be put: an error, never a crash (contract V5).

use contract_registry::{CallRequest, RawTool, RegisterError, Returned};
use contract_schema::ContentBlock;
use serde_json::{Value, json};

use crate::support::{code, constant, message, registry_with, request};

const LEVELS: usize = 1_000_000;

fn deep() -> Value {
    let mut value = Value::Null;
    for _ in 0..LEVELS {
        value = Value::Array(vec![value]);
    }
    value
}

#[tokio::test]
async fn as_arguments() {
    let text = "[".repeat(LEVELS) + &"]".repeat(LEVELS);
    let registry = registry_with([constant("c", 1)]);
    let outcome = registry.dispatch(CallRequest::from_text("c", &text)).await;
    assert_eq!(code(&outcome), "INVALID_TOOL_ARGS");
    assert!(message(&outcome).contains("deeper than 127"), "{}", message(&outcome));
    assert!(message(&outcome).len() < 200);
}

fn anything(name: &str) -> RawTool {
    RawTool::new(name, "test")
        .parameters(json!(true))
        .output(json!(true))
        .run(|_, _| async { Ok(Returned::tree(deep())) })
        .render(|_, _| vec![ContentBlock::text("never")])
}

#[tokio::test]
async fn as_a_raw_tools_return() {
    let registry = registry_with([anything("deep").build().unwrap()]);
    let outcome = registry.dispatch(request("deep")).await;
    assert_eq!(code(&outcome), "INVALID_TOOL_OUTPUT");
    assert!(message(&outcome).contains("deeper than 127"), "{}", message(&outcome));
    assert!(message(&outcome).len() < 600, "{}", message(&outcome));
}

#[test]
fn as_a_schema() {
    let mut schema = json!(true);
    for _ in 0..LEVELS {
        schema = Value::Object([("not".to_owned(), schema)].into_iter().collect());
    }
    let refused = anything("t").output(schema).build();
    assert!(matches!(refused, Err(RegisterError::Output { .. })));
    let refused = anything("t").parameters(deep()).build();
    assert!(matches!(refused, Err(RegisterError::Parameters { .. })));
}

#[tokio::test]
async fn a_recursive_schema_takes_a_hundred_levels_and_refuses_ten_thousand() {
    let tree = json!({
        "$ref": "#/$defs/node",
        "$defs": { "node": {
            "type": "object",
            "properties": { "child": { "$ref": "#/$defs/node" } },
            "additionalProperties": false,
        } },
    });
    let tool = RawTool::new("tree", "test")
        .parameters(json!({ "type": "object" }))
        .output(tree)
        .run(|args, _| async move {
            let levels = args.root().get("levels").and_then(|n| n.as_u64()).unwrap();
            let nested = (0..levels).fold(json!({}), |child, _| {
                Value::Object([("child".to_owned(), child)].into_iter().collect())
            });
            Ok(Returned::tree(nested))
        })
        .render(|_, _| vec![ContentBlock::text("a tree")]);
    let registry = registry_with([tool.build().unwrap()]);
    let hundred = CallRequest::from_text("tree", r#"{"levels":100}"#);
    assert!(!registry.dispatch(hundred).await.is_error());
    let many = registry.dispatch(CallRequest::from_text("tree", r#"{"levels":10000}"#)).await;
    assert_eq!(code(&many), "INVALID_TOOL_OUTPUT");
}

#[test]
fn names_that_are_no_names_are_refused() {
    for name in ["", "a b", "1", "../x", "näme"] {
        let refused = anything(name).build();
        assert!(matches!(refused, Err(RegisterError::InvalidName(_))), "{name}");
    }
}

#[test]
fn a_definition_lacks_nothing_silently() {
    let bare = RawTool::new("t", "test").parameters(json!(true)).output(json!(true)).build();
    let Err(error) = bare else { panic!("a tool without a body") };
    assert_eq!(error.to_string(), "the definition of `t` has no body");
}
