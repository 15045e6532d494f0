//! Cancellation: cooperative first, then dropped (contract P8, P9).

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use contract_registry::{Call, CancelSource, ExecuteReply, Next, Policy, Registry, ToolError};
use contract_schema::AdditionalContext;
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::support::{code, counting, message, request};

const GRACE: Duration = Duration::from_millis(50);

fn registry(tool: contract_registry::RawTool) -> Registry {
    let registry = Registry::builder().cancel_grace(GRACE).build();
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    registry
}

/// Dispatches `t` and cancels it once its body runs.
async fn cancelled_while_running(
    registry: &Registry,
    running: &tokio::sync::Notify,
) -> contract_registry::Outcome {
    let source = CancelSource::new();
    let call = registry.dispatch(request("t").with_cancel(source.signal()));
    let cancel = async {
        running.notified().await;
        source.cancel();
    };
    tokio::join!(call, cancel).0
}

#[tokio::test]
async fn cancelled_before_dispatch_reaches_no_body() {
    let ran = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&ran);
    let registry = registry(counting("t", move |_, _| {
        seen.store(true, Ordering::SeqCst);
        async { Ok(json!({ "count": 1 })) }
    }));
    let source = CancelSource::new();
    source.cancel();
    let outcome = registry.dispatch(request("t").with_cancel(source.signal())).await;
    assert_eq!(code(&outcome), "ABORTED_BEFORE_DISPATCH");
    assert!(!ran.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_success_after_cancellation_is_aborted_and_keeps_its_contexts() {
    let running = Arc::new(tokio::sync::Notify::new());
    let started = Arc::clone(&running);
    let registry = registry(counting("t", move |_, cx| {
        let started = Arc::clone(&started);
        async move {
            cx.defer_context(AdditionalContext::text("tool", "t", "half done"));
            started.notify_one();
            cx.cancel().cancelled().await;
            Ok(json!({ "count": 1 }))
        }
    }));
    let outcome = cancelled_while_running(&registry, &running).await;
    assert_eq!(code(&outcome), "ABORTED");
    assert_eq!(outcome.contexts().len(), 1);
}

#[tokio::test]
async fn a_failure_that_says_more_stays() {
    let running = Arc::new(tokio::sync::Notify::new());
    let started = Arc::clone(&running);
    let registry = registry(counting("t", move |_, cx| {
        let started = Arc::clone(&started);
        async move {
            started.notify_one();
            cx.cancel().cancelled().await;
            Err(ToolError::coded("BashError", "BASH_ABORTED", "stopped after 3 lines"))
        }
    }));
    let outcome = cancelled_while_running(&registry, &running).await;
    assert_eq!(code(&outcome), "BASH_ABORTED");
}

#[tokio::test]
async fn a_body_that_ignores_the_signal_is_dropped_with_what_it_owns() {
    struct Owned(Arc<AtomicBool>);
    impl Drop for Owned {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let running = Arc::new(tokio::sync::Notify::new());
    let released = Arc::new(AtomicBool::new(false));
    let (started, owned) = (Arc::clone(&running), Arc::clone(&released));
    let registry = registry(counting("t", move |_, _| {
        let (started, owned) = (Arc::clone(&started), Owned(Arc::clone(&owned)));
        async move {
            let _owned = owned;
            started.notify_one();
            pending().await
        }
    }));
    let began = Instant::now();
    let outcome = cancelled_while_running(&registry, &running).await;
    assert_eq!(code(&outcome), "ABORTED");
    assert!(released.load(Ordering::SeqCst));
    assert!(began.elapsed() >= GRACE);
}

#[tokio::test]
async fn a_body_that_panics_when_dropped_is_contained() {
    struct Angry;
    impl Drop for Angry {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let running = Arc::new(tokio::sync::Notify::new());
    let started = Arc::clone(&running);
    let registry = registry(counting("t", move |_, _| {
        let started = Arc::clone(&started);
        async move {
            let _angry = Angry;
            started.notify_one();
            pending().await
        }
    }));
    assert_eq!(code(&cancelled_while_running(&registry, &running).await), "ABORTED");
}

#[tokio::test]
async fn blocking_work_is_told_to_stop_and_counted_while_it_does_not() {
    let running = Arc::new(tokio::sync::Notify::new());
    let release = Arc::new(AtomicBool::new(false));
    let (started, free) = (Arc::clone(&running), Arc::clone(&release));
    let registry = registry(counting("t", move |_, cx| {
        let (started, free) = (Arc::clone(&started), Arc::clone(&free));
        async move {
            let work = cx.blocking(move |_| {
                started.notify_one();
                while !free.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                1
            });
            Ok(json!({ "count": work.await? }))
        }
    }));
    assert_eq!(code(&cancelled_while_running(&registry, &running).await), "ABORTED");
    assert_eq!(registry.orphaned_work(), 1);
    release.store(true, Ordering::SeqCst);
    let began = Instant::now();
    while registry.orphaned_work() > 0 && began.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(registry.orphaned_work(), 0);
}

#[tokio::test]
async fn blocking_work_that_polls_its_flag_ends_at_once() {
    let running = Arc::new(tokio::sync::Notify::new());
    let started = Arc::clone(&running);
    let registry = registry(counting("t", move |_, cx| {
        let started = Arc::clone(&started);
        async move {
            let work = cx.blocking(move |flag| {
                started.notify_one();
                while !flag.is_cancelled() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                1
            });
            Ok(json!({ "count": work.await? }))
        }
    }));
    assert_eq!(code(&cancelled_while_running(&registry, &running).await), "ABORTED");
    assert_eq!(registry.orphaned_work(), 0);
}

#[tokio::test]
async fn a_panic_in_blocking_work_is_a_failure() {
    let registry = registry(counting("t", |_, cx| async move {
        cx.blocking(|_| -> i32 { panic!("deep inside") }).await?;
        Ok(json!({ "count": 1 }))
    }));
    let outcome = registry.dispatch(request("t")).await;
    assert_eq!(code(&outcome), "TOOL_PANICKED");
    assert!(message(&outcome).contains("deep inside"));
}

/// Gives the body a signal of its own, as a deadline does.
struct OwnSignal;

impl Policy for OwnSignal {
    fn execute<'a>(&'a self, _: &'a Call, next: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async { next.with_cancel(CancelSource::new().signal()).run().await.into() })
    }
}

#[tokio::test]
async fn a_wrapper_cannot_detach_the_callers_signal() {
    let running = Arc::new(tokio::sync::Notify::new());
    let started = Arc::clone(&running);
    let registry = Registry::builder().cancel_grace(GRACE).policy(Arc::new(OwnSignal)).build();
    let tool = counting("t", move |_, cx| {
        let started = Arc::clone(&started);
        async move {
            started.notify_one();
            cx.cancel().cancelled().await;
            Ok(json!({ "count": 1 }))
        }
    });
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    assert_eq!(code(&cancelled_while_running(&registry, &running).await), "ABORTED");
}

/// Puts two signals around the body, the outer one fired.
struct OuterFired;

impl Policy for OuterFired {
    fn execute<'a>(&'a self, _: &'a Call, next: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async {
            let outer = CancelSource::new();
            outer.cancel();
            let next = next.with_cancel(outer.signal());
            next.with_cancel(CancelSource::new().signal()).run().await.into()
        })
    }
}

#[tokio::test]
async fn an_inner_wrapper_cannot_detach_an_outer_ones_signal() {
    let registry = Registry::builder().policy(Arc::new(OuterFired)).build();
    let tool = counting("t", |_, cx| async move {
        cx.cancel().cancelled().await;
        Ok(json!({ "count": 1 }))
    });
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    assert_eq!(code(&registry.dispatch(request("t")).await), "ABORTED");
}

/// Ends a call when its own signal fires, and tries again once.
struct Retry(AtomicUsize);

impl Policy for Retry {
    fn execute<'a>(&'a self, _: &'a Call, next: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async move {
            let again = next.for_retry();
            let first = next.run().await;
            self.0.fetch_add(1, Ordering::SeqCst);
            if first.is_error() { again.run().await.into() } else { first.into() }
        })
    }
}

#[tokio::test]
async fn a_wrapper_may_retry_on_purpose() {
    let runs = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&runs);
    let registry = Registry::builder().policy(Arc::new(Retry(AtomicUsize::new(0)))).build();
    let tool = counting("t", move |_, _| {
        let run = seen.fetch_add(1, Ordering::SeqCst);
        async move {
            if run == 0 { Err(ToolError::new("not yet")) } else { Ok(json!({ "count": run })) }
        }
    });
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    let outcome = registry.dispatch(request("t")).await;
    assert_eq!(outcome.value().unwrap().to_string(), r#"{"count":1}"#);
}

/// Never answers: in its execute stage, or after it.
struct NeverAnswers(bool);

impl Policy for NeverAnswers {
    fn execute<'a>(&'a self, _: &'a Call, next: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async move {
            let outcome = next.run().await;
            if self.0 { pending().await } else { outcome.into() }
        })
    }

    fn post_execute<'a>(
        &'a self,
        _: contract_registry::Completed<'a>,
    ) -> BoxFuture<'a, Result<contract_registry::PostDecision, contract_registry::PolicyError>>
    {
        Box::pin(pending())
    }
}

#[tokio::test]
async fn a_policy_that_never_answers_cannot_keep_a_cancelled_call() {
    for in_execute in [true, false] {
        let policy = Arc::new(NeverAnswers(in_execute));
        let registry = Registry::builder().cancel_grace(GRACE).policy(policy).build();
        let running = Arc::new(tokio::sync::Notify::new());
        let started = Arc::clone(&running);
        let tool = counting("t", move |_, _| {
            started.notify_one();
            async { Ok(json!({ "count": 1 })) }
        });
        registry.register_dyn(tool.build().unwrap()).unwrap().keep();
        let outcome = cancelled_while_running(&registry, &running).await;
        assert_eq!(code(&outcome), "POLICY_FAILED", "post-execute never answers either");
    }
}

#[test]
fn a_signal_fused_with_itself_does_not_grow() {
    let (one, two) = (CancelSource::new(), CancelSource::new());
    let mut signal = one.signal();
    for _ in 0..40 {
        signal = signal.fused_with(&signal.fused_with(&two.signal()));
    }
    assert!(!signal.is_cancelled());
    two.cancel();
    assert!(signal.is_cancelled());
}
