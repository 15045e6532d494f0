//! Example calls of `terminal_signal`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{TerminalSignalTool, TerminalSignalValue};
use crate::terminal::samples::exited;
use crate::terminal::session::TerminalStatus;

impl ToolSamples for TerminalSignalTool {
    fn samples(&self) -> Vec<Sample<TerminalSignalValue>> {
        vec![
            Sample {
                name: "a program in front",
                args: json!({ "session_id": "pty-1", "signal": "SIGINT" }),
                value: TerminalSignalValue {
                    delivered: true,
                    target_pgid: Some(4_720),
                    session_status: TerminalStatus::Running {},
                },
            },
            Sample {
                name: "the terminal had ended",
                args: json!({ "session_id": "pty-2", "signal": "SIGTERM" }),
                value: TerminalSignalValue {
                    delivered: false,
                    target_pgid: None,
                    session_status: exited(0),
                },
            },
        ]
    }
}
