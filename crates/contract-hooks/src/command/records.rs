//! Records of what hooks did, for whoever keeps them: a session's log, say.

use std::time::Duration;

use contract_registry::{AgentId, CallId, SessionId};

/// A hook is about to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookInvoked {
    /// The session, if there is one.
    pub session_id: Option<SessionId>,
    /// The agent.
    pub agent_id: AgentId,
    /// The turn, where there are turns.
    pub turn: Option<u64>,
    /// The event, such as `PreToolUse`.
    pub point: &'static str,
    /// The form it speaks: `claude` or `codex`.
    pub dialect: &'static str,
    /// The matcher of its group, if it has one.
    pub matcher: Option<String>,
    /// Which hook: event, group and handler, from 0, as in `PreToolUse/0/1`.
    pub handler_id: String,
    /// The call, at a tool event.
    pub call_id: Option<CallId>,
}

/// A hook ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookResult {
    /// As it was invoked.
    pub invoked: HookInvoked,
    /// What it decided.
    pub decision: HookDecided,
    /// Why, in its words, or what became of its decision.
    pub reason: Option<String>,
    /// What it said that has no effect, a plain line each; part of the reason too.
    pub notes: Vec<String>,
    /// Its exit code, unless a signal or a failed start ended it.
    pub exit_code: Option<i32>,
    /// The beginning of its stderr, if it wrote any.
    pub stderr_summary: Option<String>,
    /// How long it ran.
    pub duration: Duration,
}

/// What a hook decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookDecided {
    /// Nothing.
    Pass,
    /// The call may run.
    Allow,
    /// The call must not run.
    Deny,
    /// Someone is to be asked.
    Ask,
    /// The result, the prompt or the stop is blocked.
    Block,
    /// The model is to read something else.
    ReplaceContent,
    /// The value is to be another one.
    ReplaceValue,
    /// The turn is to end.
    Stop,
    /// It could not judge: it could not be run, did not end by itself, or said what cannot be read.
    Failed,
    /// It ended with an exit code that decides nothing.
    Undecided,
}

/// Keeps records. For every hook that is started, `invoked` is followed by one `result`, also when the call
/// is cancelled meanwhile. Calls come from whatever thread dispatches, and must not block for long.
pub trait HookRecords: Send + Sync + 'static {
    /// A hook is about to be started.
    fn invoked(&self, record: &HookInvoked);

    /// A hook ended.
    fn result(&self, record: &HookResult);
}

/// The default: records go to the trace, and hooks that failed are warned about there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tracing;

impl HookRecords for Tracing {
    fn invoked(&self, record: &HookInvoked) {
        tracing::debug!(handler = record.handler_id, dialect = record.dialect, "a hook is started");
    }

    fn result(&self, record: &HookResult) {
        let HookResult { invoked, decision, reason, exit_code, .. } = record;
        let handler = invoked.handler_id.as_str();
        let reason = reason.as_deref().unwrap_or_default();
        match decision {
            HookDecided::Failed | HookDecided::Undecided => {
                tracing::warn!(handler, reason, ?exit_code, "a hook failed");
            }
            HookDecided::Pass
            | HookDecided::Allow
            | HookDecided::Deny
            | HookDecided::Ask
            | HookDecided::Block
            | HookDecided::ReplaceContent
            | HookDecided::ReplaceValue
            | HookDecided::Stop => {
                tracing::debug!(handler, ?decision, reason, ?exit_code, "a hook ended");
            }
        }
    }
}
