//! Wrappers: cached answers, values of their own, panics, signals (contract P7, P8).

use std::sync::{Arc, Mutex};

use contract_hooks::{AroundExecute, AroundNext, Hooks};
use contract_registry::{
    Call, CallRequest, CancelSource, ExecuteReply, Outcome, Registry, Returned, ToolError,
};
use contract_schema::{ContentBlock, Json};
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::support::{call, code, counter, message, registry, request, text, value};

/// Answers once with what it holds, then delegates.
struct Cache(Mutex<Option<ExecuteReply>>);

impl AroundExecute for Cache {
    fn execute<'a>(&'a self, _: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
        let cached = self.0.lock().unwrap().take();
        Box::pin(async {
            match cached {
                Some(reply) => reply,
                None => next.run().await.into(),
            }
        })
    }
}

/// Passes on what is inside.
struct Passes;

impl AroundExecute for Passes {
    fn execute<'a>(&'a self, _: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async { next.run().await.into() })
    }
}

async fn cached(reply: ExecuteReply, wrapped: bool) -> Outcome {
    let hooks = Hooks::new();
    if wrapped {
        hooks.around("outer", Passes).keep();
    }
    hooks.around("cache", Cache(Mutex::new(Some(reply)))).keep();
    call(&hooks).await
}

#[tokio::test]
async fn a_cached_success_of_another_call_or_tool_is_normalized_again() {
    let other = Registry::new();
    let odd = counter("odd").render(|_, _| vec![ContentBlock::text("text of another tool")]);
    other.register_dyn(odd.build().unwrap()).unwrap().keep();
    let loose =
        counter("loose").output(json!(true)).run(|_, _| async { Ok(Returned::tree(json!([]))) });
    let loose = loose.render(|_, _| vec![ContentBlock::text("fine there")]);
    other.register_dyn(loose.build().unwrap()).unwrap().keep();
    for wrapped in [false, true] {
        let foreign = other.dispatch(request("odd")).await;
        assert_eq!(text(&cached(foreign.into(), wrapped).await), "count is 1");
        let invalid = other.dispatch(request("loose")).await;
        assert_eq!(code(&cached(invalid.into(), wrapped).await), "INVALID_TOOL_OUTPUT");
        let own = registry(&Hooks::new()).dispatch(request("c")).await;
        assert_eq!(text(&cached(own.into(), wrapped).await), "count is 1");
        let value = ExecuteReply::value(Returned::tree(json!({ "count": 5 })));
        assert_eq!(text(&cached(value, wrapped).await), "count is 5");
    }
}

#[tokio::test]
async fn a_wrapper_that_panics_or_never_calls_next_is_contained() {
    struct Panics;
    impl AroundExecute for Panics {
        fn execute<'a>(&'a self, _: &'a Call, _: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
            Box::pin(async { panic!("fell over") })
        }
    }
    struct PanicsAtOnce;
    impl AroundExecute for PanicsAtOnce {
        fn execute<'a>(&'a self, _: &'a Call, _: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
            panic!("fell over")
        }
    }
    struct Refuses;
    impl AroundExecute for Refuses {
        fn execute<'a>(&'a self, _: &'a Call, _: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
            Box::pin(async { ExecuteReply::failure(ToolError::coded("X", "NO_NEXT", "not today")) })
        }
    }
    let hooks = Hooks::new();
    let _outer = hooks.around("outer", Passes);
    let panics = hooks.around("panics", Panics);
    let outcome = call(&hooks).await;
    assert_eq!(code(&outcome), "POLICY_FAILED");
    assert!(message(&outcome).contains("the wrapper panics panicked"), "{}", message(&outcome));
    drop(panics);
    let panics = hooks.around("panics", PanicsAtOnce);
    assert_eq!(code(&call(&hooks).await), "POLICY_FAILED");
    drop(panics);
    let _refuses = hooks.around("refuses", Refuses);
    assert_eq!(code(&call(&hooks).await), "NO_NEXT");
}

/// Runs what is inside until it succeeds, at most `0` times.
struct Retries(usize);

impl AroundExecute for Retries {
    fn execute<'a>(&'a self, _: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async move {
            for _ in 1..self.0 {
                let outcome = next.for_retry().run().await;
                if !outcome.is_error() {
                    return outcome.into();
                }
            }
            next.run().await.into()
        })
    }
}

#[tokio::test]
async fn a_retry_runs_the_inner_wrappers_and_the_body_again() {
    struct FailsTwice(Mutex<i32>);
    impl AroundExecute for FailsTwice {
        fn execute<'a>(&'a self, _: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
            let mut runs = self.0.lock().unwrap();
            *runs += 1;
            let fails = *runs < 3;
            Box::pin(async move {
                if fails {
                    ExecuteReply::failure(ToolError::new("not yet"))
                } else {
                    next.run().await.into()
                }
            })
        }
    }
    let hooks = Hooks::new();
    let _retry = hooks.around("retry", Retries(3));
    let _fails = hooks.around("fails", FailsTwice(Mutex::new(0)));
    assert_eq!(value(&call(&hooks).await), json!({ "count": 1 }));
}

#[tokio::test]
async fn an_inner_wrapper_keeps_the_signals_of_caller_and_outer_wrappers() {
    struct OwnSignal(CancelSource);
    impl AroundExecute for OwnSignal {
        fn execute<'a>(&'a self, _: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
            Box::pin(async { next.with_cancel(self.0.signal()).run().await.into() })
        }
    }
    let outer = CancelSource::new();
    let hooks = Hooks::new();
    hooks.around("outer", OwnSignal(outer.clone())).keep();
    hooks.around("inner", OwnSignal(CancelSource::new())).keep();
    let registry = Registry::builder().policy(Arc::new(hooks)).build();
    let waits = counter("waits").run(|_, cx| async move {
        cx.cancel().cancelled().await;
        Ok(Returned::tree(json!({ "count": 1 })))
    });
    registry.register_dyn(waits.build().unwrap()).unwrap().keep();
    let request = CallRequest::new("waits", Json::parse("{}").unwrap());
    let (outcome, ()) = tokio::join!(registry.dispatch(request), async { outer.cancel() });
    assert_eq!(code(&outcome), "ABORTED");
}
