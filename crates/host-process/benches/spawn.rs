//! `bash -c true` under an owner, beside a plain spawn and wait; and both from programs with more memory, the
//! tables of which a fork copies.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark stops on any failure")]

use std::hint::black_box;
use std::process::Stdio;
use std::time::{Duration, Instant};

use divan::Bencher;
use host_process::{Command, Confinement};

const TURNS: usize = 101;

fn main() {
    divan::main();
}

fn raw_spawn() {
    let mut command = std::process::Command::new("bash");
    command.args(["-c", "true"]).stdin(Stdio::null()).stdout(Stdio::piped());
    black_box(command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap());
}

fn command() -> Command {
    Command::argv("bash", ["-c", "true"])
}

fn owned() {
    black_box(command().start().wait().unwrap());
}

fn under_confinement() {
    let confinement = Confinement::workspace_write([std::env::temp_dir()]).network(false);
    black_box(command().confine(confinement).start().wait().unwrap());
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn raw() {
    raw_spawn();
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn running() {
    owned();
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn confined() {
    under_confinement();
}

/// Both by turns, since a machine is fast and slow by the minute: what the owner takes on top, by medians.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn by_turns(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        compare("in a small program");
        for mebibytes in [64, 1024] {
            let large = black_box(vec![1_u8; mebibytes << 20]);
            compare(&format!("in a program that uses {mebibytes} MiB"));
            drop(large);
        }
    });
}

fn compare(name: &str) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..TURNS {
        times[0].push(timed(raw_spawn));
        times[1].push(timed(owned));
    }
    let [raw, owned] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1000.0
    });
    let more = owned - raw;
    println!("{name}: plain {raw:.2} ms, owned {owned:.2} ms, {more:.2} ms more (at most 3)");
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
