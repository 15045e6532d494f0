//! Example calls of `terminal_list`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{TerminalList, TerminalListValue};
use crate::terminal::samples::{exited, killed, snapshot};
use crate::terminal::session::TerminalStatus;

impl ToolSamples for TerminalList {
    fn samples(&self) -> Vec<Sample<TerminalListValue>> {
        let terminals = vec![
            snapshot("pty-1", Some("server"), TerminalStatus::Running {}),
            snapshot("pty-2", None, exited(3)),
            snapshot("pty-4", Some("two\nrows"), killed("SIGKILL")),
            snapshot("pty-5", None, TerminalStatus::Exited { exit_code: None, signal: None }),
        ];
        vec![
            Sample { name: "some terminals", args: json!({}), value: TerminalListValue(terminals) },
            Sample { name: "none", args: json!({}), value: TerminalListValue(Vec::new()) },
        ]
    }
}
