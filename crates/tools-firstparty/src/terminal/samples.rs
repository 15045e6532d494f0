//! What the samples of the terminal tools have in common.

use super::session::{TerminalStatus, TerminalType};
use super::tool::TerminalSnapshot;

pub(super) fn exited(code: i32) -> TerminalStatus {
    TerminalStatus::Exited { exit_code: Some(code), signal: None }
}

pub(super) fn killed(signal: &str) -> TerminalStatus {
    TerminalStatus::Exited { exit_code: None, signal: Some(signal.to_owned()) }
}

pub(super) fn snapshot(id: &str, name: Option<&str>, status: TerminalStatus) -> TerminalSnapshot {
    let pid = (status == TerminalStatus::Running {}).then_some(4_711);
    let name = name.map(str::to_owned);
    TerminalSnapshot { session_id: id.to_owned(), name, kind: TerminalType::Shell, pid, status }
}
