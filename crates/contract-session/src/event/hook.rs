//! What external hooks did. The records tell that a hook replaced something, never with what: a
//! replaced value is a value (contract X2).

use serde::{Deserialize, Serialize};

use crate::id::CallId;

/// `hook/invoked`: an external hook was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookInvoked {
    /// The turn it ran in, from 1, in a session that has turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The event it was run for, such as `PreToolUse`.
    pub point: String,
    /// The wire format it speaks, such as `claude` or `codex`.
    pub dialect: String,
    /// The matcher of its group, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// Which hook, within its configuration.
    pub handler_id: String,
    /// The call it judges, at a tool event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
}

/// `hook/result`: an external hook ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookResult {
    /// The turn it ran in, from 1, in a session that has turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The event it was run for.
    pub point: String,
    /// Which hook, within its configuration.
    pub handler_id: String,
    /// The call it judged, at a tool event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// What it decided.
    pub decision: HookDecision,
    /// Why, in the hook's words, or what became of its decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Exit code, unless a signal or a failed start ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The beginning of its stderr, if it wrote any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr_summary: Option<String>,
    /// How long it ran.
    pub duration_ms: u64,
}

/// What a hook decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum HookDecision {
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
    /// The model reads something else.
    ReplaceContent,
    /// The value is another one.
    ReplaceValue,
    /// The turn ends.
    Stop,
    /// It could not be run, or ended in a way that decides nothing.
    Failed,
}

impl HookDecision {
    /// The decision in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Pass => "passed",
            Self::Allow => "allowed",
            Self::Deny => "denied",
            Self::Ask => "asked",
            Self::Block => "blocked",
            Self::ReplaceContent => "replaced the content",
            Self::ReplaceValue => "replaced the value",
            Self::Stop => "stopped the turn",
            Self::Failed => "failed",
        }
    }
}
