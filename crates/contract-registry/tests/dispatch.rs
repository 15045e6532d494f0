//! The plain path: arguments, value, projections, union.

use contract_registry::{CallContext, CallRequest, Registry, Tool, ToolError};
use contract_schema::{ContentBlock, Json, Meta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{code, constant, message, registry_with, request, text};

#[derive(Deserialize, JsonSchema)]
struct GreetArgs {
    name: String,
    /// How often.
    times: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Greeting {
    full_text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u8>,
    /// Never leaves the process, so a renderer must not see it either.
    #[serde(skip)]
    secret: u32,
}

struct Greet;

impl Tool for Greet {
    const NAME: &'static str = "greet";
    const FAMILY: &'static str = "test";
    type Args = GreetArgs;
    type Value = Greeting;
    type Caps = usize;

    fn description(&self) -> String {
        "Greets.".to_owned()
    }

    fn caps(&self) -> &usize {
        &5
    }

    async fn run(&self, args: &GreetArgs, _: &CallContext) -> Result<Greeting, ToolError> {
        let full_text = format!("hello {}", args.name);
        Ok(Greeting { full_text, times: args.times, secret: 7 })
    }

    fn render(cap: &usize, _: &GreetArgs, value: &Greeting) -> Vec<ContentBlock> {
        let shown: String = value.full_text.chars().take(*cap).collect();
        vec![ContentBlock::text(format!("{shown} secret={}", value.secret))]
    }

    fn presentation_meta(_: &usize, args: &GreetArgs, _: &Greeting) -> Option<Meta> {
        Some(Meta::of(&json!({ "who": args.name })))
    }
}

async fn call(arguments: &str) -> contract_registry::Outcome {
    let registry = Registry::new();
    registry.register(Greet).unwrap().keep();
    registry.dispatch(CallRequest::from_text("greet", arguments)).await
}

#[tokio::test]
async fn a_success_is_a_value_and_its_projections() {
    let outcome = call(r#"{"name":"Ann","times":2}"#).await;
    assert_eq!(
        serde_json::to_string(&outcome.union()).unwrap(),
        r#"{"isError":false,"value":{"fullText":"hello Ann","times":2},"#.to_owned()
            + r#""content":[{"type":"text","text":"hello secret=0"}],"meta":{"who":"Ann"}}"#
    );
}

#[tokio::test]
async fn a_renderer_sees_only_what_the_value_gives_back() {
    assert_eq!(text(&call(r#"{"name":"Ann"}"#).await), "hello secret=0");
}

#[tokio::test]
async fn a_failure_is_a_message_a_code_and_one_block() {
    let outcome = registry_with([]).dispatch(request("nope")).await;
    assert_eq!(
        serde_json::to_string(&outcome.union()).unwrap(),
        r#"{"isError":true,"error":{"message":"there is no tool named `nope`","#.to_owned()
            + r#""info":{"name":"UnknownToolError","code":"UNKNOWN_TOOL"}},"#
            + r#""content":[{"type":"text","text":"Error: there is no tool named `nope`"}]}"#
    );
    assert!(outcome.value().is_none());
}

#[tokio::test]
async fn an_unknown_tool_names_the_nearest_one() {
    let registry = registry_with([constant("read", 1), constant("grep", 1)]);
    let outcome = registry.dispatch(request("Read")).await;
    assert_eq!(message(&outcome), "there is no tool named `Read`; did you mean `read`?");
}

#[tokio::test]
async fn bad_arguments_list_every_violation_and_never_reach_the_body() {
    let outcome = call(r#"{"name":1,"nmae":"x","times":300}"#).await;
    assert_eq!(code(&outcome), "INVALID_TOOL_ARGS");
    for part in ["/name", "nmae", "/times"] {
        assert!(message(&outcome).contains(part), "{part} in {}", message(&outcome));
    }
}

#[tokio::test]
async fn arguments_that_are_no_json_name_the_position() {
    let outcome = call("{\"name\": }").await;
    assert_eq!(code(&outcome), "INVALID_TOOL_ARGS");
    assert!(message(&outcome).contains("line 1, column 10"), "{}", message(&outcome));
}

#[tokio::test]
async fn an_integral_float_is_read_as_the_integer() {
    let outcome = call(r#"{"name":"Ann","times":2.0}"#).await;
    assert_eq!(outcome.value().unwrap().to_string(), r#"{"fullText":"hello Ann","times":2}"#);
}

#[tokio::test]
async fn big_integers_keep_every_digit() {
    let registry = registry_with([constant("big", 9_007_199_254_740_993)]);
    let outcome = registry.dispatch(request("big")).await;
    assert_eq!(outcome.value().unwrap().to_string(), r#"{"count":9007199254740993}"#);
    assert_eq!(text(&outcome), "count is 9007199254740993");
    assert_eq!(outcome.meta().unwrap().to_string(), r#"{"count":9007199254740993}"#);
}

#[tokio::test]
async fn an_empty_object_and_a_key_named_result_are_values_like_any_other() {
    use crate::support::count_schema;
    use contract_registry::{RawTool, Returned};
    for (value, schema) in [
        (json!({}), json!({ "type": "object" })),
        (json!({ "result": 1 }), json!({ "type": "object" })),
        (json!(null), json!({ "type": "null" })),
        (json!([1]), json!({ "type": "array" })),
        (json!({ "count": 1 }), count_schema()),
    ] {
        let returned = value.clone();
        let tool = RawTool::new("any", "test")
            .parameters(json!(true))
            .output(schema)
            .run(move |_, _| {
                let returned = returned.clone();
                async move { Ok(Returned::tree(returned)) }
            })
            .render(|_, value| vec![ContentBlock::text(value.to_string())])
            .build()
            .unwrap();
        let outcome = registry_with([tool]).dispatch(request("any")).await;
        assert_eq!(outcome.value().unwrap().json().to_value(), value);
        assert_eq!(text(&outcome), value.to_string());
    }
}

#[tokio::test]
async fn a_value_is_shared_not_copied() {
    let outcome = registry_with([constant("c", 1)]).dispatch(request("c")).await;
    let value = outcome.value().unwrap().json();
    assert!(value.is_same(outcome.clone().value().unwrap().json()));
    assert!(!value.is_same(&Json::parse(&value.to_string()).unwrap()));
}

#[tokio::test]
async fn a_very_long_name_is_not_repeated() {
    let outcome = registry_with([]).dispatch(request(&"x".repeat(100_000))).await;
    assert!(message(&outcome).len() < 150);
}

#[tokio::test]
async fn what_an_argument_held_is_not_in_the_message() {
    let outcome = call(r#"{"name":"Ann","times":2.5}"#).await;
    assert!(!message(&outcome).contains("2.5"), "{}", message(&outcome));
}
