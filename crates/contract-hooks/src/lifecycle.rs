//! Events of a session's life: prompt, stop, session and sub-agent start and stop (contract H7).

use contract_registry::{AgentId, SessionId};
use contract_schema::AdditionalContext;
use futures_util::future::BoxFuture;

use crate::chain::{HookScope, Listeners};
use crate::contain::contained_async;
use crate::deep::Deep;
use crate::error::HookError;

/// Rounds after which a stop hook that always blocks is no longer asked.
pub const MAX_STOP_ROUNDS: u32 = 8;

/// What happened, or is about to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LifecycleEvent {
    /// A user sent a prompt; it has not reached the model.
    UserPromptSubmit {
        /// The prompt.
        prompt: String,
    },
    /// The agent wants to end its turn.
    Stop {
        /// Whether this turn goes on because a stop hook blocked its end before.
        stop_hook_active: bool,
    },
    /// A session began.
    SessionStart {
        /// How: `startup`, `resume`, `clear` or `compact`.
        source: String,
    },
    /// A sub-agent began.
    SubagentStart {
        /// Which.
        agent: AgentId,
    },
    /// A sub-agent wants to end.
    SubagentStop {
        /// Which.
        agent: AgentId,
        /// As for [`LifecycleEvent::Stop`].
        stop_hook_active: bool,
    },
}

/// Whose life it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifecycleHead {
    /// The session, if there is one.
    pub session_id: Option<SessionId>,
    /// The agent.
    pub agent_id: AgentId,
}

/// What a listener decides: go on, or block with a reason; and messages for the model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LifecycleDecision {
    /// The reason to block: a prompt is rejected with it, an agent that wants to stop works on with it.
    pub block: Option<String>,
    /// Messages for the model.
    pub contexts: Vec<AdditionalContext>,
}

/// Judges events. As in the other chains, a block of an inner listener cannot be undone. One that panics has
/// failed; the others are asked all the same.
pub trait Lifecycle: Send + Sync + 'static {
    /// Judges one event; `next` asks the listeners inside, which are asked even if it is not run.
    fn on_event<'a>(
        &'a self,
        head: &'a LifecycleHead,
        event: &'a LifecycleEvent,
        next: LifecycleNext<'a>,
    ) -> BoxFuture<'a, Result<LifecycleDecision, HookError>>;
}

/// What the inner listeners answered, once they were asked: a listener that swallows their error does not
/// make it undone.
type Slot = std::sync::Mutex<Option<Result<LifecycleDecision, HookError>>>;

/// The listeners inside this one: a value that running consumes.
#[derive(Debug)]
#[must_use = "without running it, a listener does not see the inner decision"]
pub struct LifecycleNext<'a> {
    rest: Rest<'a>,
    inner: &'a Slot,
}

#[derive(Clone, Copy)]
struct Rest<'a> {
    listeners: &'a Listeners<dyn Lifecycle>,
    from: usize,
    head: &'a LifecycleHead,
    event: &'a LifecycleEvent,
}

impl std::fmt::Debug for Rest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rest").field("from", &self.from).finish_non_exhaustive()
    }
}

impl LifecycleNext<'_> {
    /// What the inner listeners decided.
    ///
    /// # Errors
    ///
    /// [`HookError`] when one of them fails.
    pub async fn run(self) -> Result<LifecycleDecision, HookError> {
        let decision = self.rest.ask().await;
        let mut inner = self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *inner = Some(decision.clone());
        decision
    }
}

impl<'a> Rest<'a> {
    fn ask(self) -> BoxFuture<'a, Result<LifecycleDecision, HookError>> {
        Box::pin(async move {
            let covers = |scope: &HookScope| match scope {
                HookScope::Everywhere => true,
                HookScope::Agent(agent) => *agent == self.head.agent_id,
            };
            let found = (self.from..self.listeners.len())
                .find(|at| self.listeners.get(*at).is_some_and(|entry| covers(entry.scope())));
            let Some((at, entry)) = found.and_then(|at| Some((at, self.listeners.get(at)?))) else {
                return Ok(LifecycleDecision::default());
            };
            let inside = Rest { from: at + 1, ..self };
            let slot = Slot::default();
            let next = LifecycleNext { rest: inside, inner: &slot };
            let asking =
                async { Deep::new(|| entry.listener.on_event(self.head, self.event, next)).await };
            let outer = contained_async(asking).await.unwrap_or_else(|panic| {
                Err(HookError::new(format!("the listener {} panicked: {panic}", entry.name)))
            });
            let seen = slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            let inner = match seen {
                Some(inner) => inner,
                None => inside.ask().await,
            };
            let (outer, inner) = (outer?, inner?);
            let mut contexts = outer.contexts;
            contexts.extend(inner.contexts);
            Ok(LifecycleDecision { block: outer.block.or(inner.block), contexts })
        })
    }
}

pub(crate) async fn run(
    listeners: &Listeners<dyn Lifecycle>,
    head: &LifecycleHead,
    event: &LifecycleEvent,
) -> Result<LifecycleDecision, HookError> {
    Rest { listeners, from: 0, head, event }.ask().await
}

/// Counts how often a turn's end was blocked, so that a stop hook which always blocks cannot keep an agent
/// running for ever.
#[derive(Debug, Clone, Copy, Default)]
pub struct StopRounds {
    blocked: u32,
}

impl StopRounds {
    /// Whether a stop hook blocked the end of this turn before.
    #[must_use]
    pub fn stop_hook_active(self) -> bool {
        self.blocked > 0
    }

    /// Takes a decision about a stop; whether the agent works on. After [`MAX_STOP_ROUNDS`] blocks it stops
    /// whatever the hook says.
    pub fn works_on(&mut self, decision: &LifecycleDecision) -> bool {
        if decision.block.is_none() || self.blocked == MAX_STOP_ROUNDS {
            return false;
        }
        self.blocked += 1;
        true
    }
}
