//! What user, model and context sources said.

use contract_schema::{AdditionalContext, ContentBlock, ContextSource, Json};
use serde::Serialize;

use crate::id::CallId;

/// `user/message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    /// What the model reads.
    pub content: Vec<ContentBlock>,
}

/// `assistant/message`: one step of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Its text; may be empty.
    pub text: String,
    /// The calls it asked for, in order.
    pub tool_calls: Vec<RequestedCall>,
}

/// A call that a model asked for. Whether it ran is told by `tool/call` and `tool/result`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestedCall {
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// What the model gave it: a string with the model's text when that was no JSON.
    pub arguments: Json,
}

/// `context/added`: one deferred context, as its own entry (contract L6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextAdded {
    /// The call it came with, if it came with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// Who added it.
    pub source: ContextSource,
    /// What the model reads.
    pub content: Vec<ContentBlock>,
}

impl ContextAdded {
    /// The entry of a context that came with a call.
    #[must_use]
    pub fn of_call(call_id: CallId, context: AdditionalContext) -> Self {
        Self { call_id: Some(call_id), source: context.source, content: context.content }
    }
}
