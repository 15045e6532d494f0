//! Example calls of `bash`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::{Value, json};
use tool_seams::JobId;

use super::{Bash, BashEnded, BashValue};
use crate::shell::sandbox::{BashSandbox, SandboxEnforcement, SandboxMode};
use crate::shell::value::BashStream;

impl ToolSamples for Bash {
    fn samples(&self) -> Vec<Sample<BashValue>> {
        let mut samples = ends();
        samples.extend(streams());
        samples.extend(confined());
        samples.push(Sample {
            name: "in the background",
            args: json!({ "command": "npm run dev", "description": "Start the server", "run_in_background": true }),
            value: BashValue::Background { job_id: JobId::new("bash-1") },
        });
        samples
    }
}

/// Ways to end.
fn ends() -> Vec<Sample<BashValue>> {
    let killed = BashEnded { exit_code: None, signal: Some("SIGKILL".to_owned()), ..success("") };
    let timed_out = BashEnded {
        exit_code: None,
        signal: Some("SIGTERM".to_owned()),
        timed_out: true,
        timeout_ms: 1_000,
        ..success("one\ntwo")
    };
    vec![
        sample("success", "ls", success("a.txt\nb.txt\n")),
        sample("no output", "true", success("")),
        sample("failure", "grep x a.txt", BashEnded { exit_code: Some(1), ..success("") }),
        sample("ended by a signal", "kill -9 $$", killed),
        Sample {
            name: "time is up",
            args: json!({ "command": "watch", "description": "Watch", "timeout_ms": 1_000 }),
            value: foreground(timed_out.clone()),
        },
        sample(
            "time is up, signal caught",
            "./server",
            BashEnded { exit_code: Some(0), signal: None, ..timed_out },
        ),
    ]
}

/// Kinds of output.
fn streams() -> Vec<Sample<BashValue>> {
    let both = BashEnded {
        exit_code: Some(2),
        stderr: stream("warning: old\nerror: no such file\n"),
        ..success("compiling")
    };
    let stderr_only = BashEnded { stderr: stream("deprecated\n"), ..success("") };
    let cut = |total_bytes, spill_path: Option<&str>| BashStream {
        text: "first\n[148000 bytes left out]\nlast\n".to_owned(),
        truncated: true,
        total_bytes,
        omitted_bytes: Some(148_000),
        spill_path: spill_path.map(str::to_owned),
    };
    let long = BashEnded {
        stdout: cut(148_011, Some("/tmp/outputs/one.stdout")),
        stderr: cut(148_011, None),
        ..success("")
    };
    let endless =
        BashEnded { stdout: cut(80_000_000, Some("/tmp/outputs/two.stdout")), ..success("") };
    vec![
        sample("both streams", "make", both),
        sample("stderr only", "old-tool", stderr_only),
        sample("long output", "cat big", long),
        sample("output longer than what is saved", "cat huge", endless),
        sample("output that looks like one of our rows", "cat log", success("[exit code: 1]\n")),
    ]
}

fn sample(name: &'static str, command: &str, ended: BashEnded) -> Sample<BashValue> {
    let args: Value = json!({ "command": command, "description": "Try it" });
    Sample { name, args, value: foreground(ended) }
}

fn foreground(ended: BashEnded) -> BashValue {
    BashValue::Foreground(Box::new(ended))
}

fn success(stdout: &str) -> BashEnded {
    BashEnded {
        exit_code: Some(0),
        signal: None,
        timed_out: false,
        timeout_ms: 120_000,
        stdout: stream(stdout),
        stderr: stream(""),
        sandbox: Some(sandbox(SandboxMode::WorkspaceWrite)),
    }
}

fn sandbox(mode: SandboxMode) -> BashSandbox {
    let enforcement = SandboxEnforcement::Full;
    BashSandbox { mode, enforcement, denied: false, denied_paths: None, not_enforced: None }
}

/// What confinement has to say.
fn confined() -> Vec<Sample<BashValue>> {
    let refused = |mode, path: &str| BashEnded {
        exit_code: Some(1),
        stderr: stream(&format!("bash: line 1: {path}: Permission denied\n")),
        sandbox: Some(BashSandbox {
            denied: true,
            denied_paths: Some(vec![path.to_owned()]),
            ..sandbox(mode)
        }),
        ..success("")
    };
    let unconfined = BashEnded {
        sandbox: Some(BashSandbox {
            enforcement: SandboxEnforcement::None,
            not_enforced: Some(vec![
                "the kernel has no Landlock, so that any file could be written".to_owned(),
            ]),
            ..sandbox(SandboxMode::ReadOnly)
        }),
        ..success("done\n")
    };
    vec![
        sample("full access", "ls", BashEnded { sandbox: None, ..success("a.txt\n") }),
        sample(
            "refused outside the workspace",
            "echo a > /etc/a",
            refused(SandboxMode::WorkspaceWrite, "/etc/a"),
        ),
        sample("refused under read-only access", "echo a > a", refused(SandboxMode::ReadOnly, "a")),
        sample("not confined", "./build", unconfined),
    ]
}

fn stream(text: &str) -> BashStream {
    BashStream {
        text: text.to_owned(),
        truncated: false,
        total_bytes: text.len() as u64,
        omitted_bytes: None,
        spill_path: None,
    }
}
