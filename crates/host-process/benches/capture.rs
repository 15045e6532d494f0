//! 1 GB of output captured, beside the same read from a plain pipe and thrown away.
//!
//! `captured` may take 1.5 times as long as `thrown_away`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark stops on any failure")]

use std::fs::File;
use std::hint::black_box;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use divan::Bencher;
use host_process::{Command, Spool};
use tempfile::TempDir;

const BYTES: u64 = 1_000_000_000;

const TURNS: usize = 7;

fn main() {
    divan::main();
}

/// A file of that size without a block on the disk, so that reading it costs the same each time.
fn source() -> (TempDir, PathBuf) {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("source");
    File::create_new(&path).unwrap().set_len(BYTES).unwrap();
    (folder, path)
}

/// What reads a pipe as `Read` does, 64 KiB at a time.
fn cat_into_pipe(path: &Path) {
    let mut cat = std::process::Command::new("cat");
    let mut child = cat.arg(path).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let (mut chunk, mut total) = (vec![0; 64 * 1024], 0);
    loop {
        match pipe.read(&mut chunk).unwrap() {
            0 => break,
            count => total += black_box(&chunk).get(..count).unwrap().len() as u64,
        }
    }
    assert_eq!(total, BYTES);
    child.wait().unwrap();
}

fn cat_captured(path: &Path) {
    let finished = Command::argv("cat", [path]).start().wait().unwrap();
    assert_eq!(finished.stdout.total_bytes(), BYTES);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn thrown_away(bencher: Bencher<'_, '_>) {
    let (_folder, path) = source();
    bencher.bench_local(|| cat_into_pipe(&path));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn captured(bencher: Bencher<'_, '_>) {
    let (_folder, path) = source();
    bencher.bench_local(|| cat_captured(&path));
}

/// With the first 64 MiB of it in a file.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn captured_and_spooled(bencher: Bencher<'_, '_>) {
    let (folder, path) = source();
    let spool = Spool { folder: folder.path().to_owned(), max_bytes: 64 << 20 };
    bencher.bench_local(|| Command::argv("cat", [&path]).spool(spool.clone()).start().wait());
}

/// Both by turns, since a machine is fast and slow by the minute: prints the ratio of their medians.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn by_turns(bencher: Bencher<'_, '_>) {
    let (_folder, path) = source();
    bencher.bench_local(|| {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..TURNS {
            times[0].push(timed(|| cat_captured(&path)));
            times[1].push(timed(|| cat_into_pipe(&path)));
        }
        let [captured, thrown] = times.map(|mut times| {
            times.sort();
            times[times.len() / 2].as_secs_f64()
        });
        let ratio = captured / thrown;
        println!("captured {captured:.3} s, thrown away {thrown:.3} s: {ratio:.2} (at most 1.5)");
    });
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
