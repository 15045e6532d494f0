//! Chains of many listeners, and listeners that panic where there is no call to fail with them.

use std::sync::Arc;
use std::thread;

use contract_hooks::{
    AroundExecute, AroundNext, Bound, HookError, HookHandle, Hooks, Lifecycle, LifecycleDecision,
    LifecycleEvent, LifecycleHead, LifecycleNext, LogCopy, LogCopyNext, NestedResult, Observe,
    PostExecute, PostNext, PreExecute, PreNext, PreReply, PreVerdict,
};
use contract_registry::{
    AgentId, Call, CallContext, CallHead, Completed, ExecuteReply, Outcome, PostDecision, Registry,
    Returned,
};
use contract_schema::ContentBlock;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::support::{Log, Post, call, context, counter, note, replacement, request, value};

/// Delegates in every chain; where it can, before it gives its future.
struct Pass;

impl PreExecute for Pass {
    fn pre_execute<'a>(
        &'a self,
        _: &'a Call,
        next: PreNext<'a>,
    ) -> BoxFuture<'a, Result<PreReply, HookError>> {
        Box::pin(async {
            next.run().await?;
            Ok(PreVerdict::Allow.into())
        })
    }
}

impl AroundExecute for Pass {
    fn execute<'a>(&'a self, _: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(next.run().map(ExecuteReply::from))
    }
}

impl PostExecute for Pass {
    fn post_execute<'a>(
        &'a self,
        _: Completed<'a>,
        next: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        Box::pin(async {
            next.run().await?;
            Ok(PostDecision::accept())
        })
    }
}

impl LogCopy for Pass {
    fn log_copy<'a>(
        &'a self,
        _: &'a CallHead,
        _: &'a NestedResult,
        next: LogCopyNext<'a>,
    ) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>> {
        Box::pin(next.run().map(Ok))
    }
}

impl Lifecycle for Pass {
    fn on_event<'a>(
        &'a self,
        _: &'a LifecycleHead,
        _: &'a LifecycleEvent,
        next: LifecycleNext<'a>,
    ) -> BoxFuture<'a, Result<LifecycleDecision, HookError>> {
        Box::pin(next.run())
    }
}

/// Without more stack, some 400 end the process in a debug build.
const MANY: usize = 1200;

fn crowded() -> Hooks {
    let hooks = Hooks::new();
    for _ in 0..MANY {
        hooks.pre_execute("pass", Pass).keep();
        hooks.around("pass", Pass).keep();
        hooks.post_execute("pass", Pass).keep();
        hooks.log_copy("pass", Pass).keep();
        hooks.lifecycle("pass", Pass).keep();
    }
    hooks
}

/// On a thread with the stack that threads commonly have.
fn on_a_common_stack(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap();
    thread.join().unwrap();
}

/// A tool that calls itself as deep as calls may be nested, and then gives the depth.
fn nesting(registry: &Registry) {
    let tool = counter("nest").run(|_, cx: CallContext| async move {
        let inner = cx.call_nested(cx.nested("nest", contract_schema::Json::parse("{}").unwrap()));
        let below = inner.await.value().map_or(0, |value| {
            value.json().root().get("count").and_then(|count| count.as_u64()).unwrap()
        });
        Ok(Returned::tree(json!({ "count": below + 1 })))
    });
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
}

#[test]
fn h7_chains_of_any_length_fit_a_threads_stack() {
    on_a_common_stack(|| {
        let registry = Registry::builder().policy(Arc::new(crowded())).build();
        nesting(&registry);
        let outcome = registry.dispatch(request("nest")).now_or_never().unwrap();
        assert_eq!(value(&outcome), json!({ "count": 9 }));
    });
}

/// Shapes a log copy and asks about an event while the call ends.
struct Elsewhere(Hooks, Log);

impl Observe for Elsewhere {
    fn observe(&self, call: &CallHead, outcome: &Outcome) {
        let result = NestedResult { content: outcome.content().to_vec(), is_error: false };
        let copy = self.0.shape_log_copy(call, &result).now_or_never().unwrap();
        note(&self.1, copy[0].as_text().unwrap());
        let (head, event) = life();
        let decision = self.0.on_event(&head, &event).now_or_never().unwrap();
        note(&self.1, format!("{decision:?}"));
    }
}

fn life() -> (LifecycleHead, LifecycleEvent) {
    let head = LifecycleHead { session_id: None, agent_id: AgentId::default() };
    (head, LifecycleEvent::UserPromptSubmit { prompt: "hi".to_owned() })
}

#[test]
fn h7_so_do_those_of_log_copies_and_events() {
    on_a_common_stack(|| {
        let (hooks, log) = (Hooks::new(), Log::default());
        hooks.observer("elsewhere", Elsewhere(crowded(), Arc::clone(&log))).keep();
        call(&hooks).now_or_never().unwrap();
        assert_eq!(log.lock().unwrap()[0], "count is 1");
        assert!(log.lock().unwrap()[1].starts_with("Ok("));
    });
}

#[test]
fn h7_a_call_that_is_given_up_within_a_long_chain_is_dropped_whole() {
    on_a_common_stack(|| {
        let registry = Registry::builder().policy(Arc::new(crowded())).build();
        let held = Arc::new(());
        let inside = Arc::clone(&held);
        let tool = counter("waits").run(move |_, _| {
            let inside = Arc::clone(&inside);
            async move {
                std::future::pending::<()>().await;
                drop(inside);
                Ok(Returned::tree(json!({ "count": 1 })))
            }
        });
        registry.register_dyn(tool.build().unwrap()).unwrap().keep();
        let before = Arc::strong_count(&held);
        let mut call = Box::pin(registry.dispatch(request("waits")));
        assert!(call.as_mut().now_or_never().is_none());
        assert_eq!(Arc::strong_count(&held), before + 1);
        drop(call);
        assert_eq!(Arc::strong_count(&held), before);
    });
}

/// Panics, at once or after it has delegated.
struct Panics {
    delegates: bool,
}

impl LogCopy for Panics {
    fn log_copy<'a>(
        &'a self,
        _: &'a CallHead,
        _: &'a NestedResult,
        next: LogCopyNext<'a>,
    ) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>> {
        assert!(self.delegates, "no copy");
        Box::pin(async {
            next.run().await;
            panic!("no copy after all")
        })
    }
}

impl Lifecycle for Panics {
    fn on_event<'a>(
        &'a self,
        _: &'a LifecycleHead,
        _: &'a LifecycleEvent,
        next: LifecycleNext<'a>,
    ) -> BoxFuture<'a, Result<LifecycleDecision, HookError>> {
        assert!(self.delegates, "no event");
        Box::pin(async {
            next.run().await?;
            panic!("no event after all")
        })
    }
}

/// Puts its name around what it is about, and counts.
struct Marks(&'static str, Log);

impl LogCopy for Marks {
    fn log_copy<'a>(
        &'a self,
        _: &'a CallHead,
        _: &'a NestedResult,
        next: LogCopyNext<'a>,
    ) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>> {
        Box::pin(async {
            note(&self.1, self.0);
            let inner = next.run().await;
            Ok(vec![ContentBlock::text(format!("{}({})", self.0, inner[0].as_text().unwrap()))])
        })
    }
}

impl Lifecycle for Marks {
    fn on_event<'a>(
        &'a self,
        _: &'a LifecycleHead,
        _: &'a LifecycleEvent,
        _: LifecycleNext<'a>,
    ) -> BoxFuture<'a, Result<LifecycleDecision, HookError>> {
        note(&self.1, self.0);
        Box::pin(async { Ok(LifecycleDecision { block: None, contexts: context("note") }) })
    }
}

#[tokio::test]
async fn h7_a_listener_that_panics_over_a_log_copy_is_passed_over() {
    for delegates in [false, true] {
        let (hooks, copies, log) = (Hooks::new(), Hooks::new(), Log::default());
        let asked = Log::default();
        copies.log_copy("a", Marks("a", Arc::clone(&asked))).keep();
        copies.log_copy("panics", Panics { delegates }).keep();
        copies.log_copy("b", Marks("b", Arc::clone(&asked))).keep();
        copies.log_copy("panics", Panics { delegates }).keep();
        hooks.observer("elsewhere", Elsewhere(copies, Arc::clone(&log))).keep();
        call(&hooks).await;
        assert_eq!(log.lock().unwrap()[0], "a(b(count is 1))", "{delegates}");
        assert_eq!(*asked.lock().unwrap(), ["a", "b"], "{delegates}");
    }
}

#[tokio::test]
async fn h7_a_listener_that_panics_over_an_event_has_failed_and_the_others_are_asked() {
    let (head, event) = life();
    for (delegates, said) in [
        (false, "the listener panics panicked: no event"),
        (true, "the listener panics panicked: no event after all"),
    ] {
        let (hooks, asked) = (Hooks::new(), Log::default());
        let panics: HookHandle = hooks.lifecycle("panics", Panics { delegates });
        hooks.lifecycle("a", Marks("a", Arc::clone(&asked))).keep();
        hooks.lifecycle("b", Marks("b", Arc::clone(&asked))).keep();
        assert_eq!(hooks.on_event(&head, &event).await, Err(HookError::new(said)));
        assert_eq!(*asked.lock().unwrap(), ["a", "b"]);
        drop(panics);
        hooks.lifecycle("panics", Panics { delegates }).keep();
        assert_eq!(hooks.on_event(&head, &event).await, Err(HookError::new(said)));
        assert_eq!(*asked.lock().unwrap(), ["a", "b", "a", "b"]);
    }
}

/// Bounds by a text, or panics.
struct Bounds(Option<&'static str>);

impl Bound for Bounds {
    fn bound<'a>(
        &'a self,
        _: Completed<'a>,
        _: Option<&'a [ContentBlock]>,
    ) -> BoxFuture<'a, Option<Vec<ContentBlock>>> {
        Box::pin(async { Some(vec![ContentBlock::text(self.0.unwrap())]) })
    }
}

#[tokio::test]
async fn h7_a_bounder_that_panics_does_not_undo_the_others() {
    let hooks = Hooks::new();
    hooks.post_execute("value", Post(|_| Ok(replacement(2)))).keep();
    let outer = hooks.bound("panics", Bounds(None));
    hooks.bound("bounds", Bounds(Some("bounded"))).keep();
    assert_eq!(call(&hooks).await.content(), [ContentBlock::text("bounded")]);
    drop(outer);
    hooks.bound("panics", Bounds(None)).keep();
    assert_eq!(call(&hooks).await.content(), [ContentBlock::text("bounded")]);
}
