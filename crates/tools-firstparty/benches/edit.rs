//! An edit of a file of 1 MB through dispatch against reading, writing and syncing those bytes, in one run.
//!
//! `read_write_sync` is the unit: what no edit can do without. `publish` is the file half alone.

#![allow(clippy::unwrap_used, reason = "a benchmark stops on any failure")]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use contract_registry::{AccessMode, CallEnv, CallRequest, Registry};
use divan::Bencher;
use tempfile::TempDir;
use tools_firstparty::seam::publish::{DiskPublisher, Patience, Publisher as _, Reach, Request};
use tools_firstparty::{Config, Seams, tools};

const BYTES: usize = 1_000_000;

fn main() {
    divan::main();
}

/// What the ratio is taken of, and what it is taken to.
mod read_write_sync {
    #[divan::bench(name = "one_megabyte")]
    fn run(bencher: divan::Bencher<'_, '_>) {
        super::read_write_sync(bencher);
    }
}
mod edit {
    #[divan::bench(name = "one_megabyte")]
    fn run(bencher: divan::Bencher<'_, '_>) {
        super::edit(bencher);
    }
}
mod publish {
    #[divan::bench(name = "one_megabyte")]
    fn run(bencher: divan::Bencher<'_, '_>) {
        super::publish(bencher);
    }
}

/// A folder on the disk the project is on, with a file that has one place to edit.
fn folder() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let line = "    let value = compute(first, second, third);\n";
    let mut text = line.repeat(BYTES / line.len() / 2) + "    state: even\n";
    while text.len() < BYTES {
        text.push_str(line);
    }
    let path = dir.path().join("file.rs");
    fs::write(&path, text).unwrap();
    (dir, path)
}

fn read_write_sync(bencher: Bencher<'_, '_>) {
    let (_dir, path) = folder();
    bencher.bench_local(|| {
        let content = fs::read(&path).unwrap();
        let mut file = File::create(&path).unwrap();
        file.write_all(&content).unwrap();
        file.sync_all().unwrap();
    });
}

fn edit(bencher: Bencher<'_, '_>) {
    let (dir, _) = folder();
    let registry = Registry::new();
    for tool in tools(&Config::default(), &Seams::default()).unwrap().into_tools() {
        registry.register_dyn(tool).unwrap().keep();
    }
    let env = Arc::new(CallEnv::new(dir.path()).with_access_mode(AccessMode::Full));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut states = ["even", "odd"];
    bencher.bench_local(|| {
        let [old, new] = states.map(|state| format!("state: {state}\\n"));
        states.reverse();
        let arguments =
            format!(r#"{{"file_path":"file.rs","old_string":"{old}","new_string":"{new}"}}"#);
        let request = CallRequest::from_text("edit", &arguments).with_env(Arc::clone(&env));
        let outcome = runtime.block_on(registry.dispatch(request));
        assert!(outcome.value().is_some());
        outcome
    });
}

fn publish(bencher: Bencher<'_, '_>) {
    let (_dir, path) = folder();
    let reach = Reach::over(AccessMode::Full, Vec::new());
    let patience = Patience { max: Duration::from_secs(10), is_cancelled: &|| false };
    bencher.bench_local(|| publish_once(&path, &reach, patience));
}

fn publish_once(path: &Path, reach: &Reach, patience: Patience<'_>) {
    let request = Request { path, makes_folders: false, reach, patience };
    let held = DiskPublisher.hold(&request).unwrap();
    let content = held.read(2 * BYTES).unwrap().unwrap();
    held.publish(&content, &|| false).unwrap();
}
