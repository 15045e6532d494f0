//! `Hooks`: all chains, as the one policy a registry takes.

use std::sync::{Arc, PoisonError, RwLock};

use contract_registry::{
    Call, CallHead, Completed, Denial, ExecuteReply, Next, Outcome, Policy, PolicyError,
    PostDecision, PreDecision,
};
use contract_schema::ContentBlock;
use futures_util::future::BoxFuture;

use crate::approval::{self, Answer, Approver};
use crate::around::{self, AroundExecute};
use crate::chain::{Chain, HookHandle, HookScope, Place, Position, Seat};
use crate::contain::contained_async;
use crate::error::HookError;
use crate::lifecycle::{self, Lifecycle, LifecycleDecision, LifecycleEvent, LifecycleHead};
use crate::log_copy::{self, LogCopy, NestedResult};
use crate::observe::{self, Observe};
use crate::post::{self, PostExecute};
use crate::pre::{self, PreExecute, PreVerdict, Question};

/// A monotonic guard: it can refuse a call and nothing else.
pub trait Guard: Send + Sync + 'static {
    /// Why the call is refused, if it is.
    fn guard(&self, call: &Call) -> Option<Denial>;
}

/// Bounds content that a replaced value gave anew (contract S7). One that panics is passed over.
pub trait Bound: Send + Sync + 'static {
    /// The blocks to show instead, given those that are to be shown so far.
    fn bound<'a>(
        &'a self,
        completed: Completed<'a>,
        blocks: Option<&'a [ContentBlock]>,
    ) -> BoxFuture<'a, Option<Vec<ContentBlock>>>;
}

/// The chains of a registry, to be given to it as its policy. Clones share the chains.
#[derive(Clone, Default)]
pub struct Hooks {
    chains: Arc<Chains>,
    seat: Seat,
}

#[derive(Default)]
struct Chains {
    pre: Arc<Chain<dyn PreExecute>>,
    guards: Arc<Chain<dyn Guard>>,
    around: Arc<Chain<dyn AroundExecute>>,
    post: Arc<Chain<dyn PostExecute>>,
    bounds: Arc<Chain<dyn Bound>>,
    observers: Arc<Chain<dyn Observe>>,
    log_copy: Arc<Chain<dyn LogCopy>>,
    lifecycle: Arc<Chain<dyn Lifecycle>>,
    approver: RwLock<Option<Arc<dyn Approver>>>,
}

/// Registers a listener in one chain.
macro_rules! registering {
    ($($(#[$doc:meta])* $method:ident($listener:path) in $chain:ident;)*) => {
        $($(#[$doc])*
        pub fn $method(&self, name: &str, listener: impl $listener) -> HookHandle {
            self.chains.$chain.add(name, self.seat.clone(), Arc::new(listener))
        })*
    };
}

impl Hooks {
    /// Empty chains.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same chains, where listeners are registered for one agent's calls only.
    #[must_use]
    pub fn for_scope(&self, scope: HookScope) -> Self {
        let seat = Seat { scope, ..self.seat.clone() };
        Self { chains: Arc::clone(&self.chains), seat }
    }

    /// The same chains, where listeners join at this place and end.
    #[must_use]
    pub fn at(&self, place: Place, position: Position) -> Self {
        let seat = Seat { place, position, ..self.seat.clone() };
        Self { chains: Arc::clone(&self.chains), seat }
    }

    registering! {
        /// Registers a judge of calls.
        pre_execute(PreExecute) in pre;
        /// Registers a guard.
        guard(Guard) in guards;
        /// Registers a wrapper.
        around(AroundExecute) in around;
        /// Registers a judge of results.
        post_execute(PostExecute) in post;
        /// Registers a bounder of recomputed content.
        bound(Bound) in bounds;
        /// Registers an observer.
        observer(Observe) in observers;
        /// Registers a shaper of log copies.
        log_copy(LogCopy) in log_copy;
        /// Registers a judge of lifecycle events.
        lifecycle(Lifecycle) in lifecycle;
    }

    /// Mounts who answers questions; without one, a question is a denial.
    pub fn mount_approver(&self, approver: Arc<dyn Approver>) {
        *self.chains.approver.write().unwrap_or_else(PoisonError::into_inner) = Some(approver);
    }

    /// The log copy of a nested result. A listener that fails or panics is passed over.
    pub async fn shape_log_copy(
        &self,
        call: &CallHead,
        result: &NestedResult,
    ) -> Vec<ContentBlock> {
        log_copy::run(&self.chains.log_copy.listeners(), call, result).await
    }

    /// Asks the lifecycle chain about an event.
    ///
    /// # Errors
    ///
    /// [`HookError`] when a listener fails or panics. The others were asked all the same.
    pub async fn on_event(
        &self,
        head: &LifecycleHead,
        event: &LifecycleEvent,
    ) -> Result<LifecycleDecision, HookError> {
        lifecycle::run(&self.chains.lifecycle.listeners(), head, event).await
    }

    async fn judge(&self, call: &Call) -> Result<PreDecision, HookError> {
        let reply = pre::run(&self.chains.pre.listeners(), call).await?;
        let denial = match reply.verdict {
            PreVerdict::Allow => None,
            PreVerdict::Deny(denial) => Some(denial),
            PreVerdict::Ask(question) => self.approve(call, &question).await,
        };
        let denial = denial.or_else(|| self.guarded(call));
        let decision = denial.map_or_else(PreDecision::allow, PreDecision::deny);
        Ok(decision.with_contexts(reply.contexts))
    }

    async fn approve(&self, call: &Call, question: &Question) -> Option<Denial> {
        let approver = self.chains.approver.read().unwrap_or_else(PoisonError::into_inner).clone();
        let answer = match approver {
            Some(approver) => approver.ask(call, question).await,
            None => Answer::Unavailable("there is nobody to ask".to_owned()),
        };
        approval::denial(answer, question)
    }

    fn guarded(&self, call: &Call) -> Option<Denial> {
        let guards = self.chains.guards.listeners();
        guards
            .iter()
            .filter(|entry| entry.covers(call))
            .find_map(|entry| entry.listener.guard(call))
    }

    async fn rebound(&self, completed: Completed<'_>) -> Option<Vec<ContentBlock>> {
        let bounds = self.chains.bounds.listeners();
        let mut blocks = None;
        // Innermost first: a tool's own projection before generic bounding.
        for entry in bounds.iter().rev().filter(|entry| entry.covers(completed.call())) {
            let bounding = async { entry.listener.bound(completed, blocks.as_deref()).await };
            match contained_async(bounding).await {
                Ok(bounded) => blocks = bounded.or(blocks),
                Err(panic) => {
                    let (listener, tool) = (&*entry.name, completed.call().name());
                    tracing::warn!(listener, tool, panic, "bounding panicked");
                }
            }
        }
        blocks
    }
}

impl Policy for Hooks {
    fn pre_execute<'a>(
        &'a self,
        call: &'a Call,
    ) -> BoxFuture<'a, Result<PreDecision, PolicyError>> {
        Box::pin(async { self.judge(call).await.map_err(|error| PolicyError(error.to_string())) })
    }

    fn execute<'a>(&'a self, call: &'a Call, next: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
        let listeners = self.chains.around.listeners();
        Box::pin(async move { around::run(&listeners, call, next).await.into() })
    }

    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, PolicyError>> {
        let listeners = self.chains.post.listeners();
        Box::pin(async move {
            post::run(&listeners, completed).await.map_err(|error| PolicyError(error.to_string()))
        })
    }

    fn bound_recomputed<'a>(
        &'a self,
        completed: Completed<'a>,
    ) -> BoxFuture<'a, Option<Vec<ContentBlock>>> {
        Box::pin(self.rebound(completed))
    }

    fn observe(&self, call: &CallHead, outcome: &Outcome) {
        observe::run(&self.chains.observers.listeners(), call, outcome);
    }
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hooks").field("seat", &self.seat).finish_non_exhaustive()
    }
}
