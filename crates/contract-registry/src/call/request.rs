//! What a caller asks for.

use std::sync::Arc;

use contract_schema::{Json, ReadError};

use super::env::CallEnv;
use super::ids::CallId;
use crate::cancel::CancelSignal;
use crate::token::Token;

/// A call to be made.
#[derive(Debug, Clone)]
pub struct CallRequest {
    pub(crate) name: String,
    /// As they came, or why they are no JSON.
    pub(crate) arguments: Result<Json, ReadError>,
    pub(crate) call_id: CallId,
    pub(crate) parent: Option<Parent>,
    pub(crate) env: Option<Arc<CallEnv>>,
    pub(crate) cancel: CancelSignal,
}

/// The call that made a nested call.
#[derive(Debug, Clone)]
pub(crate) struct Parent {
    pub(crate) token: Token,
    pub(crate) root_call_id: CallId,
    /// How many calls this one is nested in.
    pub(crate) depth: u32,
    /// Whether a reserved tool is among them.
    pub(crate) in_reserved: bool,
}

impl CallRequest {
    /// A direct call of `name`.
    pub fn new(name: impl Into<String>, arguments: Json) -> Self {
        Self::from_read(name, Ok(arguments))
    }

    /// A direct call whose arguments are text, as a model wrote it. Text that is no JSON makes the call
    /// fail with `INVALID_TOOL_ARGS` and the position.
    pub fn from_text(name: impl Into<String>, arguments: &str) -> Self {
        Self::from_read(name, Json::parse(arguments))
    }

    fn from_read(name: impl Into<String>, arguments: Result<Json, ReadError>) -> Self {
        Self {
            name: name.into(),
            arguments,
            call_id: CallId::next(),
            parent: None,
            env: None,
            cancel: CancelSignal::never(),
        }
    }

    /// Sets the call's id; without it the process numbers its calls.
    #[must_use]
    pub fn with_call_id(mut self, id: CallId) -> Self {
        self.call_id = id;
        self
    }

    /// Sets the surroundings.
    #[must_use]
    pub fn with_env(mut self, env: Arc<CallEnv>) -> Self {
        self.env = Some(env);
        self
    }

    /// Sets the signal by which the caller cancels.
    #[must_use]
    pub fn with_cancel(mut self, signal: CancelSignal) -> Self {
        self.cancel = signal;
        self
    }

    /// Only a running call can name itself as the parent.
    pub(crate) fn with_parent(mut self, parent: Parent) -> Self {
        self.parent = Some(parent);
        self
    }
}
