//! Scheduling, the run's end, and what calls leave for the outer result (contract C1, C5, C6).

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use contract_registry::{CancelSource, ToolError};
use contract_schema::{AdditionalContext, ContentBlock};
use serde_json::json;

use super::support::{Bench, Log, code, config, echo, message, slow, tool, waiting};

#[tokio::test(flavor = "multi_thread")]
async fn c5_a_program_does_not_see_run_code() {
    let bench = Bench::new([echo()]);
    let program = "return [Object.keys(tools), typeof tools.run_code]";
    assert_eq!(bench.result(program).await, json!([["echo", "$describe"], "undefined"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn c3_a_program_can_ask_for_the_declaration_of_a_tool() {
    let bench = Bench::new([echo()]);
    let text = bench.result("return await tools.$describe('echo')").await;
    assert!(text.as_str().unwrap().contains("  echo(args: "), "{text}");
    for (name, said) in [
        ("'eco'", "did you mean `echo`?"),
        ("'run_code'", "no tool `run_code`"),
        ("{}", "give the name"),
    ] {
        let program =
            format!("try {{ await tools.$describe({name}) }} catch (e) {{ return e.message }}");
        let message = bench.result(&program).await;
        assert!(message.as_str().unwrap().contains(said), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c1_parallel_safe_calls_overlap_up_to_the_limit() {
    let bench = Bench::new([slow(100)]);
    bench.run("return 1").await;
    let began = Instant::now();
    let program = "const all = Array.from({ length: 50 }, () => tools.slow({}));
        return (await Promise.all(all)).length";
    assert_eq!(bench.result(program).await, 50);
    let took = began.elapsed();
    println!("50 calls of 100 ms, 10 at a time: {took:?}");
    assert!(took >= Duration::from_millis(500), "{took:?}: no more than 10 at a time");
    assert!(took < Duration::from_millis(1_000), "{took:?}: they overlap");
}

#[tokio::test(flavor = "multi_thread")]
async fn c1_an_exclusive_call_is_alone() {
    let running: Arc<Mutex<(u32, u32)>> = Arc::default();
    let seen = Arc::clone(&running);
    let alone = tool("alone", move |_, _| {
        let seen = Arc::clone(&seen);
        async move {
            {
                let mut seen = seen.lock().unwrap();
                seen.0 += 1;
                seen.1 = seen.1.max(seen.0);
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
            seen.lock().unwrap().0 -= 1;
            Ok(json!(null))
        }
    });
    let bench = Bench::new([alone]);
    bench.result("await Promise.all([1, 2, 3, 4].map(() => tools.alone({}))); return 1").await;
    assert_eq!(running.lock().unwrap().1, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn c6_when_a_program_ends_running_calls_are_cancelled_and_queued_ones_abandoned() {
    let log: Arc<Log> = Arc::default();
    let mut two = config();
    two.code.max_parallel_calls = 2;
    let bench = Bench::with(&two, None, [waiting(), echo()]).logging(&log);
    for end in ["return 'done'", "throw new Error('done')"] {
        log.lines.lock().unwrap().clear();
        // The third call takes the place of the first before the program has its answer.
        let program = format!(
            "const first = tools.echo({{}}); for (let i = 0; i < 5; i++) tools.wait({{}}).catch(() => 0);
            await first; {end}"
        );
        let outcome = bench.run(&program).await;
        let call =
            |n: u32| [format!("{n} wait starts {{}}"), format!("{n} wait Error: stopped waiting")];
        let [[start_2, end_2], [start_3, end_3]] = [call(2), call(3)];
        let mut lines = log.lines();
        assert_eq!(lines.len(), 6, "{lines:?}");
        // The end of the first may be written after both starts.
        lines.retain(|line| line != "1 echo shown echo");
        assert_eq!(lines, ["1 echo starts {}".to_owned(), start_2, start_3, end_2, end_3]);
        assert_eq!(outcome.is_error(), end.starts_with("throw"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c6_a_cancelled_call_ends_its_program_and_its_calls_and_says_how() {
    let cancel = CancelSource::new();
    let source = cancel.clone();
    let cancelling = tool("cancelling", move |_, _| {
        source.cancel();
        async { Ok(json!(null)) }
    });
    let log: Arc<Log> = Arc::default();
    let bench = Bench::new([waiting(), cancelling.parallel_safe(|_| true)]).logging(&log);
    let program =
        "console.log('before'); tools.wait({}); await tools.cancelling({}); for (;;) await 0";
    let began = Instant::now();
    let outcome = bench.run_until(program, cancel.signal()).await;
    assert!(began.elapsed() < Duration::from_secs(2), "it settled by itself");
    assert_eq!(code(&outcome), "CODE_ABORTED");
    for part in [
        "the call was cancelled",
        "Logged until then:\nbefore\n",
        "1. wait failed: stopped waiting\n2. cancelling",
    ] {
        assert!(message(&outcome).contains(part), "{part}: {}", message(&outcome));
    }
    assert_eq!(log.lines().len(), 4, "{:?}", log.lines());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_calls_leave_for_the_model_is_kept_though_the_program_fails() {
    let noting = tool("noting", |_, cx| async move {
        cx.defer_context(AdditionalContext::text("tool", "noting", "note"));
        cx.conclude_turn();
        Ok(json!(1))
    });
    let image = tool("image", |_, _| async { Ok(json!(2)) })
        .render(|_, _| vec![ContentBlock::text("text"), ContentBlock::image("image/png", "AAAA")]);
    let failing = tool("failing", |_, _| async { Err(ToolError::new("no")) });
    let bench = Bench::new([noting, image, failing]);
    let calls =
        "await tools.image({}); await tools.noting({}); await tools.failing({}).catch(() => 0);";
    let expected = [
        AdditionalContext::text("tool", "noting", "note"),
        AdditionalContext {
            source: AdditionalContext::text("tool", "image", "").source,
            content: vec![ContentBlock::image("image/png", "AAAA")],
        },
    ];
    let failed = bench.run(&format!("{calls} throw 1")).await;
    assert!(failed.is_error());
    assert_eq!(failed.contexts(), expected);
    let returned = bench.run(calls).await;
    assert_eq!(returned.contexts(), expected);
    assert!(returned.result().unwrap().concludes_turn());
}
