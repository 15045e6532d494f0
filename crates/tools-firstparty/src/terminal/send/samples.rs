//! Example calls of `terminal_send`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;
use tool_seams::JobId;

use super::{TerminalSend, TerminalSendValue, TerminalSent};
use crate::terminal::ready::WaitReason;
use crate::terminal::samples::{exited, killed};
use crate::terminal::session::TerminalStatus;

impl ToolSamples for TerminalSend {
    fn samples(&self) -> Vec<Sample<TerminalSendValue>> {
        let typed = |text: &str| json!({ "session_id": "pty-1", "text": text });
        vec![
            Sample {
                name: "a command",
                args: typed("git status -s"),
                value: sent(
                    "~/project$ git status -s\n M src/main.rs\n~/project$",
                    WaitReason::StdinRead,
                ),
            },
            Sample {
                name: "keys in a full-screen program",
                args: json!({ "session_id": "pty-1", "text": "ihello", "keys": ["escape"] }),
                value: sent("hello\n~\n~\n                    1,5", WaitReason::StdinRead),
            },
            Sample {
                name: "nothing came, nothing known",
                args: json!({ "session_id": "pty-1", "text": "make", "submit": true }),
                value: sent("", WaitReason::InferredIdle),
            },
            Sample {
                name: "still running, much output, not all typed",
                args: typed("yes"),
                value: foreground(TerminalSent {
                    truncated: true,
                    untyped_bytes: Some(12),
                    ..waited("y\ny\ny", WaitReason::Timeout)
                }),
            },
            Sample {
                name: "the shell ended",
                args: typed("exit 3"),
                value: foreground(TerminalSent {
                    session_status: exited(3),
                    ..waited("~/project$ exit 3\nexit", WaitReason::SessionExit)
                }),
            },
            Sample {
                name: "the terminal had ended",
                args: typed("ls"),
                value: foreground(TerminalSent {
                    session_status: killed("SIGHUP"),
                    ..waited("", WaitReason::SessionExit)
                }),
            },
            Sample {
                name: "in the background",
                args: json!({ "session_id": "pty-1", "text": "make", "run_in_background": true }),
                value: TerminalSendValue::Background { job_id: JobId::new("pty-send-1") },
            },
        ]
    }
}

fn sent(viewport: &str, reason: WaitReason) -> TerminalSendValue {
    foreground(waited(viewport, reason))
}

fn foreground(sent: TerminalSent) -> TerminalSendValue {
    TerminalSendValue::Foreground(sent)
}

fn waited(viewport: &str, wait_reason: WaitReason) -> TerminalSent {
    TerminalSent {
        viewport: viewport.to_owned(),
        wait_reason,
        session_status: TerminalStatus::Running {},
        truncated: false,
        untyped_bytes: None,
    }
}
