//! Calls and their results.

use contract_schema::{ContentBlock, Json};
use serde::{Deserialize, Serialize};

use crate::id::CallId;

/// `tool/call`: a direct call begins.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// What it was given.
    pub arguments: Json,
}

/// `tool/result`: a direct call ended (contract L2). Content and meta are what was shown; there is no
/// place for the value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// What a model read.
    pub content: Vec<ContentBlock>,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolFailure>,
    /// What an interface showed, if there was anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Json>,
}

impl ToolResult {
    /// Whether the call failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.error.is_some()
    }
}

/// The `error` of a `tool/result`: `{ message, info? }` (contract L6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFailure {
    /// What went wrong.
    pub message: String,
    /// Class and code, if the failure has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<FailureInfo>,
}

/// Class and code of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureInfo {
    /// The class, such as `ToolOutputError`.
    pub name: String,
    /// The code, such as `INVALID_TOOL_OUTPUT`.
    pub code: String,
}

/// `tool/ptc-dispatch-start`: a nested call begins (contract L3).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PtcDispatchStart {
    /// The direct call that all of this belongs to.
    pub root_call_id: CallId,
    /// The call whose program made this one.
    pub parent_call_id: CallId,
    /// This call.
    pub sub_call_id: CallId,
    /// The tool.
    pub name: String,
    /// What it was given.
    pub arguments: Json,
}

/// `tool/ptc-dispatch`: a nested call ended (contract L3). The content is the log's own copy: no model
/// read it. There is no place for the value, nor for meta.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PtcDispatch {
    /// The direct call that all of this belongs to.
    pub root_call_id: CallId,
    /// The call whose program made this one.
    pub parent_call_id: CallId,
    /// This call.
    pub sub_call_id: CallId,
    /// The tool.
    pub name: String,
    /// What it was given.
    pub arguments: Json,
    /// The rendered result, or what the log-copy chain made of it.
    pub content: Vec<ContentBlock>,
    /// Whether it failed.
    pub is_error: bool,
}
