//! The lane: overlap, barrier, order (contract P10).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract_registry::{
    Call, CallRequest, CancelSource, Completed, Lane, Policy, PolicyError, PostDecision,
    PreDecision, RawTool, Registry,
};
use contract_schema::Json;
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::support::{code, counting, text};

type Log = Arc<Mutex<Vec<String>>>;

/// Writes down when its stages run.
struct Recorder(Log);

impl Policy for Recorder {
    fn pre_execute<'a>(
        &'a self,
        call: &'a Call,
    ) -> BoxFuture<'a, Result<PreDecision, PolicyError>> {
        self.0.lock().unwrap().push(format!("pre {}", call.call_id()));
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(PreDecision::allow())
        })
    }

    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, PolicyError>> {
        self.0.lock().unwrap().push(format!("post {}", completed.call().call_id()));
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(PostDecision::accept())
        })
    }
}

/// Sleeps `ms`, parallel-safe if `safe`; notes begin and end.
fn sleeper(log: &Log) -> RawTool {
    let log = Arc::clone(log);
    counting("sleep", move |args, cx| {
        let log = Arc::clone(&log);
        async move {
            let ms = args.root().get("ms").and_then(|ms| ms.as_u64()).unwrap();
            log.lock().unwrap().push(format!("begin {}", cx.call_id()));
            tokio::time::sleep(Duration::from_millis(ms)).await;
            log.lock().unwrap().push(format!("end {}", cx.call_id()));
            Ok(json!({ "count": ms }))
        }
    })
    .parallel_safe(|args| args.root().get("safe").and_then(|safe| safe.as_bool()) == Some(true))
}

fn lane(log: &Log, limit: usize) -> Lane {
    let policy = Arc::new(Recorder(Arc::clone(log)));
    let registry = Registry::builder().policy(policy).build();
    registry.register_dyn(sleeper(log).build().unwrap()).unwrap().keep();
    Lane::new(registry.root().clone(), limit.try_into().unwrap())
}

fn call(id: &str, ms: u64, safe: bool) -> CallRequest {
    let args = Json::snapshot(&json!({ "ms": ms, "safe": safe })).unwrap();
    CallRequest::new("sleep", args).with_call_id(contract_registry::CallId::new(id))
}

fn position(log: &[String], entry: &str) -> usize {
    log.iter().position(|seen| seen == entry).unwrap_or_else(|| panic!("{entry} in {log:?}"))
}

#[tokio::test]
async fn parallel_bodies_overlap_and_commit_in_order() {
    let log = Log::default();
    let outcomes =
        lane(&log, 8).run_all([call("a", 60, true), call("b", 5, true), call("c", 30, true)]).await;
    let texts: Vec<_> = outcomes.iter().map(text).collect();
    assert_eq!(texts, ["count is 60", "count is 5", "count is 30"]);
    let log = log.lock().unwrap();
    let order = |kind: &str| {
        let entries = log.iter().filter(|entry| entry.starts_with(kind)).cloned();
        entries.collect::<Vec<_>>()
    };
    assert_eq!(order("pre"), ["pre a", "pre b", "pre c"]);
    assert_eq!(order("end"), ["end b", "end c", "end a"]);
    assert_eq!(order("post"), ["post a", "post b", "post c"]);
}

#[tokio::test]
async fn an_exclusive_call_is_a_barrier_from_pre_to_post() {
    let log = Log::default();
    let calls = [call("a", 20, true), call("x", 10, false), call("b", 1, true)];
    lane(&log, 8).run_all(calls).await;
    let log = log.lock().unwrap();
    assert!(position(&log, "post a") < position(&log, "pre x"));
    assert!(position(&log, "post x") < position(&log, "pre b"));
}

#[tokio::test]
async fn no_more_bodies_overlap_than_the_limit() {
    let log = Log::default();
    let calls = (0..6).map(|n| call(&n.to_string(), 10, true));
    lane(&log, 2).run_all(calls.collect::<Vec<_>>()).await;
    let mut running = 0;
    for entry in log.lock().unwrap().iter() {
        running += i32::from(entry.starts_with("begin")) - i32::from(entry.starts_with("end"));
        assert!(running <= 2);
    }
}

#[tokio::test]
async fn a_dropped_call_gives_its_place_up() {
    let log = Log::default();
    let lane = lane(&log, 8);
    let first = lane.submit(call("a", 10_000, false));
    let second = lane.submit(call("b", 1, true));
    drop(first);
    assert_eq!(text(&second.await), "count is 1");
}

#[tokio::test]
async fn a_queued_call_that_is_cancelled_reaches_no_policy() {
    let log = Log::default();
    let lane = lane(&log, 8);
    let source = CancelSource::new();
    let first = lane.submit(call("a", 30, false));
    let second = lane.submit(call("b", 1, true).with_cancel(source.signal()));
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        source.cancel();
    };
    let (first, second, ()) = tokio::join!(first, second, cancel);
    assert!(!first.is_error());
    assert_eq!(code(&second), "ABORTED_BEFORE_DISPATCH");
    assert!(!log.lock().unwrap().contains(&"pre b".to_owned()));
}

#[tokio::test]
async fn a_hundred_mixed_calls_from_several_threads_all_end() {
    let log = Log::default();
    let lane = lane(&log, 4);
    let calls = (0..100).map(|n| lane.submit(call(&n.to_string(), n % 3, n % 7 != 0)));
    let tasks: Vec<_> = calls.map(tokio::spawn).collect();
    for task in tasks {
        assert!(!task.await.unwrap().is_error());
    }
    let log = log.lock().unwrap();
    let order: Vec<_> = log.iter().filter(|entry| entry.starts_with("post")).cloned().collect();
    let expected: Vec<_> = (0..100).map(|n| format!("post {n}")).collect();
    assert_eq!(order, expected);
}
