//! Model history: what a model is told of a session, from its log (contract L5).

use contract_schema::{AdditionalContext, ContentBlock, Json};

use crate::error::SessionError;
use crate::event::{
    AssistantMessage, ContextAdded, Entry, Event, Record, RequestedCall, ToolCall, ToolResult,
};
use crate::id::CallId;

/// One message of a history.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// What the user said.
    User {
        /// The message.
        content: Vec<ContentBlock>,
    },
    /// What the model said, and the calls it asked for.
    Assistant {
        /// Its text; may be empty.
        text: String,
        /// The calls, in order.
        calls: Vec<RequestedCall>,
    },
    /// The result of a call of the assistant message before it.
    ToolResult {
        /// The call.
        call_id: CallId,
        /// The tool.
        name: String,
        /// What the model reads.
        content: Vec<ContentBlock>,
        /// Whether the call failed.
        is_error: bool,
    },
    /// A call of the assistant message before it that has no result: the process ended first, or runs
    /// it still. Most model interfaces want an answer to every call.
    Unanswered {
        /// The call.
        call_id: CallId,
        /// The tool.
        name: String,
    },
    /// A call that no assistant message asked for, with its result: made by the user, `tenon call` say.
    DirectCall {
        /// The call.
        call_id: CallId,
        /// The tool.
        name: String,
        /// What it was given, if the log tells.
        arguments: Option<Json>,
        /// What the model reads.
        content: Vec<ContentBlock>,
        /// Whether the call failed.
        is_error: bool,
    },
    /// A message that a tool, a hook or a policy added.
    Context(AdditionalContext),
}

/// Derives the history. Nested calls contribute nothing to it. Contexts follow all results of their
/// step, and so does a user message that came while they were awaited.
///
/// # Errors
///
/// The first [`SessionError`] of the entries.
pub fn history(
    entries: impl IntoIterator<Item = Result<Entry, SessionError>>,
) -> Result<Vec<Message>, SessionError> {
    let mut builder = Builder::default();
    for entry in entries {
        if let Record::Event(event) = entry?.record {
            builder.add(event);
        }
    }
    builder.end_step();
    Ok(builder.messages)
}

#[derive(Default)]
struct Builder {
    messages: Vec<Message>,
    /// Whether the last assistant message asked for calls.
    in_step: bool,
    /// Its calls that have no result yet.
    awaited: Vec<RequestedCall>,
    /// What follows the results of the step.
    held: Vec<Message>,
    /// Direct calls that have no result yet.
    direct: Vec<ToolCall>,
}

impl Builder {
    fn add(&mut self, event: Event) {
        match event {
            Event::UserMessage(message) => {
                self.after_results(Message::User { content: message.content })
            }
            Event::ContextAdded(ContextAdded { source, content, .. }) => {
                self.after_results(Message::Context(AdditionalContext { source, content }));
            }
            Event::AssistantMessage(message) => self.assistant(message),
            Event::ToolCall(call) => {
                if !self.awaited.iter().any(|awaited| awaited.call_id == call.call_id) {
                    self.direct.push(call);
                }
            }
            Event::ToolResult(result) => self.result(result),
            Event::PtcDispatchStart(_)
            | Event::PtcDispatch(_)
            | Event::HookInvoked(_)
            | Event::HookResult(_) => {}
        }
    }

    fn after_results(&mut self, message: Message) {
        if self.in_step { self.held.push(message) } else { self.messages.push(message) }
    }

    fn assistant(&mut self, message: AssistantMessage) {
        self.end_step();
        let AssistantMessage { text, tool_calls } = message;
        self.in_step = !tool_calls.is_empty();
        self.awaited.clone_from(&tool_calls);
        self.messages.push(Message::Assistant { text, calls: tool_calls });
    }

    fn result(&mut self, result: ToolResult) {
        let is_error = result.is_error();
        let ToolResult { call_id, name, content, .. } = result;
        if let Some(at) = self.awaited.iter().position(|call| call.call_id == call_id) {
            self.awaited.remove(at);
            self.messages.push(Message::ToolResult { call_id, name, content, is_error });
            return;
        }
        let at = self.direct.iter().rposition(|call| call.call_id == call_id);
        let arguments = at.map(|at| self.direct.remove(at).arguments);
        self.after_results(Message::DirectCall { call_id, name, arguments, content, is_error });
    }

    fn end_step(&mut self) {
        for RequestedCall { call_id, name, .. } in self.awaited.drain(..) {
            self.messages.push(Message::Unanswered { call_id, name });
        }
        self.messages.append(&mut self.held);
        self.in_step = false;
    }
}
