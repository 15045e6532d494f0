//! What a hook reads on its stdin: one event as JSON.

use std::path::Path;

use contract_registry::{Call, Completed};
use contract_schema::ContentBlock;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::lifecycle::{LifecycleEvent, LifecycleHead};

use super::alias::{self, WireInput};
use super::event::{Dialect, HookEvent};

/// What an event is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject<'a> {
    Pre(&'a Call),
    Post(Completed<'a>),
    Life(&'a LifecycleHead, &'a LifecycleEvent),
}

/// One event with what every event tells.
#[derive(Debug)]
pub(crate) struct Payload<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) event: HookEvent,
    pub(crate) subject: Subject<'a>,
    pub(crate) folder: &'a Path,
    pub(crate) transcript_path: Option<&'a Path>,
    pub(crate) model: &'a str,
    pub(crate) turn: Option<u64>,
}

impl<'a> Subject<'a> {
    pub(crate) fn event(&self) -> HookEvent {
        match self {
            Self::Pre(_) => HookEvent::PreToolUse,
            Self::Post(_) => HookEvent::PostToolUse,
            Self::Life(_, event) => match event {
                LifecycleEvent::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
                LifecycleEvent::Stop { .. } => HookEvent::Stop,
                LifecycleEvent::SessionStart { .. } => HookEvent::SessionStart,
                LifecycleEvent::SubagentStart { .. } => HookEvent::SubagentStart,
                LifecycleEvent::SubagentStop { .. } => HookEvent::SubagentStop,
            },
        }
    }

    /// The call, at a tool event.
    pub(crate) fn call(&self) -> Option<&'a Call> {
        match self {
            Self::Pre(call) => Some(call),
            Self::Post(completed) => Some(completed.call()),
            Self::Life(..) => None,
        }
    }
}

impl Payload<'_> {
    /// The bytes for stdin: Claude's form ends with a line feed, Codex's does not.
    ///
    /// # Errors
    ///
    /// What cannot be written as JSON.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec(self)?;
        if self.dialect == Dialect::Claude {
            bytes.push(b'\n');
        }
        Ok(bytes)
    }

    fn session(&self) -> &str {
        let session = match self.subject {
            Subject::Pre(call) => call.session_id(),
            Subject::Post(completed) => completed.call().session_id(),
            Subject::Life(head, _) => head.session_id.as_ref(),
        };
        session.map_or("", |id| id.as_str())
    }

    fn base<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("session_id", self.session())?;
        let transcript = self.transcript_path.map(Path::to_string_lossy);
        match (transcript, self.dialect) {
            (None, Dialect::Claude) => map.serialize_entry("transcript_path", "")?,
            (transcript, Dialect::Claude | Dialect::Codex) => {
                map.serialize_entry("transcript_path", &transcript)?;
            }
        }
        map.serialize_entry("cwd", &self.folder.to_string_lossy())?;
        map.serialize_entry("hook_event_name", self.event.name())?;
        map.serialize_entry("permission_mode", "default")?;
        if self.dialect == Dialect::Codex {
            map.serialize_entry("model", self.model)?;
            let turn = self.turn.map_or_else(String::new, |turn| turn.to_string());
            map.serialize_entry("turn_id", &turn)?;
        }
        Ok(())
    }

    fn tool<M: SerializeMap>(&self, map: &mut M, call: &Call) -> Result<(), M::Error> {
        map.serialize_entry("tool_name", alias::wire_name(call.name()))?;
        let arguments = call.arguments().root();
        match (arguments.get("command"), self.dialect) {
            // Codex tells the command and nothing else.
            (Some(command), Dialect::Codex) => {
                map.serialize_entry("tool_input", &Command { command })?;
            }
            (_, Dialect::Claude | Dialect::Codex) => {
                let input = WireInput::new(call.name(), arguments, call.workspace_root());
                map.serialize_entry("tool_input", &input)?;
            }
        }
        map.serialize_entry("tool_use_id", call.call_id().as_str())
    }

    /// Claude's form holds an object in `tool_response`; Codex's the text, and the object beside it.
    fn response<M: SerializeMap>(
        &self,
        map: &mut M,
        completed: Completed<'_>,
    ) -> Result<(), M::Error> {
        let text = text_of(completed.outcome().content());
        let response = Response { text: &text, completed };
        match self.dialect {
            Dialect::Claude => map.serialize_entry("tool_response", &response),
            Dialect::Codex => {
                map.serialize_entry("tool_response", &text)?;
                map.serialize_entry("tool_result", &response)
            }
        }
    }
}

impl Serialize for Payload<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.base(&mut map)?;
        match self.subject {
            Subject::Pre(call) => self.tool(&mut map, call)?,
            Subject::Post(completed) => {
                self.tool(&mut map, completed.call())?;
                self.response(&mut map, completed)?;
            }
            Subject::Life(_, event) => life(&mut map, event)?,
        }
        map.end()
    }
}

fn life<M: SerializeMap>(map: &mut M, event: &LifecycleEvent) -> Result<(), M::Error> {
    match event {
        LifecycleEvent::UserPromptSubmit { prompt } => map.serialize_entry("prompt", prompt),
        LifecycleEvent::Stop { stop_hook_active } => {
            map.serialize_entry("stop_hook_active", stop_hook_active)
        }
        LifecycleEvent::SessionStart { source } => map.serialize_entry("source", source),
        LifecycleEvent::SubagentStart { agent } => map.serialize_entry("agent_id", agent),
        LifecycleEvent::SubagentStop { agent, stop_hook_active } => {
            map.serialize_entry("agent_id", agent)?;
            map.serialize_entry("stop_hook_active", stop_hook_active)
        }
    }
}

#[derive(Serialize)]
struct Command<'a> {
    command: contract_schema::JsonRef<'a>,
}

/// The text that a model would read; blocks that are none are told of by kind.
fn text_of(content: &[ContentBlock]) -> String {
    let texts: Vec<&str> =
        content.iter().map(|block| block.as_text().unwrap_or("[image]")).collect();
    texts.join("\n")
}

/// A result: its text, and the canonical value or the error.
struct Response<'a> {
    text: &'a str,
    completed: Completed<'a>,
}

impl Serialize for Response<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("text", self.text)?;
        let outcome = self.completed.outcome();
        map.serialize_entry("isError", &outcome.is_error())?;
        if let Some(value) = outcome.value() {
            map.serialize_entry("value", value)?;
        }
        if let Some(failure) = outcome.error() {
            let info = failure.info();
            let error = serde_json::json!({
                "message": failure.message(),
                "name": info.map(|info| &*info.name),
                "code": info.map(|info| &*info.code),
            });
            map.serialize_entry("error", &error)?;
        }
        map.end()
    }
}
