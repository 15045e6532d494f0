//! `bash -c true` through dispatch beside the same command spawned by hand: at most 3 ms more. Run with
//! `cargo bench -p tools-firstparty --bench commands`.
#![expect(clippy::expect_used, reason = "a benchmark stops where it cannot go on")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use contract_registry::{CallEnv, CallRequest, Registry};
use divan::Bencher;
use futures_executor::block_on;
use host_process::Command as Owned;
use tools_firstparty::{Config, Seams, tools};

fn main() {
    divan::main();
}

/// The standard library alone: no owner, no limit, both streams captured.
#[divan::bench]
fn baseline_raw_spawn(bencher: Bencher<'_, '_>) {
    bencher.bench(|| {
        let output = Command::new("bash").args(["-c", "true"]).stdin(Stdio::null()).output();
        assert!(output.expect("bash runs").status.success());
    });
}

/// Under an owner, without a tool.
#[divan::bench]
fn between_owned_process(bencher: Bencher<'_, '_>) {
    bencher.bench(|| Owned::argv("bash", ["-c", "true"]).start().wait().expect("bash runs"));
}

/// The tool, through the whole pipeline.
#[divan::bench]
fn subject_bash_through_dispatch(bencher: Bencher<'_, '_>) {
    let registry = Registry::new();
    let list = tools(&Config::default(), &Seams::default()).expect("valid limits");
    for tool in list.into_tools() {
        registry.register_dyn(tool).expect("a new name").keep();
    }
    let env = Arc::new(CallEnv::new(Path::new("/tmp")));
    bencher.bench(|| {
        let arguments = r#"{"command":"true","description":"measure"}"#;
        let request = CallRequest::from_text("bash", arguments).with_env(Arc::clone(&env));
        let outcome = block_on(registry.dispatch(request));
        assert!(!outcome.is_error());
        outcome
    });
}
