//! `Call`: what a call is. `CallContext`: what its body may do.

use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use contract_schema::{AdditionalContext, Canonical, Json};

use super::blocking::{self, CancelFlag};
use super::env::{AccessMode, CallEnv, Services};
use super::ids::{AgentId, CallId, SessionId};
use super::request::{CallRequest, Parent};
use crate::cancel::CancelSignal;
use crate::error::ToolError;
use crate::outcome::Outcome;
use crate::registry::{Scope, ToolDefinition};
use crate::token::Token;

/// What is known of a call before its tool and arguments are checked. Observers see it.
#[derive(Clone)]
pub struct CallHead {
    pub(crate) name: String,
    pub(crate) call_id: CallId,
    pub(crate) token: Token,
    pub(crate) parent: Option<Parent>,
    pub(crate) env: Arc<CallEnv>,
    pub(crate) cancel: CancelSignal,
}

impl CallHead {
    /// The name that was called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The call's id.
    #[must_use]
    pub fn call_id(&self) -> &CallId {
        &self.call_id
    }

    /// The id of the direct call this one belongs to; its own if it is one.
    #[must_use]
    pub fn root_call_id(&self) -> &CallId {
        self.parent.as_ref().map_or(&self.call_id, |parent| &parent.root_call_id)
    }

    /// The call's identity.
    #[must_use]
    pub fn token(&self) -> Token {
        self.token
    }

    /// The identity of the call that made this one, if it is nested.
    #[must_use]
    pub fn parent(&self) -> Option<Token> {
        self.parent.as_ref().map(|parent| parent.token)
    }

    /// How many calls this one is nested in; 0 for a direct call.
    #[must_use]
    pub fn nesting(&self) -> u32 {
        self.parent.as_ref().map_or(0, |parent| parent.depth)
    }

    /// Whether code inside another call made this one.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        self.parent.is_some()
    }

    /// Whether a tool with a reserved name is among the calls this one is nested in.
    #[must_use]
    pub fn is_in_reserved(&self) -> bool {
        self.parent.as_ref().is_some_and(|parent| parent.in_reserved)
    }

    /// The session, if there is one.
    #[must_use]
    pub fn session_id(&self) -> Option<&SessionId> {
        self.env.session_id()
    }

    /// The agent that calls.
    #[must_use]
    pub fn agent_id(&self) -> &AgentId {
        self.env.agent_id()
    }

    /// The workspace root.
    #[must_use]
    pub fn workspace_root(&self) -> &Path {
        self.env.workspace_root()
    }

    /// How far tools may change things.
    #[must_use]
    pub fn access_mode(&self) -> AccessMode {
        self.env.access_mode()
    }

    /// What the host provides.
    #[must_use]
    pub fn services(&self) -> &Services {
        self.env.services()
    }

    /// The caller's signal, whatever a wrapper puts in its place for what it delegates.
    #[must_use]
    pub fn caller_cancel(&self) -> &CancelSignal {
        &self.cancel
    }
}

impl fmt::Debug for CallHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallHead")
            .field("name", &self.name)
            .field("call_id", &self.call_id)
            .field("nested", &self.is_nested())
            .finish_non_exhaustive()
    }
}

/// One call, past its argument check. Policies and guards see it.
pub struct Call {
    pub(crate) head: CallHead,
    pub(crate) tool: Arc<ToolDefinition>,
    pub(crate) arguments: Canonical,
}

impl Call {
    /// The tool's definition.
    #[must_use]
    pub fn tool(&self) -> &Arc<ToolDefinition> {
        &self.tool
    }

    /// The validated arguments.
    #[must_use]
    pub fn arguments(&self) -> &Canonical {
        &self.arguments
    }
}

impl Deref for Call {
    type Target = CallHead;

    fn deref(&self) -> &CallHead {
        &self.head
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.head, f)
    }
}

/// What bodies and wrappers of one call leave behind for its outcome.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    contexts: Mutex<Vec<AdditionalContext>>,
    concludes_turn: AtomicBool,
    nested: AtomicU64,
}

impl Effects {
    pub(crate) fn defer(&self, context: AdditionalContext) {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner).push(context);
    }

    pub(crate) fn take_contexts(&self) -> Vec<AdditionalContext> {
        std::mem::take(&mut *self.contexts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the call made calls of its own.
    pub(crate) fn has_nested(&self) -> bool {
        self.nested.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn concludes_turn(&self) -> bool {
        self.concludes_turn.load(Ordering::Acquire)
    }
}

/// A running call as its body sees it: the [`Call`], and what the body may ask of the host.
#[derive(Clone)]
pub struct CallContext {
    pub(crate) call: Arc<Call>,
    pub(crate) effects: Arc<Effects>,
    pub(crate) cancel: CancelSignal,
    pub(crate) scope: Scope,
}

impl Deref for CallContext {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.call
    }
}

impl CallContext {
    /// The signal to settle by: the caller's, fused with what wrappers put around this body.
    #[must_use]
    pub fn cancel(&self) -> &CancelSignal {
        &self.cancel
    }

    /// Adds a message for the model after this result. It survives a failing body (contract P12).
    pub fn defer_context(&self, context: AdditionalContext) {
        self.effects.defer(context);
    }

    /// Asks to end the turn with this result; takes effect only if the result is a success.
    pub fn conclude_turn(&self) {
        self.effects.concludes_turn.store(true, Ordering::Release);
    }

    /// Tells the host what is going on, in one plain line.
    pub fn progress(&self, message: &str) {
        if let Some(sink) = self.call.head.env.progress_sink() {
            sink.progress(self.call.call_id(), message);
        }
    }

    /// Runs blocking work where blocking is allowed. `work` polls its flag, which is raised when the call
    /// is cancelled or its body dropped.
    ///
    /// # Errors
    ///
    /// [`ToolError`] when the work panicked or the host refused to run it.
    pub async fn blocking<T, F>(&self, work: F) -> Result<T, ToolError>
    where
        T: Send + 'static,
        F: FnOnce(&CancelFlag) -> T + Send + 'static,
    {
        let (runtime, orphans) = self.scope.blocking_parts();
        blocking::run(runtime, orphans, &self.cancel, self.name(), work).await
    }

    /// A call nested in this one: same surroundings, same scope, this call's signal, this call as parent.
    pub fn nested(&self, name: impl Into<String>, arguments: Json) -> CallRequest {
        let number = self.effects.nested.fetch_add(1, Ordering::Relaxed) + 1;
        CallRequest::new(name, arguments)
            .with_call_id(CallId::new(format!("{}:{number}", self.call_id())))
            .with_env(Arc::clone(&self.call.head.env))
            .with_cancel(self.cancel.clone())
            .with_parent(Parent {
                token: self.call.token(),
                root_call_id: self.root_call_id().clone(),
                depth: self.nesting() + 1,
                in_reserved: self.is_in_reserved() || self.call.tool().is_reserved(),
            })
    }

    /// Makes a nested call through the whole pipeline. Its deferred contexts and a turn it concludes are
    /// forwarded to this call (contract P12, P15).
    pub async fn call_nested(&self, request: CallRequest) -> Outcome {
        let outcome = Box::pin(self.scope.dispatch(request)).await;
        self.forward(&outcome);
        outcome
    }

    /// Forwards what a nested outcome leaves for the model to this call.
    pub fn forward(&self, outcome: &Outcome) {
        for context in outcome.contexts() {
            self.defer_context(context.clone());
        }
        if outcome.result().is_ok_and(|success| success.concludes_turn()) {
            self.conclude_turn();
        }
    }

    /// The scope in which this call runs: what it sees is what its nested calls can run.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.call, f)
    }
}
