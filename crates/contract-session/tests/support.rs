//! Stores in temporary directories, and events to put in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_schema::{AdditionalContext, ContentBlock, Json};
use contract_session::event::{
    AssistantMessage, ContextAdded, FailureInfo, HookDecision, HookInvoked, HookResult,
    PtcDispatch, PtcDispatchStart, RequestedCall, ToolCall, ToolFailure, ToolResult, UserMessage,
};
use contract_session::{
    CallId, Entry, Event, Journal, LogFormat, Opening, SessionId, Sessions, SyncPolicy,
};
use tempfile::TempDir;

/// A store in a directory of its own.
pub(crate) struct Store {
    pub(crate) sessions: Sessions,
    pub(crate) root: TempDir,
}

pub(crate) fn store(format: LogFormat) -> Store {
    let root = tempfile::tempdir().unwrap();
    Store { sessions: sessions(root.path(), format), root }
}

pub(crate) fn sessions(root: &Path, format: LogFormat) -> Sessions {
    Sessions::open(root).unwrap().with_format(format).with_sync(SyncPolicy::Never)
}

impl Store {
    /// The journal of the session `s`.
    pub(crate) fn journal(&self) -> Arc<dyn Journal> {
        self.sessions.resume_or_create(&id("s"), &opening()).unwrap().journal
    }

    /// The log of the session `s`, as JSON lines.
    pub(crate) fn log(&self) -> PathBuf {
        self.sessions.path(&id("s")).join("log.jsonl")
    }

    /// All entries of the session `s`, none of them damaged.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        entries(&self.sessions, "s")
    }
}

pub(crate) fn entries(sessions: &Sessions, session: &str) -> Vec<Entry> {
    sessions.read(&id(session)).unwrap().collect::<Result<_, _>>().unwrap()
}

pub(crate) fn id(id: &str) -> SessionId {
    SessionId::parse(id).unwrap()
}

pub(crate) fn opening() -> Opening {
    Opening {
        program: "test".to_owned(),
        program_version: "0.0.1".to_owned(),
        workspace_root: Some("/w".to_owned()),
    }
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

pub(crate) fn text(text: &str) -> Vec<ContentBlock> {
    vec![ContentBlock::text(text)]
}

pub(crate) fn user(said: &str) -> Event {
    UserMessage { content: text(said) }.into()
}

/// A step of the model: its text, and ids of calls of the tool `t`.
pub(crate) fn assistant(said: &str, calls: &[&str]) -> Event {
    let call = |call: &&str| RequestedCall {
        call_id: CallId::from(*call),
        name: "t".to_owned(),
        arguments: json("{}"),
    };
    AssistantMessage { text: said.to_owned(), tool_calls: calls.iter().map(call).collect() }.into()
}

pub(crate) fn call(call: &str) -> Event {
    let arguments = json(r#"{"n":9007199254740993}"#);
    ToolCall { call_id: call.into(), name: "t".to_owned(), arguments }.into()
}

pub(crate) fn result(call: &str, content: &str) -> Event {
    let content = text(content);
    ToolResult { call_id: call.into(), name: "t".to_owned(), content, error: None, meta: None }
        .into()
}

pub(crate) fn failure(call: &str, message: &str) -> Event {
    let info = FailureInfo { name: "ToolError".to_owned(), code: "BAD".to_owned() };
    ToolResult {
        call_id: call.into(),
        name: "t".to_owned(),
        content: text(&format!("Error: {message}")),
        error: Some(ToolFailure { message: message.to_owned(), info: Some(info) }),
        meta: Some(json("null")),
    }
    .into()
}

pub(crate) fn context(call: &str, content: &str) -> Event {
    ContextAdded::of_call(call.into(), AdditionalContext::text("hook", "h", content)).into()
}

pub(crate) fn nested_start(sub: &str) -> Event {
    PtcDispatchStart {
        root_call_id: "root".into(),
        parent_call_id: "parent".into(),
        sub_call_id: sub.into(),
        name: "t".to_owned(),
        arguments: json("[1.5]"),
    }
    .into()
}

pub(crate) fn nested(sub: &str, content: &str) -> Event {
    PtcDispatch {
        root_call_id: "root".into(),
        parent_call_id: "parent".into(),
        sub_call_id: sub.into(),
        name: "t".to_owned(),
        arguments: json("[1.5]"),
        content: text(content),
        is_error: true,
    }
    .into()
}

pub(crate) fn hooks() -> [Event; 2] {
    [
        HookInvoked {
            turn: Some(1),
            point: "PreToolUse".to_owned(),
            dialect: "claude".to_owned(),
            matcher: Some("Bash".to_owned()),
            handler_id: "hooks.json:3".to_owned(),
            call_id: Some("a".into()),
        }
        .into(),
        HookResult {
            turn: None,
            point: "PreToolUse".to_owned(),
            handler_id: "hooks.json:3".to_owned(),
            call_id: None,
            decision: HookDecision::ReplaceValue,
            reason: None,
            exit_code: Some(-1),
            stderr_summary: Some("no\n".to_owned()),
            duration_ms: 12,
        }
        .into(),
    ]
}

/// One of each kind.
pub(crate) fn one_of_each() -> Vec<Event> {
    let mut events = vec![user("hi"), assistant("let me see", &["a"]), call("a")];
    events.extend([nested_start("a.1"), nested("a.1", "sub"), result("a", "done\n")]);
    events.extend([failure("b", "no"), context("a", "mind the gap")]);
    events.extend(hooks());
    events
}
