//! The pre-execute chain: allow, deny with a reason, ask (contract H1, H3).

use std::sync::{Mutex, PoisonError};

use contract_registry::{Call, Denial};
use contract_schema::AdditionalContext;
use futures_util::future::BoxFuture;

use crate::chain::Listeners;
use crate::deep::Deep;
use crate::error::HookError;

/// What a person is asked about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Why it is asked, in one plain line.
    pub reason: String,
}

/// A verdict before the body runs.
#[derive(Debug, Clone)]
pub enum PreVerdict {
    /// No objection.
    Allow,
    /// A person decides.
    Ask(Question),
    /// Refused.
    Deny(Denial),
}

impl PreVerdict {
    fn strength(&self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask(_) => 1,
            Self::Deny(_) => 2,
        }
    }
}

/// What a listener answers: a verdict, and messages for the model.
#[derive(Debug, Clone)]
pub struct PreReply {
    /// The verdict.
    pub verdict: PreVerdict,
    /// Messages for the model.
    pub contexts: Vec<AdditionalContext>,
}

impl From<PreVerdict> for PreReply {
    fn from(verdict: PreVerdict) -> Self {
        Self { verdict, contexts: Vec::new() }
    }
}

/// Judges calls before they run. What it answers can strengthen the verdict of the listeners inside it and
/// never undo it: deny beats ask, ask beats allow.
pub trait PreExecute: Send + Sync + 'static {
    /// Judges one call; `next` tells what the listeners inside think. They are asked even if it is not run.
    fn pre_execute<'a>(
        &'a self,
        call: &'a Call,
        next: PreNext<'a>,
    ) -> BoxFuture<'a, Result<PreReply, HookError>>;
}

/// What the inner listeners decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnerPre {
    /// No objection.
    Allow,
    /// One of them asks.
    Ask,
    /// One of them refuses.
    Deny,
}

/// What the inner listeners answered, once they were asked: a listener that swallows their error does not
/// make it undone.
type Slot = Mutex<Option<Result<PreReply, HookError>>>;

/// The listeners inside this one: a value that running consumes.
#[derive(Debug)]
#[must_use = "without running it, a listener does not see the inner verdict"]
pub struct PreNext<'a> {
    rest: Rest<'a>,
    inner: &'a Slot,
}

/// The part of a chain that is still to be asked.
#[derive(Clone, Copy)]
struct Rest<'a> {
    listeners: &'a Listeners<dyn PreExecute>,
    from: usize,
    call: &'a Call,
}

impl std::fmt::Debug for Rest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rest").field("from", &self.from).finish_non_exhaustive()
    }
}

impl PreNext<'_> {
    /// Asks the inner listeners.
    ///
    /// # Errors
    ///
    /// [`HookError`] when one of them fails. Passing it on fails the call; so does swallowing it.
    pub async fn run(self) -> Result<InnerPre, HookError> {
        let reply = self.rest.ask().await;
        let seen = reply.as_ref().map_err(HookError::clone).map(|reply| match &reply.verdict {
            PreVerdict::Allow => InnerPre::Allow,
            PreVerdict::Ask(_) => InnerPre::Ask,
            PreVerdict::Deny(_) => InnerPre::Deny,
        });
        *self.inner.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
        seen
    }
}

impl<'a> Rest<'a> {
    fn ask(self) -> BoxFuture<'a, Result<PreReply, HookError>> {
        Box::pin(async move {
            let mut at = self.from;
            let entry = loop {
                match self.listeners.get(at) {
                    None => return Ok(PreVerdict::Allow.into()),
                    Some(entry) if entry.covers(self.call) => break entry,
                    Some(_) => at += 1,
                }
            };
            let inside = Rest { from: at + 1, ..self };
            let slot = Slot::default();
            let next = PreNext { rest: inside, inner: &slot };
            let outer = Deep::new(|| entry.listener.pre_execute(self.call, next)).await?;
            let seen = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
            let inner = match (seen, &outer.verdict) {
                (Some(inner), _) => inner?,
                // Nothing inside can be stronger than a refusal.
                (None, PreVerdict::Deny(_)) => return Ok(outer),
                (None, PreVerdict::Allow | PreVerdict::Ask(_)) => inside.ask().await?,
            };
            Ok(stronger(outer, inner))
        })
    }
}

/// The stronger verdict, the outer one between equals; messages of both, the outer's first.
fn stronger(outer: PreReply, inner: PreReply) -> PreReply {
    let verdict = if outer.verdict.strength() >= inner.verdict.strength() {
        outer.verdict
    } else {
        inner.verdict
    };
    let mut contexts = outer.contexts;
    contexts.extend(inner.contexts);
    PreReply { verdict, contexts }
}

pub(crate) async fn run(
    listeners: &Listeners<dyn PreExecute>,
    call: &Call,
) -> Result<PreReply, HookError> {
    Rest { listeners, from: 0, call }.ask().await
}
