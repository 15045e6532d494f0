//! Stage 5: the body, its cancellation and its panics (contract P8, P9).

use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use contract_schema::AdditionalContext;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Either, select};
use tracing::Instrument as _;

use super::{Bound, aborted, execute, normalize};
use crate::call::{CallContext, Effects};
use crate::cancel::CancelSignal;
use crate::contain::{contained, dropped, spent};
use crate::erased::Returned;
use crate::error::{ToolError, code};
use crate::outcome::{Failure, Outcome, Success};
use crate::policy::{Answer, ExecuteReply};

/// The body of one call, ready to run, normalize included.
#[derive(Clone)]
pub(crate) struct Body<'a> {
    bound: &'a Bound,
}

/// How a body ended.
enum Ending {
    Returned(Result<Returned, ToolError>),
    Panicked(String),
    /// It ignored its cancellation beyond the grace period and was dropped.
    Dropped,
}

impl<'a> Body<'a> {
    pub(super) fn new(bound: &'a Bound) -> Self {
        Self { bound }
    }

    pub(crate) fn effects(&self) -> &Arc<Effects> {
        &self.bound.effects
    }

    /// Runs the body under the caller's signal, fused with `wrapper`'s.
    pub(crate) async fn run(&self, wrapper: Option<&CancelSignal>) -> Outcome {
        Outcome::new(self.bound.call.token(), self.settle(wrapper).await)
    }

    /// Breaks with a wrapper's answer that is an outcome of this very call already; goes on with any other.
    pub(crate) fn own(&self, reply: ExecuteReply) -> ControlFlow<Outcome, ExecuteReply> {
        match reply {
            ExecuteReply { answer: Answer::Outcome(outcome), contexts }
                if outcome.token() == self.bound.call.token() =>
            {
                self.defer(contexts);
                let (token, result, _) = outcome.into_parts();
                ControlFlow::Break(Outcome::new(token, result))
            }
            reply => ControlFlow::Continue(reply),
        }
    }

    /// A wrapper's answer as an outcome of this call.
    pub(crate) async fn adopt(&self, reply: ExecuteReply) -> Outcome {
        let result = execute::adopt(self.bound, reply.answer).await;
        self.defer(reply.contexts);
        Outcome::new(self.bound.call.token(), result)
    }

    fn defer(&self, contexts: Vec<AdditionalContext>) {
        contexts.into_iter().for_each(|context| self.bound.effects.defer(context));
    }

    pub(super) async fn settle(&self, wrapper: Option<&CancelSignal>) -> Result<Success, Failure> {
        let caller = &self.bound.call.head.cancel;
        let cancel = wrapper.map_or_else(|| caller.clone(), |signal| caller.fused_with(signal));
        let cx = CallContext {
            call: Arc::clone(&self.bound.call),
            effects: Arc::clone(&self.bound.effects),
            cancel,
            scope: self.bound.scope.clone(),
        };
        let ending = self.ending(&cx).instrument(tracing::debug_span!("body")).await;
        match ending {
            Ending::Returned(Ok(value)) if cx.cancel.is_cancelled() => {
                dropped(value);
                Err(aborted())
            }
            Ending::Returned(Ok(value)) => normalize::run(self.bound, value).await,
            Ending::Returned(Err(error)) => Err(normalize::failure(self.bound, error)),
            Ending::Panicked(panic) => Err(panicked(self.bound.call.name(), &panic)),
            Ending::Dropped => Err(aborted()),
        }
    }

    async fn ending(&self, cx: &CallContext) -> Ending {
        match contained(|| self.bound.prepared.run(cx)) {
            Ok(running) => self.watch(running, &cx.cancel).await,
            Err(panic) => Ending::Panicked(panic),
        }
    }

    /// Polls the body first, so that one which never waits costs no cancellation machinery.
    async fn watch(
        &self,
        running: BoxFuture<'_, Result<Returned, ToolError>>,
        cancel: &CancelSignal,
    ) -> Ending {
        let running = AssertUnwindSafe(running).catch_unwind();
        let ended = match select(running, pin!(cancel.cancelled())).await {
            Either::Left((ended, _)) => ended,
            Either::Right(((), running)) => {
                let core = self.bound.scope.core();
                // The calls a body makes have a grace of their own, and the body is to see how they end.
                let graces = if self.bound.effects.has_nested() { 2 } else { 1 };
                match select(running, core.runtime.sleep(core.cancel_grace * graces)).await {
                    Either::Left((ended, _)) => ended,
                    Either::Right(((), running)) => {
                        dropped(running);
                        return Ending::Dropped;
                    }
                }
            }
        };
        match ended {
            Ok(returned) => Ending::Returned(returned),
            Err(payload) => Ending::Panicked(spent(payload)),
        }
    }
}

fn panicked(name: &str, panic: &str) -> Failure {
    let message = format!("the tool {name} panicked: {panic}");
    Failure::coded("ToolPanicError", code::TOOL_PANICKED, message)
}
