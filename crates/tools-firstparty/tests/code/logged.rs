//! What is logged of nested calls (contract L3, C6).

use std::sync::Arc;

use super::support::{Bench, Log, code, echo, message, slow, tool};
use contract_registry::{CancelSource, ToolError};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn starts_and_ends_are_logged_in_the_order_of_the_calls() {
    let log: Arc<Log> = Arc::default();
    let fail = tool("fail", |_, _| async { Err(ToolError::new("no")) });
    let bench = Bench::new([slow(20), echo(), fail.parallel_safe(|_| true)]).logging(&log);
    let program = "await Promise.allSettled([tools.slow({}), tools.echo({ a: 1 }), tools.fail({}), tools.echo(1)])";
    assert!(!bench.run(program).await.is_error());
    let (starts, ends): (Vec<_>, Vec<_>) =
        log.lines().into_iter().partition(|line| line.contains(" starts "));
    assert_eq!(
        starts,
        ["1 slow starts {}", r#"2 echo starts {"a":1}"#, "3 fail starts {}", "4 echo starts 1"]
    );
    assert_eq!(ends[..3], ["1 slow shown slow", "2 echo shown echo", "3 fail Error: no"]);
    assert!(ends[3].starts_with("4 echo Error: invalid arguments"), "{ends:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_cannot_be_logged_does_not_run_and_stops_the_program() {
    let log = Arc::new(Log { is_full: true, ..Log::default() });
    let ran = CancelSource::new();
    let (source, signal) = (ran.clone(), ran.signal());
    let marking = tool("marking", move |_, _| {
        source.cancel();
        async { Ok(json!(null)) }
    });
    let bench = Bench::new([marking]).logging(&log);
    let outcome = bench.run("try { await tools.marking({}) } catch {} return 1").await;
    assert_eq!(code(&outcome), "SESSION_WRITE_FAILED");
    assert!(message(&outcome).contains("no space"), "{}", message(&outcome));
    assert!(!signal.is_cancelled(), "the body did not run");
}
