//! Programs through `run_code`, in a worker. Run with `cargo bench -p tools-firstparty --bench code`.
//! The engine alone is measured in `code-runtime`.
#![expect(clippy::expect_used, reason = "a benchmark stops where it cannot go on")]

use std::sync::Arc;
use std::time::Duration;

use contract_registry::{CallEnv, CallRequest, Outcome, RawTool, Registry, Returned};
use contract_schema::ContentBlock;
use divan::Bencher;
use serde_json::json;
use tokio::runtime::Runtime;
use tools_firstparty::{Config, RunCode, Seams};

fn main() {
    code_runtime::worker_main();
    divan::main();
}

/// A tool that gives its arguments back after this time.
fn echo(name: &str, ms: u64) -> RawTool {
    RawTool::new(name, "bench")
        .parameters(json!({ "type": "object" }))
        .output(json!(true))
        .parallel_safe(|_| true)
        .run(move |args, _| async move {
            if ms > 0 {
                tokio::time::sleep(Duration::from_millis(ms)).await;
            }
            Ok(Returned::json(args.into_json()))
        })
        .render(|_, _| vec![ContentBlock::text("done")])
}

struct Bench {
    tokio: Runtime,
    registry: Registry,
    env: Arc<CallEnv>,
}

impl Bench {
    fn new() -> Self {
        let registry = Registry::new();
        let run_code = RunCode::new(&Config::default(), &Seams::default()).expect("valid limits");
        registry.register(run_code).expect("a new name").keep();
        for tool in [echo("echo", 0), echo("slow", 100)] {
            registry.register_dyn(tool.build().expect("valid")).expect("a new name").keep();
        }
        let tokio = tokio::runtime::Builder::new_multi_thread().enable_time().build();
        let bench = Self { tokio: tokio.expect("threads"), registry, env: Arc::default() };
        bench.run("return 1");
        bench
    }

    fn call(&self, name: &str, arguments: &str) -> Outcome {
        let request = CallRequest::from_text(name, arguments).with_env(Arc::clone(&self.env));
        let outcome = self.tokio.block_on(self.registry.dispatch(request));
        assert!(!outcome.is_error(), "{:?}", outcome.error());
        outcome
    }

    fn run(&self, code: &str) -> Outcome {
        self.call("run_code", &json!({ "code": code, "description": "measure" }).to_string())
    }
}

/// Leaves the pool the time to start a worker.
fn rest() {
    std::thread::sleep(Duration::from_millis(30));
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn return_1(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    bencher.with_inputs(rest).bench_local_values(|()| bench.run("return 1"));
}

/// Fifty calls of 100 ms that may overlap, ten at a time. Bar 560 ms.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn fifty_slow_calls(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    let program = "await Promise.all(Array.from({ length: 50 }, () => tools.slow({})))";
    bencher.with_inputs(rest).bench_local_values(|()| bench.run(program));
}

/// Five waits of 100 ms, one after the other: the least that fifty can take.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn fifty_slow_calls_baseline(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    bencher.bench_local(|| {
        bench.tokio.block_on(async {
            for _ in 0..5 {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        });
    });
}

/// A thousand calls from a program, one after the other, each through the whole pipeline.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn thousand_calls(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    let program = "for (let i = 0; i < 1000; i++) await tools.echo({ i })";
    bencher.with_inputs(rest).bench_local_values(|()| bench.run(program));
}

/// A thousand direct calls.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn thousand_calls_baseline_direct(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    bencher.bench_local(|| (0..1000).for_each(|_| drop(bench.call("echo", "{\"i\":1}"))));
}
