//! What the tests share.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};
use std::time::Duration;

use code_runtime::{
    Bindings, CallError, CallStart, Config, Host, Limits, Program, RunOutcome, Runtime, Worker,
};
use contract_schema::Json;
use futures_util::future::BoxFuture;

/// The program of this crate that is nothing but a worker.
pub(crate) fn worker() -> Worker {
    Worker::Path(PathBuf::from(env!("CARGO_BIN_EXE_code-worker")))
}

pub(crate) fn config(limits: Limits) -> Config {
    Config { worker: worker(), limits, ..Config::default() }
}

/// Limits that a hostile program meets soon.
pub(crate) fn tight() -> Limits {
    Limits {
        heap_bytes: 48 << 20,
        stack_bytes: 256 << 10,
        compute_ms: 200,
        wall_ms: 60_000,
        output_bytes: 64 << 10,
        value_bytes: 1 << 20,
        calls: 100,
        pending_calls: 50,
        ..Limits::default()
    }
}

pub(crate) fn runtime(limits: Limits) -> Runtime {
    Runtime::new(config(limits)).unwrap()
}

/// A host whose functions are told by their name.
pub(crate) struct Tools;

pub(crate) const NAMES: [&str; 8] =
    ["echo", "fail", "code", "never", "later", "__proto__", "constructor", "then"];

impl Host for Tools {
    fn call(&self, call: CallStart) -> BoxFuture<'_, Result<Json, CallError>> {
        Box::pin(async move {
            match call.name.as_str() {
                "fail" => Err(CallError::new(format!("no {}", call.args))),
                "code" => Err(CallError {
                    name: Some("NoEntry".to_owned()),
                    code: Some("NO_ENTRY".to_owned()),
                    message: "not there".to_owned(),
                }),
                "never" => std::future::pending().await,
                "later" => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    Ok(call.args)
                }
                "__proto__" | "constructor" | "then" => {
                    Ok(Json::snapshot(&format!("{}!", call.name)).unwrap())
                }
                _ => Ok(call.args),
            }
        })
    }
}

pub(crate) fn program(source: &str) -> Program {
    let names = NAMES.iter().map(|&name| name.to_owned()).collect();
    Program::new(source).with(Bindings::tools(names))
}

/// Runs a program to its end.
pub(crate) fn run_on(runtime: &Runtime, program: Program, host: &dyn Host) -> RunOutcome {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    tokio.block_on(runtime.run(program, host))
}

pub(crate) fn run(source: &str) -> RunOutcome {
    let _among = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    run_on(&runtime(Limits::default()), program(source), &Tools)
}

/// Held by tests that count the processes of this one, where tests are threads of one process.
static ALONE: RwLock<()> = RwLock::new(());

pub(crate) fn alone() -> RwLockWriteGuard<'static, ()> {
    ALONE.write().unwrap_or_else(PoisonError::into_inner)
}

/// What a program returned, as text.
pub(crate) fn returned(source: &str) -> String {
    let outcome = run(source);
    if let Some(failure) = outcome.failure() {
        panic!("{source}: {failure}");
    }
    outcome.result().map_or_else(|| "undefined".to_owned(), Json::to_string)
}

/// Why a program failed, in words.
pub(crate) fn failure(source: &str) -> String {
    let outcome = run(source);
    outcome.failure().unwrap_or_else(|| panic!("{source} returned {:?}", outcome.result()))
}

/// Processes that this one started and that are still there, the reaped ones not among them.
pub(crate) fn descendants() -> Vec<i32> {
    let me = std::process::id().to_string();
    let parent = |pid: i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let rest = stat.rsplit_once(')')?.1.to_owned();
        rest.split_whitespace().nth(1).map(str::to_owned)
    };
    let processes = std::fs::read_dir("/proc").unwrap();
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&pid| parent(pid).as_deref() == Some(&me))
        .collect()
}

/// Waits until the workers of runs that ended are gone.
pub(crate) fn settle(runtime: &Runtime) {
    let patience = std::time::Instant::now() + Duration::from_secs(30);
    while runtime.workers() > 1 {
        assert!(std::time::Instant::now() < patience, "{} workers are left", runtime.workers());
        std::thread::yield_now();
    }
}

/// Processor time of the processes that were reaped.
pub(crate) fn children_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let rest = stat.rsplit_once(')').unwrap().1;
    let fields = rest.split_whitespace().skip(13).take(2);
    let ticks: u64 = fields.map(|field| field.parse::<u64>().unwrap()).sum();
    // A tick is 10 ms on every Linux there is.
    Duration::from_millis(ticks * 10)
}
