//! Example calls of `terminal_open`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{TerminalOpen, TerminalOpenValue};
use crate::shell::sandbox::{SandboxEnforcement, SandboxMode};
use crate::terminal::samples::{exited, snapshot};
use crate::terminal::sandbox::TerminalSandbox;
use crate::terminal::session::TerminalStatus;
use crate::terminal::tool::TerminalSnapshot;

impl ToolSamples for TerminalOpen {
    fn samples(&self) -> Vec<Sample<TerminalOpenValue>> {
        vec![
            Sample {
                name: "a shell",
                args: json!({}),
                value: TerminalOpenValue {
                    sandbox: Some(sandbox(SandboxEnforcement::Full, None)),
                    ..opened(snapshot("pty-1", None, TerminalStatus::Running {}), "~/project$")
                },
            },
            Sample {
                name: "with a name, in a folder",
                args: json!({ "type": "shell", "name": "server", "cwd": "web" }),
                value: opened(
                    snapshot("pty-2", Some("server"), TerminalStatus::Running {}),
                    "Welcome to the box.\n~/project/web$",
                ),
            },
            Sample {
                name: "where the kernel does not confine",
                args: json!({}),
                value: TerminalOpenValue {
                    sandbox: Some(sandbox(
                        SandboxEnforcement::None,
                        Some(vec![
                            "the kernel has no Landlock, so that any file could be written"
                                .to_owned(),
                        ]),
                    )),
                    ..opened(snapshot("pty-4", None, TerminalStatus::Running {}), "~/project$")
                },
            },
            Sample {
                name: "ended by the time it was shown",
                args: json!({}),
                value: opened(snapshot("pty-3", None, exited(1)), ""),
            },
        ]
    }
}

fn opened(snapshot: TerminalSnapshot, motd: &str) -> TerminalOpenValue {
    let TerminalSnapshot { session_id, name, kind, pid, status } = snapshot;
    TerminalOpenValue { session_id, name, kind, pid, status, motd: motd.to_owned(), sandbox: None }
}

fn sandbox(enforcement: SandboxEnforcement, not_enforced: Option<Vec<String>>) -> TerminalSandbox {
    let mode = SandboxMode::WorkspaceWrite;
    TerminalSandbox { mode, enforcement, not_enforced }
}
