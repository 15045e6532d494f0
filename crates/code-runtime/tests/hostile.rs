//! Programs that mean harm: each ends within its limit, names it, keeps what it logged before, leaves no process, and
//! the next run works (issue: hostile corpus; contract C7).
//!
//! A file is a list of `== name | expectation` lines, each with a program of one line below.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use code_runtime::{
    CallError, CallStart, Config, Ended, Host, Limits, RunOutcome, Runtime, Worker,
};
use contract_schema::Json;
use futures_util::future::BoxFuture;

use crate::support::{
    NAMES, Tools, alone, children_time, config, descendants, program, run_on, settle, tight,
};

/// What an ending may take beyond its limit.
const SLACK: Duration = Duration::from_millis(500);

struct Case {
    name: String,
    expected: String,
    source: String,
}

fn cases(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile").join(file);
    let text = fs::read_to_string(path).unwrap();
    text.strip_prefix("== ")
        .unwrap()
        .split("\n== ")
        .map(|block| {
            let (head, source) = block.split_once('\n').unwrap();
            let (name, expected) = head.rsplit_once(" | ").unwrap();
            let (name, expected) = (name.to_owned(), expected.to_owned());
            Case { name, expected, source: source.trim_end().to_owned() }
        })
        .collect()
}

/// The tools of the other tests, and one whose answer is too large.
struct Big;

impl Host for Big {
    fn call(&self, call: CallStart) -> BoxFuture<'_, Result<Json, CallError>> {
        if call.name == "big" {
            return Box::pin(async { Ok(Json::snapshot(&"x".repeat(4 << 20)).unwrap()) });
        }
        Tools.call(call)
    }
}

fn told(outcome: &RunOutcome) -> String {
    match &outcome.ended {
        Ended::Returned(result) => {
            format!("returned {}", result.as_ref().map_or("undefined".to_owned(), Json::to_string))
        }
        Ended::Threw(fault) => format!("threw {}", fault.name),
        Ended::Refused(fault) => format!("refused {}", fault.name),
        Ended::Limit(hit) => format!("limit {}", hit.limit.name()),
        Ended::Stalled => "stalled".to_owned(),
        Ended::Stopped => "stopped".to_owned(),
        Ended::Broken(why) => format!("broken {why}"),
    }
}

fn is_as_expected(told: &str, expected: &str) -> bool {
    if expected == "any" {
        return !told.starts_with("broken");
    }
    match (told.strip_prefix("limit "), expected.strip_prefix("limit ")) {
        // One of several: which comes first depends on the machine.
        (Some(told), Some(expected)) => {
            told == expected || expected.split(' ').any(|one| one == told)
        }
        _ => told == expected,
    }
}

/// What is wrong with how a case went.
fn faults(case: &Case, runtime: &Runtime, limits: &Limits) -> Vec<String> {
    let mut names: Vec<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
    names.push("big".to_owned());
    // On the same line, so that places stay; a wrapper that is closed early is to be refused as it is.
    let mut hostile = program(&format!("console.log('before'); {}", case.source));
    hostile.bindings[0].functions = names;
    settle(runtime);
    let (began, used) = (Instant::now(), children_time());
    let outcome = run_on(runtime, hostile, &Big);
    let took = began.elapsed();
    let mut faults = Vec::new();
    let told = told(&outcome);
    if !is_as_expected(&told, &case.expected) {
        faults.push(format!("{told} instead of {}: {:?}", case.expected, outcome.failure()));
    }
    if took > Duration::from_millis(limits.wall_ms) + SLACK {
        faults.push(format!("took {took:?}"));
    }
    // The limit on compute is processor time, which a busy machine stretches.
    settle(runtime);
    let used = children_time() - used;
    if used > Duration::from_millis(limits.compute_ms) + SLACK {
        faults.push(format!("used {used:?} of processor time"));
    }
    if outcome.logs.first().map(String::as_str) != Some("before") && !told.starts_with("refused") {
        faults.push(format!("lost its log: {:?}", outcome.logs));
    }
    let bytes: usize = outcome.logs.iter().map(String::len).sum();
    if bytes > limits.output_bytes {
        faults.push(format!("{bytes} bytes of output"));
    }
    if outcome.failure().is_some_and(|text| text.len() > 3 * limits.message_bytes) {
        faults.push("a message that is not cut".to_owned());
    }
    let next = run_on(runtime, program("return await tools.echo(1)"), &Tools);
    if next.result().map(Json::to_string).as_deref() != Some("1") {
        faults.push(format!("the next run: {:?}", next.ended));
    }
    faults
}

fn hold(file: &str, config: Config) {
    let _alone = alone();
    let limits = config.limits.clone();
    let runtime = Arc::new(Runtime::new(config).unwrap());
    let mut wrong = Vec::new();
    for case in cases(file) {
        for fault in faults(&case, &runtime, &limits) {
            wrong.push(format!("{}: {fault}", case.name));
        }
    }
    drop(runtime);
    assert_eq!(descendants(), Vec::<i32>::new(), "processes are left");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn loops_end() {
    hold("loops.txt", config(tight()));
}

#[test]
fn waiting_ends() {
    // Where only the wall ends a program, so that a busy machine cannot be what meets it first elsewhere.
    hold("waits.txt", config(Limits { wall_ms: 1_000, calls: 1_000, ..tight() }));
}

#[test]
fn builtins_end() {
    hold("builtins.txt", config(tight()));
}

#[test]
fn memory_is_bounded() {
    let limits = Limits { compute_ms: 2_000, heap_bytes: 16 << 20, ..tight() };
    hold("memory.txt", config(limits));
}

#[test]
fn memory_is_bounded_on_a_thread() {
    let limits = Limits { compute_ms: 2_000, heap_bytes: 16 << 20, ..tight() };
    hold("memory.txt", Config { worker: Worker::InProcess, ..config(limits) });
}

/// Not on a thread: the engine aborts its process where it has nothing left to reject a promise with.
#[test]
fn recursion_of_async_functions_ends() {
    let limits = Limits { compute_ms: 2_000, heap_bytes: 16 << 20, ..tight() };
    hold("async.txt", config(limits));
}

#[test]
fn output_is_bounded() {
    hold("output.txt", config(tight()));
}

#[test]
fn the_boundary_holds() {
    hold("boundary.txt", config(tight()));
}

#[test]
fn the_boundary_holds_on_a_thread() {
    hold("boundary.txt", Config { worker: Worker::InProcess, ..config(tight()) });
}

#[test]
fn loops_end_on_a_thread() {
    hold("loops.txt", Config { worker: Worker::InProcess, ..config(tight()) });
}

#[test]
fn the_corpus_is_as_large_as_promised() {
    let files = [
        "loops.txt",
        "waits.txt",
        "builtins.txt",
        "memory.txt",
        "async.txt",
        "output.txt",
        "boundary.txt",
    ];
    let count: usize = files.iter().map(|file| cases(file).len()).sum();
    assert!(count >= 60, "{count} programs");
}
