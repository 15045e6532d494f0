//! No panic, no lie and no bad value of a tool gets past normalize (contract P3).

use std::sync::Arc;

use contract_registry::{
    Audience, CallContext, DynTool, Ended, Overflow, PreparedCall, ProjectError, Projected,
    Projection, Registry, Returned, Tool, ToolDefinition, ToolError,
};
use contract_schema::{Canonical, ContentBlock, DecodeError, Meta, Schema};
use futures_util::future::{BoxFuture, Either};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use crate::support::{code, counting, message, registry_with, request, text};

/// Where [`Faulty`] goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nowhere,
    Body,
    Snapshot,
    Drop,
    Render,
    MetaPanics,
    MetaLossy,
    Finalize,
    Classify,
}

#[derive(Deserialize, JsonSchema)]
struct NoArgs {}

#[derive(Deserialize, JsonSchema)]
struct Risky {
    #[serde(skip, default = "nowhere")]
    fault: Fault,
}

fn nowhere() -> Fault {
    Fault::Nowhere
}

impl Serialize for Risky {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert_ne!(self.fault, Fault::Snapshot, "snapshot went wrong");
        serde::ser::SerializeMap::end(serializer.serialize_map(Some(0))?)
    }
}

impl Drop for Risky {
    fn drop(&mut self) {
        assert_ne!(self.fault, Fault::Drop, "drop went wrong");
    }
}

struct Faulty(Fault);

impl Tool for Faulty {
    const NAME: &'static str = "faulty";
    const FAMILY: &'static str = "test";
    type Args = NoArgs;
    type Value = Risky;
    type Caps = Fault;

    fn description(&self) -> String {
        String::new()
    }

    fn caps(&self) -> &Fault {
        &self.0
    }

    async fn run(&self, _: &NoArgs, _: &CallContext) -> Result<Risky, ToolError> {
        assert_ne!(self.0, Fault::Body, "body went wrong");
        Ok(Risky { fault: self.0 })
    }

    fn render(fault: &Fault, _: &NoArgs, _: &Risky) -> Vec<ContentBlock> {
        assert_ne!(*fault, Fault::Render, "render went wrong");
        vec![ContentBlock::text("fine")]
    }

    fn presentation_meta(fault: &Fault, _: &NoArgs, _: &Risky) -> Option<Meta> {
        assert_ne!(*fault, Fault::MetaPanics, "meta went wrong");
        (*fault == Fault::MetaLossy).then(|| Meta::of(&[1.0, f64::NAN]))
    }

    fn finalize_content(&self, _: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        assert_ne!(self.0, Fault::Finalize, "finalize went wrong");
        None
    }

    fn is_parallel_safe(&self, _: &NoArgs) -> bool {
        assert_ne!(self.0, Fault::Classify, "classifier went wrong");
        true
    }
}

async fn run(fault: Fault) -> contract_registry::Outcome {
    let registry = Registry::new();
    registry.register(Faulty(fault)).unwrap().keep();
    let lane = contract_registry::Lane::new(registry.root().clone(), 2.try_into().unwrap());
    let outcome = lane.submit(request("faulty")).await;
    // The registry is not poisoned: the same call goes the same way again.
    let again = registry.dispatch(request("faulty")).await;
    assert_eq!(message(&outcome), message(&again));
    outcome
}

#[tokio::test]
async fn panics_become_failures_that_name_the_tool_and_the_stage() {
    for (fault, expected_code, part) in [
        (Fault::Body, "TOOL_PANICKED", "the tool faulty panicked: "),
        (Fault::Snapshot, "INVALID_TOOL_OUTPUT", "panicked while its value was taken: "),
        (Fault::Drop, "INVALID_TOOL_OUTPUT", "panicked while its value was taken: "),
        (Fault::Render, "INVALID_TOOL_OUTPUT", "panicked while it was shown: "),
        (Fault::MetaPanics, "INVALID_TOOL_OUTPUT", "panicked while it was shown: "),
    ] {
        let outcome = run(fault).await;
        assert_eq!(code(&outcome), expected_code, "{fault:?}");
        assert!(message(&outcome).contains(part), "{fault:?}: {}", message(&outcome));
        assert!(message(&outcome).contains("went wrong"), "{fault:?}: {}", message(&outcome));
    }
}

#[tokio::test]
async fn metadata_that_is_not_lossless_fails_the_call_with_its_path() {
    let outcome = run(Fault::MetaLossy).await;
    assert_eq!(code(&outcome), "INVALID_TOOL_OUTPUT");
    assert!(message(&outcome).contains("/1"), "{}", message(&outcome));
}

#[tokio::test]
async fn finalize_and_classifier_cannot_fail_a_call() {
    for fault in [Fault::Finalize, Fault::Classify, Fault::Nowhere] {
        assert_eq!(text(&run(fault).await), "fine", "{fault:?}");
    }
}

#[tokio::test]
async fn lossy_values_are_refused_with_their_path_and_never_shown() {
    for (value, part) in [
        (json!({ "count": "eleven-and-a-half" }), "/count"),
        (json!({}), "count"),
        (json!({ "count": 1, "extra-key": 2 }), "extra-key"),
        (json!({ "count": 1e300 * 1.5 }), ""),
    ] {
        let returned = value.clone();
        let tool = counting("odd", move |_, _| {
            let returned = returned.clone();
            async move { Ok(returned) }
        });
        let outcome = registry_with([tool.build().unwrap()]).dispatch(request("odd")).await;
        if part.is_empty() {
            assert!(!outcome.is_error());
            continue;
        }
        assert_eq!(code(&outcome), "INVALID_TOOL_OUTPUT");
        assert!(message(&outcome).contains(part), "{}", message(&outcome));
        assert!(!message(&outcome).contains("eleven"), "{}", message(&outcome));
        assert!(message(&outcome).contains("may have had its effect"), "{}", message(&outcome));
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Numbers {
    list: Vec<f64>,
}

struct Floats(fn() -> f64);

impl Tool for Floats {
    const NAME: &'static str = "floats";
    const FAMILY: &'static str = "test";
    type Args = NoArgs;
    type Value = Numbers;
    type Caps = ();

    fn description(&self) -> String {
        String::new()
    }

    fn caps(&self) -> &() {
        &()
    }

    async fn run(&self, _: &NoArgs, _: &CallContext) -> Result<Numbers, ToolError> {
        Ok(Numbers { list: vec![1.0, (self.0)()] })
    }

    fn render((): &(), _: &NoArgs, _: &Numbers) -> Vec<ContentBlock> {
        Vec::new()
    }
}

#[tokio::test]
async fn infinities_nan_and_negative_zero_are_failures_naming_the_path() {
    for make in [|| f64::NAN, || 1e308 + 1e308, || -0.0] as [fn() -> f64; 3] {
        let registry = Registry::new();
        registry.register(Floats(make)).unwrap().keep();
        let outcome = registry.dispatch(request("floats")).await;
        assert_eq!(code(&outcome), "INVALID_TOOL_OUTPUT");
        assert!(message(&outcome).contains("/list/1"), "{}", message(&outcome));
    }
}

/// Renders elsewhere: slowly, not at all, or with a panic.
struct Elsewhere {
    definition: Arc<ToolDefinition>,
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    Later,
    Never,
    Panics,
    Fails,
}

impl DynTool for Elsewhere {
    fn definition(&self) -> &Arc<ToolDefinition> {
        &self.definition
    }

    fn prepare(self: Arc<Self>, _: &Canonical) -> Result<Box<dyn PreparedCall>, DecodeError> {
        Ok(Box::new(ElsewhereCall(self.how)))
    }
}

struct ElsewhereCall(How);

impl PreparedCall for ElsewhereCall {
    fn is_parallel_safe(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, _: &'a CallContext) -> BoxFuture<'a, Result<Returned, ToolError>> {
        Box::pin(async { Ok(Returned::typed(1)) })
    }

    fn project<'a>(&'a self, _: &'a Canonical, _: Audience) -> Projected<'a> {
        Either::Right(Box::pin(async {
            match self.0 {
                How::Later => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
                How::Never => std::future::pending().await,
                How::Panics => panic!("the renderer went wrong"),
                How::Fails => return Err(ProjectError::Renderer("no such view".to_owned())),
            }
            Ok(Projection { content: vec![ContentBlock::text("later")], meta: None })
        }))
    }

    fn overflow(&self, _: &Canonical) -> Result<Option<Overflow>, ProjectError> {
        Ok(None)
    }
}

#[tokio::test]
async fn a_renderer_that_runs_elsewhere_has_a_deadline() {
    for (how, expected) in [
        (How::Later, "later"),
        (How::Never, "no answer within 50 ms"),
        (How::Panics, "the renderer went wrong"),
        (How::Fails, "no such view"),
    ] {
        let any = || Schema::compile(&json!(true)).unwrap();
        let definition = Arc::new(ToolDefinition::new("far", "test", any(), any()).unwrap());
        let deadline = std::time::Duration::from_millis(50);
        let registry = Registry::builder().projection_deadline(deadline).build();
        registry.register_dyn(Arc::new(Elsewhere { definition, how })).unwrap().keep();
        let outcome = registry.dispatch(request("far")).await;
        assert!(text(&outcome).contains(expected), "{}", text(&outcome));
    }
}

/// Panics with what it is told to when dropped.
struct Explosive;

impl Drop for Explosive {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[derive(Deserialize, JsonSchema)]
struct ExplosiveArgs {
    #[serde(skip, default = "fuse")]
    _fuse: Option<Fuse>,
}

struct Fuse;

impl Drop for Fuse {
    fn drop(&mut self) {
        panic!("the arguments went off");
    }
}

fn fuse() -> Option<Fuse> {
    Some(Fuse)
}

struct TakesExplosive;

impl Tool for TakesExplosive {
    const NAME: &'static str = "takes";
    const FAMILY: &'static str = "test";
    type Args = ExplosiveArgs;
    type Value = u8;
    type Caps = ();

    fn description(&self) -> String {
        String::new()
    }

    fn caps(&self) -> &() {
        &()
    }

    async fn run(&self, _: &ExplosiveArgs, _: &CallContext) -> Result<u8, ToolError> {
        Ok(1)
    }

    fn render((): &(), _: &ExplosiveArgs, _: &u8) -> Vec<ContentBlock> {
        vec![ContentBlock::text("fine")]
    }
}

#[tokio::test]
async fn arguments_that_panic_when_dropped_do_not_fail_the_call() {
    let registry = Registry::new();
    registry.register(TakesExplosive).unwrap().keep();
    assert_eq!(text(&registry.dispatch(request("takes")).await), "fine");
}

/// Ready at once, and panics when it is dropped after that.
struct ReadyThenExplodes {
    _explosive: Explosive,
}

impl Future for ReadyThenExplodes {
    type Output = Result<serde_json::Value, ToolError>;

    fn poll(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        std::task::Poll::Ready(Ok(json!({ "count": 1 })))
    }
}

#[tokio::test]
async fn a_body_that_panics_when_dropped_after_it_ended_is_a_failure() {
    let tool = counting("odd", |_, _| ReadyThenExplodes { _explosive: Explosive });
    let outcome = registry_with([tool.build().unwrap()]).dispatch(request("odd")).await;
    assert_eq!(code(&outcome), "TOOL_PANICKED");
}

#[tokio::test]
async fn a_panic_whose_payload_panics_when_dropped_is_contained() {
    let body = counting("odd", |_, _| async { std::panic::panic_any(Explosive) });
    let outcome = registry_with([body.build().unwrap()]).dispatch(request("odd")).await;
    assert_eq!(code(&outcome), "TOOL_PANICKED");
    let blocking = counting("odd", |_, cx| async move {
        cx.blocking(|_| -> u8 { std::panic::panic_any(Explosive) }).await?;
        Ok(json!({ "count": 1 }))
    });
    let outcome = registry_with([blocking.build().unwrap()]).dispatch(request("odd")).await;
    assert_eq!(code(&outcome), "TOOL_PANICKED");
}
