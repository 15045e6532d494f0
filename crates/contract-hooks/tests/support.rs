//! A tool, a registry with hooks, and listeners made of functions.

use std::sync::{Arc, Mutex};

use contract_hooks::{
    AroundExecute, AroundNext, HookError, Hooks, InnerPost, InnerPre, PostExecute, PostNext,
    PreExecute, PreNext, PreReply, PreVerdict,
};
use contract_registry::{
    Call, CallRequest, Completed, ExecuteReply, Outcome, PostDecision, RawTool, Registry, Returned,
};
use contract_schema::{AdditionalContext, ContentBlock, Json, Meta};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

pub(crate) type Log = Arc<Mutex<Vec<String>>>;

pub(crate) fn note(log: &Log, entry: impl Into<String>) {
    log.lock().unwrap().push(entry.into());
}

/// A tool that returns `{ "count": 1 }`, parallel-safe, and renders `count is 1`.
pub(crate) fn counter(name: &str) -> RawTool {
    RawTool::new(name, "test")
        .parameters(json!({ "type": "object" }))
        .output(json!({
            "type": "object",
            "properties": { "count": { "type": "integer" } },
            "required": ["count"],
            "additionalProperties": false,
        }))
        .run(|_, _| async { Ok(Returned::tree(json!({ "count": 1 }))) })
        .render(|_, value| {
            vec![ContentBlock::text(format!("count is {}", value.root().get("count").unwrap()))]
        })
        .presentation_meta(|_, value| Some(Meta::of(value)))
}

pub(crate) fn registry(hooks: &Hooks) -> Registry {
    let registry = Registry::builder().policy(Arc::new(hooks.clone())).build();
    registry.register_dyn(counter("c").build().unwrap()).unwrap().keep();
    registry
}

pub(crate) fn request(name: &str) -> CallRequest {
    CallRequest::new(name, Json::parse("{}").unwrap())
}

pub(crate) async fn call(hooks: &Hooks) -> Outcome {
    registry(hooks).dispatch(request("c")).await
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

pub(crate) fn value(outcome: &Outcome) -> Value {
    outcome.value().unwrap().json().to_value()
}

pub(crate) fn contexts(outcome: &Outcome) -> Vec<&str> {
    outcome.contexts().iter().filter_map(|context| context.content[0].as_text()).collect()
}

pub(crate) fn context(text: &str) -> Vec<AdditionalContext> {
    vec![AdditionalContext::text("test", "listener", text)]
}

/// A judge of calls that delegates first and then answers by a function of what it saw.
pub(crate) struct Pre<F>(pub(crate) F);

impl<F> PreExecute for Pre<F>
where
    F: Fn(InnerPre) -> Result<PreReply, HookError> + Send + Sync + 'static,
{
    fn pre_execute<'a>(
        &'a self,
        _: &'a Call,
        next: PreNext<'a>,
    ) -> BoxFuture<'a, Result<PreReply, HookError>> {
        Box::pin(async { (self.0)(next.run().await?) })
    }
}

/// A judge of calls that does not delegate.
pub(crate) struct PreAlone(pub(crate) fn() -> PreVerdict);

impl PreExecute for PreAlone {
    fn pre_execute<'a>(
        &'a self,
        _: &'a Call,
        _: PreNext<'a>,
    ) -> BoxFuture<'a, Result<PreReply, HookError>> {
        Box::pin(async { Ok((self.0)().into()) })
    }
}

/// A judge of results that delegates first and then answers by a function of what it saw.
pub(crate) struct Post<F>(pub(crate) F);

impl<F> PostExecute for Post<F>
where
    F: Fn(InnerPost) -> Result<PostDecision, HookError> + Send + Sync + 'static,
{
    fn post_execute<'a>(
        &'a self,
        _: Completed<'a>,
        next: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        Box::pin(async { (self.0)(next.run().await?) })
    }
}

/// A judge of results that does not delegate.
pub(crate) struct PostAlone(pub(crate) fn() -> PostDecision);

impl PostExecute for PostAlone {
    fn post_execute<'a>(
        &'a self,
        _: Completed<'a>,
        _: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        Box::pin(async { Ok((self.0)()) })
    }
}

/// A wrapper that notes its begin and end.
pub(crate) struct Noting(pub(crate) &'static str, pub(crate) Log);

impl AroundExecute for Noting {
    fn execute<'a>(&'a self, _: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async {
            note(&self.1, format!("{} begins", self.0));
            let outcome = next.run().await;
            note(&self.1, format!("{} ends", self.0));
            outcome.into()
        })
    }
}

pub(crate) fn content(text: &str) -> PostDecision {
    PostDecision::replace_content_not_value(vec![ContentBlock::text(text)])
}

pub(crate) fn replacement(count: i64) -> PostDecision {
    PostDecision::replace_value(Returned::tree(json!({ "count": count })))
}

pub(crate) fn block(text: &str) -> PostDecision {
    PostDecision::block(vec![ContentBlock::text(text)])
}
