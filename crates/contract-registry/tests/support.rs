//! Tools and helpers that the tests share.

use std::future::Future;
use std::sync::Arc;

use contract_registry::{
    CallContext, CallRequest, DynTool, Outcome, Policy, RawTool, Registry, Returned, ToolError,
};
use contract_schema::{Canonical, ContentBlock, Json};
use serde_json::{Value, json};

/// Value of a tool that counts.
pub(crate) fn count_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "count": { "type": "integer" } },
        "required": ["count"],
        "additionalProperties": false,
    })
}

/// A raw tool `name` whose body is `body`, taking any object and returning `{ count }`.
pub(crate) fn counting<F, R>(name: &str, body: F) -> RawTool
where
    F: Fn(Canonical, CallContext) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    RawTool::new(name, "test")
        .parameters(json!({ "type": "object" }))
        .output(count_schema())
        .run(move |args, cx| {
            let running = body(args, cx);
            async move { running.await.map(Returned::tree) }
        })
        .render(|_, value| {
            let count = value.root().get("count").and_then(|count| count.as_i64());
            vec![ContentBlock::text(format!("count is {}", count.unwrap_or(-1)))]
        })
        .presentation_meta(|_, value| Some(contract_schema::Meta::of(value)))
}

/// A tool that returns this count at once.
pub(crate) fn constant(name: &str, count: i64) -> Arc<dyn DynTool> {
    counting(name, move |_, _| async move { Ok(json!({ "count": count })) }).build().unwrap()
}

pub(crate) fn registry_with(tools: impl IntoIterator<Item = Arc<dyn DynTool>>) -> Registry {
    fill(Registry::new(), tools)
}

pub(crate) fn governed(
    policy: impl Policy,
    tools: impl IntoIterator<Item = Arc<dyn DynTool>>,
) -> Registry {
    fill(Registry::builder().policy(Arc::new(policy)).build(), tools)
}

fn fill(registry: Registry, tools: impl IntoIterator<Item = Arc<dyn DynTool>>) -> Registry {
    for tool in tools {
        registry.register_dyn(tool).unwrap().keep();
    }
    registry
}

pub(crate) fn request(name: &str) -> CallRequest {
    CallRequest::new(name, Json::parse("{}").unwrap())
}

pub(crate) fn text(outcome: &Outcome) -> String {
    outcome.content().iter().filter_map(ContentBlock::as_text).collect()
}

pub(crate) fn code(outcome: &Outcome) -> &str {
    outcome.error().and_then(|failure| failure.code()).unwrap_or("")
}

pub(crate) fn message(outcome: &Outcome) -> &str {
    outcome.error().map_or("", |failure| failure.message())
}
