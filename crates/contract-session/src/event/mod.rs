//! What a log can hold (contract L2, L3, L6).
//!
//! No type here has a field for a canonical value, and none can be made from one: contract X2 holds by
//! type. What a call was given is in `arguments`; what came of it is in `content` and `meta`.

mod hook;
mod message;
mod open;
mod tool;

pub use hook::{HookDecision, HookInvoked, HookResult};
pub use message::{AssistantMessage, ContextAdded, RequestedCall, UserMessage};
pub use open::SessionOpen;
pub use tool::{FailureInfo, PtcDispatch, PtcDispatchStart, ToolCall, ToolFailure, ToolResult};

use serde::Serialize;

/// What a caller may append. `session/open` is not among them: the store writes it, once, first.
///
/// A new kind of event needs no new format version: a program that does not know it keeps it as it is
/// ([`Record::Unknown`]). A changed kind, or a new kind of content block, does.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum Event {
    /// What a user said.
    #[serde(rename = "user/message")]
    UserMessage(UserMessage),
    /// What a model said, and the calls it asked for.
    #[serde(rename = "assistant/message")]
    AssistantMessage(AssistantMessage),
    /// A direct call begins.
    #[serde(rename = "tool/call")]
    ToolCall(ToolCall),
    /// A direct call ended (contract L2).
    #[serde(rename = "tool/result")]
    ToolResult(ToolResult),
    /// A nested call begins (contract L3).
    #[serde(rename = "tool/ptc-dispatch-start")]
    PtcDispatchStart(PtcDispatchStart),
    /// A nested call ended (contract L3).
    #[serde(rename = "tool/ptc-dispatch")]
    PtcDispatch(PtcDispatch),
    /// A message for the model that follows a result or a prompt.
    #[serde(rename = "context/added")]
    ContextAdded(ContextAdded),
    /// An external hook was started.
    #[serde(rename = "hook/invoked")]
    HookInvoked(HookInvoked),
    /// An external hook ended.
    #[serde(rename = "hook/result")]
    HookResult(HookResult),
}

impl Event {
    /// The `type` of its entry.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::UserMessage(_) => "user/message",
            Self::AssistantMessage(_) => "assistant/message",
            Self::ToolCall(_) => "tool/call",
            Self::ToolResult(_) => "tool/result",
            Self::PtcDispatchStart(_) => "tool/ptc-dispatch-start",
            Self::PtcDispatch(_) => "tool/ptc-dispatch",
            Self::ContextAdded(_) => "context/added",
            Self::HookInvoked(_) => "hook/invoked",
            Self::HookResult(_) => "hook/result",
        }
    }
}

macro_rules! event_from {
    ($($event:ident),*) => {$(
        impl From<$event> for Event {
            fn from(event: $event) -> Self {
                Self::$event(event)
            }
        }
    )*};
}

event_from!(UserMessage, AssistantMessage, ToolCall, ToolResult, PtcDispatchStart, PtcDispatch);
event_from!(ContextAdded, HookInvoked, HookResult);

/// One entry of a log, as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Number of the entry, from 1: in a log of JSON lines also its line.
    pub seq: u64,
    /// When it was appended: milliseconds since 1970 by the clock of the host.
    pub at: u64,
    /// What it says.
    pub record: Record,
    pub(crate) line: String,
}

impl Entry {
    /// The entry as it stands in the log, byte for byte, without the line feed.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    /// The event, unless the entry is `session/open` or of a kind this program does not know.
    #[must_use]
    pub fn event(&self) -> Option<&Event> {
        match &self.record {
            Record::Event(event) => Some(event),
            Record::Open(_) | Record::Unknown { .. } => None,
        }
    }
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// The first entry.
    Open(SessionOpen),
    /// An event of a kind this program knows.
    Event(Event),
    /// An event of a kind that a later program of the same format version wrote. It can be read and
    /// shown ([`Entry::line`]), not appended.
    Unknown {
        /// Its `type`.
        kind: String,
    },
}

impl Record {
    /// The `type` of the entry.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Open(_) => SessionOpen::KIND,
            Self::Event(event) => event.kind(),
            Self::Unknown { kind } => kind,
        }
    }
}
