//! Reading an entry back.

use contract_schema::{ContentBlock, ContextSource, Json};

use super::FORMAT_VERSION;
use super::members::{Members, elements};
use crate::event::{
    AssistantMessage, ContextAdded, Entry, Event, HookDecision, HookInvoked, HookResult,
    PtcDispatch, PtcDispatchStart, Record, RequestedCall, SessionOpen, ToolCall, ToolFailure,
    ToolResult, UserMessage,
};
use crate::id::{CallId, SessionId};

/// Why a line is no entry.
#[derive(Debug)]
pub(crate) struct Fault {
    /// In words.
    pub(crate) reason: String,
    /// The format version, when it is a newer one.
    pub(crate) newer: Option<u64>,
}

impl Fault {
    pub(super) fn text(reason: impl std::fmt::Display) -> Self {
        Self { reason: reason.to_string(), newer: None }
    }

    pub(super) fn within(self, key: &str) -> Self {
        Self { reason: format!("in `{key}`: {}", self.reason), ..self }
    }
}

/// Reads a line, without its line feed. The version is judged before anything else.
pub(crate) fn decode(line: String) -> Result<Entry, Fault> {
    let members = Members::of_untrusted(&line)?;
    let version: u64 = members.get("v")?;
    if version > FORMAT_VERSION {
        return Err(Fault { newer: Some(version), ..Fault::text("a newer format version") });
    }
    if version != FORMAT_VERSION {
        return Err(Fault::text(format!("there is no format version {version}")));
    }
    let (seq, at) = (members.get("seq")?, members.get("at")?);
    let record = record(members.get("type")?, &members)?;
    Ok(Entry { seq, at, record, line })
}

fn record(kind: String, members: &Members<'_>) -> Result<Record, Fault> {
    Ok(Record::Event(match kind.as_str() {
        SessionOpen::KIND => return Ok(Record::Open(Read::read(members)?)),
        "user/message" => Event::UserMessage(Read::read(members)?),
        "assistant/message" => Event::AssistantMessage(Read::read(members)?),
        "tool/call" => Event::ToolCall(Read::read(members)?),
        "tool/result" => Event::ToolResult(Read::read(members)?),
        "tool/ptc-dispatch-start" => Event::PtcDispatchStart(Read::read(members)?),
        "tool/ptc-dispatch" => Event::PtcDispatch(Read::read(members)?),
        "context/added" => Event::ContextAdded(Read::read(members)?),
        "hook/invoked" => Event::HookInvoked(Read::read(members)?),
        "hook/result" => Event::HookResult(Read::read(members)?),
        _ => return Ok(Record::Unknown { kind }),
    }))
}

/// Reads a member's text.
pub(super) trait Decode: Sized {
    fn decode(text: &str) -> Result<Self, Fault>;
}

impl Decode for Json {
    fn decode(text: &str) -> Result<Self, Fault> {
        Self::parse(text).map_err(Fault::text)
    }
}

macro_rules! decode_with_serde {
    ($($type:ty),* $(,)?) => {$(
        impl Decode for $type {
            fn decode(text: &str) -> Result<Self, Fault> {
                serde_json::from_str(text).map_err(Fault::text)
            }
        }
    )*};
}

decode_with_serde!(u64, i32, bool, String, CallId, SessionId, ContextSource, ToolFailure);
decode_with_serde!(Vec<ContentBlock>, HookDecision);

impl Decode for Vec<RequestedCall> {
    fn decode(text: &str) -> Result<Self, Fault> {
        elements(text)?.into_iter().map(|call| Read::read(&Members::of(call)?)).collect()
    }
}

/// Reads the members of an event.
trait Read: Sized {
    fn read(members: &Members<'_>) -> Result<Self, Fault>;
}

/// One line a field: its name, how it is read, its key.
macro_rules! read {
    ($($type:ident { $($field:ident: $how:ident $key:literal),* $(,)? })*) => {$(
        impl Read for $type {
            fn read(members: &Members<'_>) -> Result<Self, Fault> {
                Ok(Self { $($field: members.$how($key)?),* })
            }
        }
    )*};
}

read! {
    SessionOpen {
        session_id: get "sessionId",
        program: get "program",
        program_version: get "programVersion",
        workspace_root: opt "workspaceRoot",
    }
    UserMessage { content: get "content" }
    AssistantMessage { text: get "text", tool_calls: get "toolCalls" }
    RequestedCall { call_id: get "callId", name: get "name", arguments: get "arguments" }
    ToolCall { call_id: get "callId", name: get "name", arguments: get "arguments" }
    ToolResult {
        call_id: get "callId",
        name: get "name",
        content: get "content",
        error: opt "error",
        meta: opt "meta",
    }
    PtcDispatchStart {
        root_call_id: get "rootCallId",
        parent_call_id: get "parentCallId",
        sub_call_id: get "subCallId",
        name: get "name",
        arguments: get "arguments",
    }
    PtcDispatch {
        root_call_id: get "rootCallId",
        parent_call_id: get "parentCallId",
        sub_call_id: get "subCallId",
        name: get "name",
        arguments: get "arguments",
        content: get "content",
        is_error: get "isError",
    }
    ContextAdded { call_id: opt "callId", source: get "source", content: get "content" }
    HookInvoked {
        turn: opt "turn",
        point: get "point",
        dialect: get "dialect",
        matcher: opt "matcher",
        handler_id: get "handlerId",
        call_id: opt "callId",
    }
    HookResult {
        turn: opt "turn",
        point: get "point",
        handler_id: get "handlerId",
        call_id: opt "callId",
        decision: get "decision",
        reason: opt "reason",
        exit_code: opt "exitCode",
        stderr_summary: opt "stderrSummary",
        duration_ms: get "durationMs",
    }
}
