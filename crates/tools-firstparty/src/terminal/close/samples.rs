//! Example calls of `terminal_close`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{CloseOutcome, TerminalClose, TerminalCloseValue};

impl ToolSamples for TerminalClose {
    fn samples(&self) -> Vec<Sample<TerminalCloseValue>> {
        let sample = |name, outcome| Sample {
            name,
            args: json!({ "session_id": "pty-1" }),
            value: TerminalCloseValue { session_id: "pty-1".to_owned(), outcome },
        };
        vec![
            sample("closed", CloseOutcome::Closed),
            sample("closed by another call", CloseOutcome::AlreadyClosing),
        ]
    }
}
