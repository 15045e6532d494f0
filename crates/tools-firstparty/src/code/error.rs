//! Failures of the family `code`: a closed set of codes (decisions DG2).

use std::fmt::Write as _;

use code_runtime::{RunOutcome, RuntimeError};
use contract_registry::ToolError;

use super::log::NestedLogError;
use super::notes::{CallEnd, NotedCall};
use crate::config::CodeCaps;
use crate::text::cut;
use crate::text::escape::one_row;

/// Class of every failure of this family.
const CLASS: &str = "CodeError";

/// Deepest result: the value that holds it is one level deeper, and must be read back (contract V1).
pub(super) const RESULT_MAX_DEPTH: u32 = 126;

/// There is nothing to run programs with.
pub(super) fn not_started(error: &RuntimeError) -> ToolError {
    let message = format!("no program can be run: {error}");
    ToolError::coded(CLASS, "CODE_NOT_STARTED", message)
}

/// A call could not be logged, so the rest of the program was not run (contract L6).
pub(super) fn unlogged(error: &NestedLogError) -> ToolError {
    let message = format!(
        "a call of the program cannot be logged: {error}; the program was stopped, and what it had done stays done"
    );
    ToolError::coded("SessionError", error.code, message)
}

/// The program did not return: why, what it had logged, and how its calls ended (contract C7, decisions DC3).
pub(super) fn failed(
    why: &str,
    is_cancelled: bool,
    outcome: &RunOutcome,
    calls: &[NotedCall],
    caps: &CodeCaps,
) -> ToolError {
    let mut message = why.to_owned();
    if !outcome.logs.is_empty() {
        // Writing to a string does not fail.
        let _ = write!(message, "\n\nLogged until then:\n{}", outcome.logs.join("\n"));
    }
    if !calls.is_empty() {
        list(&mut message, calls, caps);
    }
    let code = if is_cancelled { "CODE_ABORTED" } else { "CODE_RUN_FAILED" };
    ToolError::coded(CLASS, code, message)
}

fn list(message: &mut String, calls: &[NotedCall], caps: &CodeCaps) {
    message.push_str("\n\nCalls that had started:");
    let before = calls.len().saturating_sub(caps.failure_max_calls);
    if before > 0 {
        let failed = |call: &&NotedCall| matches!(call.ended, Some(CallEnd::Failed(_)));
        let failed = calls.iter().take(before).filter(failed).count();
        let _ = write!(message, "\n{before} before these, of which {failed} failed");
    }
    for (call, number) in calls.iter().zip(1..).skip(before) {
        let how = match &call.ended {
            Some(CallEnd::Returned) => "returned".into(),
            Some(CallEnd::Failed(why)) => {
                let first = why.lines().next().unwrap_or_default();
                let shown = cut::to_bytes(first, caps.failure_call_max_bytes);
                let mark = if shown.len() < why.len() { "…" } else { "" };
                format!("failed: {}{mark}", one_row(shown))
            }
            None => "did not end".to_owned(),
        };
        let _ = write!(message, "\n{number}. {} {how}", call.name);
    }
}
