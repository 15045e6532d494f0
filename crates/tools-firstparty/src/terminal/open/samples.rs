//! Example calls of `terminal_open`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{TerminalOpen, TerminalOpenValue};
use crate::terminal::samples::{exited, snapshot};
use crate::terminal::session::TerminalStatus;
use crate::terminal::tool::TerminalSnapshot;

impl ToolSamples for TerminalOpen {
    fn samples(&self) -> Vec<Sample<TerminalOpenValue>> {
        vec![
            Sample {
                name: "a shell",
                args: json!({}),
                value: opened(snapshot("pty-1", None, TerminalStatus::Running {}), "~/project$"),
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
                name: "ended by the time it was shown",
                args: json!({}),
                value: opened(snapshot("pty-3", None, exited(1)), ""),
            },
        ]
    }
}

fn opened(snapshot: TerminalSnapshot, motd: &str) -> TerminalOpenValue {
    let TerminalSnapshot { session_id, name, kind, pid, status } = snapshot;
    TerminalOpenValue { session_id, name, kind, pid, status, motd: motd.to_owned() }
}
