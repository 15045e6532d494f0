//! Reserved names and what a model may call directly (contract C5).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use contract_registry::{
    Call, CallRequest, DynTool, Lane, Policy, PolicyError, PreDecision, Presentation,
    RegisterError, Registry, Restriction,
};
use contract_schema::Json;
use futures_util::future::BoxFuture;

use crate::support::{code, constant, counting, message, registry_with, request, text};

/// A tool that calls the tool `of`, and fails as that does.
fn calling(name: &str, of: &'static str) -> contract_registry::RawTool {
    counting(name, move |_, cx| async move {
        let outcome = cx.call_nested(cx.nested(of, Json::parse("{}").unwrap())).await;
        match outcome.error() {
            Some(failure) => Err(contract_registry::ToolError::new(failure.message())),
            None => Ok(outcome.value().unwrap().json().to_value()),
        }
    })
}

fn runner() -> Arc<dyn DynTool> {
    calling("run", "a").reserved().build().unwrap()
}

fn names(tools: &[Arc<contract_registry::ToolDefinition>]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name()).collect()
}

#[tokio::test]
async fn c5_a_reserved_tool_is_neither_shadowed_nor_masked() {
    let registry = registry_with([constant("a", 1)]);
    let early = registry.scope();
    early.register_dyn(constant("run", 7)).unwrap().keep();
    registry.register_dyn(runner()).unwrap().keep();
    assert_eq!(text(&early.dispatch(request("run")).await), "count is 1", "whichever came first");

    let scope = registry.scope();
    let again = scope.register_dyn(constant("run", 7));
    assert!(matches!(again, Err(RegisterError::Reserved(name)) if name == "run"));
    let inner = scope.scope();
    scope.restrict(Restriction::allow(["a"])).keep();
    inner.restrict(Restriction::deny(["run"])).keep();
    assert_eq!(text(&inner.dispatch(request("run")).await), "count is 1");
    assert_eq!(names(&inner.list()), ["a", "run"]);
    assert!(early.get("run").unwrap().is_reserved());
    assert!(early.list().iter().any(|tool| tool.name() == "run" && tool.is_reserved()));
}

#[tokio::test]
async fn c5_a_reserved_tool_is_not_called_from_inside_itself() {
    let run = calling("run", "between").reserved().build().unwrap();
    let between = calling("between", "run").build().unwrap();
    let registry = registry_with([run, between]);
    let outcome = registry.dispatch(request("run")).await;
    assert_eq!(message(&outcome), "`run` cannot be called from a program that it runs");
}

/// Counts what policy sees.
struct Counter(Arc<AtomicUsize>);

impl Policy for Counter {
    fn pre_execute<'a>(&'a self, _: &'a Call) -> BoxFuture<'a, Result<PreDecision, PolicyError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(PreDecision::allow()) })
    }
}

#[tokio::test]
async fn c5_with_code_alone_a_direct_call_is_refused_before_policy_with_the_way_to_go() {
    let seen: Arc<AtomicUsize> = Arc::default();
    let registry = Registry::builder().policy(Arc::new(Counter(Arc::clone(&seen)))).build();
    registry.register_dyn(constant("a", 1)).unwrap().keep();
    registry.register_dyn(runner()).unwrap().keep();
    let scope = registry.scope();
    let code_alone = scope.present(Presentation::Code);
    assert_eq!(names(&scope.presented()), ["run"]);
    let refused = scope.dispatch(request("a")).await;
    assert_eq!(code(&refused), "UNKNOWN_TOOL");
    assert!(message(&refused).contains("call `run` with a program that calls `tools[\"a\"]"));
    assert_eq!(seen.load(Ordering::Relaxed), 0);
    assert_eq!(text(&scope.scope().dispatch(request("run")).await), "count is 1");
    assert_eq!(seen.load(Ordering::Relaxed), 2, "the program's call and its own");

    assert!(!registry.dispatch(request("a")).await.is_error(), "another scope's own mode");
    drop(code_alone);
    assert_eq!(names(&scope.presented()), ["a", "run"]);
    scope.present(Presentation::Native).keep();
    assert_eq!(names(&scope.presented()), ["a"]);
    assert_eq!(code(&scope.dispatch(request("run")).await), "UNKNOWN_TOOL");
}

#[tokio::test]
async fn a_start_is_told_in_order_and_not_of_a_call_that_was_cancelled_while_it_waited() {
    let registry = registry_with([constant("a", 1)]);
    let started: Arc<Mutex<Vec<String>>> = Arc::default();
    let lane = Lane::new(registry.root().clone(), 2.try_into().unwrap());
    let cancelled = contract_registry::CancelSource::new();
    cancelled.cancel();
    let requests = [
        request("a"),
        request("nothing"),
        request("a").with_cancel(cancelled.signal()),
        CallRequest::from_text("a", "1"),
    ];
    let calls = requests.into_iter().map(|request| {
        let started = Arc::clone(&started);
        lane.submit_watched(
            request,
            Box::new(move |head| started.lock().unwrap().push(head.name().to_owned())),
        )
    });
    let outcomes = futures_util::future::join_all(calls.collect::<Vec<_>>()).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_error()).count(), 3);
    assert_eq!(*started.lock().unwrap(), ["a", "nothing", "a"]);
}
