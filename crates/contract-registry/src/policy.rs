//! The policy slot: one trait object that may judge and wrap calls. Empty, it costs nothing.
//!
//! A policy replaces content, or the value, or blocks; the types hold one answer and no more (contract
//! H4). `contract-hooks` fills the slot with ordered chains.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use contract_schema::{AdditionalContext, ContentBlock};
use futures_util::future::BoxFuture;

use crate::call::{Call, CallHead, Effects};
use crate::cancel::CancelSignal;
use crate::contain::contained;
use crate::erased::{PreparedCall, Returned};
use crate::error::{ErrorInfo, ToolError, code};
use crate::outcome::Outcome;
use crate::pipeline::Body;
use crate::tool::Overflow;

/// Judges and wraps calls. Every stage has a default that changes nothing.
pub trait Policy: Send + Sync + 'static {
    /// Before anything runs: allow or deny.
    fn pre_execute<'a>(
        &'a self,
        _call: &'a Call,
    ) -> BoxFuture<'a, Result<PreDecision, PolicyError>> {
        Box::pin(async { Ok(PreDecision::allow()) })
    }

    /// Around the body: delegate with `next`, or answer instead of it.
    fn execute<'a>(&'a self, _call: &'a Call, next: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async { ExecuteReply::from(next.run().await) })
    }

    /// After the body: accept, replace content, replace the value, or block.
    fn post_execute<'a>(
        &'a self,
        _completed: Completed<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, PolicyError>> {
        Box::pin(async { Ok(PostDecision::accept()) })
    }

    /// After a value was replaced and its content recomputed: the blocks to show instead, if that
    /// content must be bounded (contract S7).
    fn bound_recomputed<'a>(
        &'a self,
        _completed: Completed<'a>,
    ) -> BoxFuture<'a, Option<Vec<ContentBlock>>> {
        Box::pin(async { None })
    }

    /// Sees the final result and changes nothing (contract P14).
    fn observe(&self, _call: &CallHead, _outcome: &Outcome) {}
}

/// A call with its result, before policy has judged it.
#[derive(Clone, Copy)]
pub struct Completed<'a> {
    pub(crate) call: &'a Call,
    pub(crate) outcome: &'a Outcome,
    pub(crate) prepared: &'a dyn PreparedCall,
}

impl<'a> Completed<'a> {
    /// The call.
    #[must_use]
    pub fn call(self) -> &'a Call {
        self.call
    }

    /// Its result so far.
    #[must_use]
    pub fn outcome(self) -> &'a Outcome {
        self.outcome
    }

    /// The full text behind a success whose rendering leaves something out, as the tool declares it
    /// (contract P17). A declaration that panics or does not read its value back counts as none.
    #[must_use]
    pub fn overflow(self) -> Option<Overflow> {
        let value = self.outcome.value()?;
        match contained(|| self.prepared.overflow(value)) {
            Ok(Ok(overflow)) => overflow,
            Ok(Err(error)) => self.without_overflow(&error.to_string()),
            Err(panic) => self.without_overflow(&panic),
        }
    }

    fn without_overflow(self, what: &str) -> Option<Overflow> {
        tracing::warn!(tool = self.call.name(), what, "no overflow");
        None
    }
}

impl fmt::Debug for Completed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completed").field("call", self.call).finish_non_exhaustive()
    }
}

/// A policy that failed. The call it judged fails closed (contract H7).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PolicyError(pub String);

/// Before the body: the verdict, and messages for the model whatever it is.
#[derive(Debug)]
pub struct PreDecision {
    pub(crate) denial: Option<Denial>,
    pub(crate) contexts: Vec<AdditionalContext>,
}

impl PreDecision {
    /// Lets the call go on.
    #[must_use]
    pub fn allow() -> Self {
        Self { denial: None, contexts: Vec::new() }
    }

    /// Stops the call.
    #[must_use]
    pub fn deny(denial: Denial) -> Self {
        Self { denial: Some(denial), contexts: Vec::new() }
    }

    /// Adds messages for the model.
    #[must_use]
    pub fn with_contexts(mut self, contexts: Vec<AdditionalContext>) -> Self {
        self.contexts = contexts;
        self
    }
}

/// Why a call is refused.
#[derive(Debug, Clone)]
pub struct Denial {
    pub(crate) message: String,
    pub(crate) info: ErrorInfo,
    pub(crate) feedback: Option<Vec<ContentBlock>>,
}

impl Denial {
    /// A refusal with the reason the model is told.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            message: reason.into(),
            info: ErrorInfo::new("ToolDeniedError", code::TOOL_DENIED),
            feedback: None,
        }
    }

    /// Gives the refusal a code of its own.
    #[must_use]
    pub fn with_info(mut self, info: ErrorInfo) -> Self {
        self.info = info;
        self
    }

    /// Shows these blocks instead of `Error: ` and the reason (contract P5).
    #[must_use]
    pub fn with_feedback(mut self, blocks: Vec<ContentBlock>) -> Self {
        self.feedback = Some(blocks);
        self
    }
}

/// The rest of the call, as a wrapper sees it: a value that running consumes.
#[must_use = "a wrapper that drops `next` answers in its place"]
pub struct Next<'a> {
    body: Body<'a>,
    cancel: Option<CancelSignal>,
}

impl<'a> Next<'a> {
    pub(crate) fn new(body: Body<'a>) -> Self {
        Self { body, cancel: None }
    }

    /// Runs the body and normalizes what it returns.
    pub async fn run(self) -> Outcome {
        self.body.run(self.cancel.as_ref()).await
    }

    /// Puts another signal in place for the body. The caller's own is fused back in, and so are those of
    /// outer wrappers: a wrapper can add a reason to stop and never take one away (contract P8).
    pub fn with_cancel(mut self, signal: CancelSignal) -> Self {
        let outer = self.cancel.take();
        self.cancel = Some(outer.map_or_else(|| signal.clone(), |outer| outer.fused_with(&signal)));
        self
    }

    /// What an inner wrapper answered, as the outer one sees it: normalized under the active tool unless
    /// the registry made it for this very call (contract P7). Its messages are deferred.
    pub async fn adopt(&self, reply: ExecuteReply) -> Outcome {
        match self.body.own(reply) {
            ControlFlow::Break(outcome) => outcome,
            // Boxed: a chain awaits this once a wrapper, and hardly ever gets here.
            ControlFlow::Continue(reply) => Box::pin(self.body.adopt(reply)).await,
        }
    }

    /// The rest of the call once more, for a wrapper that retries. Each run runs the body anew.
    pub fn for_retry(&self) -> Next<'a> {
        Next { body: self.body.clone(), cancel: self.cancel.clone() }
    }

    /// Adds a message for the model after the contexts of the body (contract P12).
    pub fn defer_context(&self, context: AdditionalContext) {
        self.effects().defer(context);
    }

    fn effects(&self) -> &Arc<Effects> {
        self.body.effects()
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Next")
    }
}

/// What a wrapper answers. It can hold a value or a failure, never a value with content of its own: the
/// projections are always the tool's (contract P7).
#[derive(Debug)]
pub struct ExecuteReply {
    pub(crate) answer: Answer,
    pub(crate) contexts: Vec<AdditionalContext>,
}

#[derive(Debug)]
pub(crate) enum Answer {
    Outcome(Box<Outcome>),
    Value(Returned),
    Failure(ToolError),
}

impl ExecuteReply {
    /// A success with a value of the wrapper's own, normalized under the active tool's declaration.
    #[must_use]
    pub fn value(value: Returned) -> Self {
        Self { answer: Answer::Value(value), contexts: Vec::new() }
    }

    /// A failure.
    #[must_use]
    pub fn failure(error: ToolError) -> Self {
        Self { answer: Answer::Failure(error), contexts: Vec::new() }
    }

    /// Adds messages for the model.
    #[must_use]
    pub fn with_contexts(mut self, contexts: Vec<AdditionalContext>) -> Self {
        self.contexts = contexts;
        self
    }
}

/// An outcome passes as it is if the registry made it for this very call; one that belongs to another
/// call or tool is normalized again (contract P7).
impl From<Outcome> for ExecuteReply {
    fn from(outcome: Outcome) -> Self {
        Self { answer: Answer::Outcome(Box::new(outcome)), contexts: Vec::new() }
    }
}

/// After the body: exactly one verdict, and messages for the model (contract H4).
#[derive(Debug)]
pub struct PostDecision {
    pub(crate) verdict: PostVerdict,
    pub(crate) contexts: Vec<AdditionalContext>,
}

/// What becomes of a result.
#[derive(Debug)]
pub enum PostVerdict {
    /// Leave it.
    Accept,
    /// Show other blocks. The value and the metadata stay, so this hides nothing from programs
    /// (contract H5, H6).
    ReplaceContentNotValue(Vec<ContentBlock>),
    /// Put another value in its place, validated and projected anew. A failure has no value to replace.
    ReplaceValue(Returned),
    /// Remove the value and fail with this feedback.
    Block(Vec<ContentBlock>),
}

impl PostDecision {
    /// A decision of these parts.
    #[must_use]
    pub fn from_parts(verdict: PostVerdict, contexts: Vec<AdditionalContext>) -> Self {
        Self { verdict, contexts }
    }

    /// The verdict and the messages.
    #[must_use]
    pub fn into_parts(self) -> (PostVerdict, Vec<AdditionalContext>) {
        (self.verdict, self.contexts)
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> &PostVerdict {
        &self.verdict
    }

    fn of(verdict: PostVerdict) -> Self {
        Self { verdict, contexts: Vec::new() }
    }

    /// Leaves the result.
    #[must_use]
    pub fn accept() -> Self {
        Self::of(PostVerdict::Accept)
    }

    /// Changes what the model reads and nothing else: not a redaction (contract H6).
    #[must_use]
    pub fn replace_content_not_value(blocks: Vec<ContentBlock>) -> Self {
        Self::of(PostVerdict::ReplaceContentNotValue(blocks))
    }

    /// Puts another value in place.
    #[must_use]
    pub fn replace_value(value: Returned) -> Self {
        Self::of(PostVerdict::ReplaceValue(value))
    }

    /// Blocks the result with feedback.
    #[must_use]
    pub fn block(feedback: Vec<ContentBlock>) -> Self {
        Self::of(PostVerdict::Block(feedback))
    }

    /// Adds messages for the model.
    #[must_use]
    pub fn with_contexts(mut self, contexts: Vec<AdditionalContext>) -> Self {
        self.contexts = contexts;
        self
    }
}
