//! Generic spill of 10 MB text, beside writing and syncing a file of the same text.
//!
//! `spill` may take 1.5 times as long as `write_and_sync`, the whole call included; `without` is that call
//! without the policy.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark stops on any failure")]

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract_hooks::Hooks;
use contract_registry::{CallRequest, Outcome, RawTool, Registry, Returned};
use contract_schema::{ContentBlock, Json};
use contract_spill::{LocalConfig, LocalStore, Spill, SpillConfig};
use divan::Bencher;
use serde_json::json;
use tempfile::TempDir;

const BYTES: usize = 10_000_000;

const TURNS: usize = 41;

fn main() {
    divan::main();
}

fn text() -> String {
    let line = "  some line of ordinary length, as a program prints it\n";
    line.repeat(BYTES.div_ceil(line.len()))
}

/// A directory on the disk that the build is on: one in memory syncs for nothing.
fn directory() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A call that shows the text, under these hooks.
fn call(hooks: &Hooks) -> impl Fn() -> Outcome + use<> {
    let registry = Registry::builder().policy(Arc::new(hooks.clone())).build();
    let shown = text();
    let tool = RawTool::new("long", "bench")
        .parameters(json!({ "type": "object" }))
        .output(json!({ "type": "object" }))
        .run(|_, _| async { Ok(Returned::tree(json!({}))) })
        .render(move |_, _| vec![ContentBlock::text(shown.clone())]);
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let arguments = Json::parse("{}").unwrap();
    move || {
        let request = CallRequest::new("long", arguments.clone());
        runtime.block_on(registry.dispatch(request))
    }
}

/// Hooks that save under `dir`.
fn spilling(dir: &TempDir) -> Hooks {
    let (store, hooks) =
        (LocalStore::open(dir.path(), LocalConfig::default()).unwrap(), Hooks::new());
    Spill::new(Arc::new(store), SpillConfig::default()).mount(&hooks).keep();
    hooks
}

/// Writes the text to a new file, and syncs that.
fn writer(dir: &TempDir) -> impl FnMut() + use<> {
    let (path, text) = (dir.path().to_owned(), text());
    let mut number = 0;
    move || {
        number += 1;
        let mut file = File::create_new(path.join(number.to_string())).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.sync_all().unwrap();
    }
}

#[divan::bench(sample_count = 40, sample_size = 1)]
fn write_and_sync(bencher: Bencher<'_, '_>) {
    let dir = directory();
    bencher.bench_local(writer(&dir));
}

#[divan::bench(sample_count = 40, sample_size = 1)]
fn without(bencher: Bencher<'_, '_>) {
    bencher.bench_local(call(&Hooks::new()));
}

#[divan::bench(sample_count = 40, sample_size = 1)]
fn spill(bencher: Bencher<'_, '_>) {
    let dir = directory();
    bencher.bench_local(call(&spilling(&dir)));
}

/// Both by turns, since a disk is fast and slow by the minute: prints the ratio of their medians.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn by_turns(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let (saved, written) = (directory(), directory());
        let (call, mut write) = (call(&spilling(&saved)), writer(&written));
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..TURNS {
            times[0].push(timed(|| drop(call())));
            times[1].push(timed(&mut write));
        }
        let [spill, write] = times.map(|mut times| {
            times.sort();
            times[times.len() / 2].as_secs_f64() * 1000.0
        });
        let ratio = spill / write;
        println!("spill {spill:.2} ms, write and sync {write:.2} ms: {ratio:.2} (at most 1.5)");
    });
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
