//! Scheduling: bodies overlap where they may, everything else keeps the submission order (contract P10).

mod ticket;

use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::Arc;

use futures_util::future::join_all;

use ticket::Line;
pub use ticket::OnStart;
pub(crate) use ticket::Ticket;

use crate::call::CallRequest;
use crate::outcome::Outcome;
use crate::pipeline;
use crate::registry::Scope;

/// An ordered lane of calls in one scope.
///
/// Consecutive parallel-safe calls overlap up to a limit; an exclusive call waits until it is alone and
/// stays alone from its pre-execute to its post-execute. Policy stages and results keep the order of
/// submission, even where bodies finish out of order. A call made from inside a body belongs in a lane of
/// its own: in this one it would wait for the call it is part of.
#[derive(Debug, Clone)]
pub struct Lane {
    scope: Scope,
    line: Arc<Line>,
}

impl Lane {
    /// A lane in which up to `limit` bodies overlap.
    #[must_use]
    pub fn new(scope: Scope, limit: NonZeroUsize) -> Self {
        Self { scope, line: Arc::new(Line::new(limit)) }
    }

    /// Takes a place in the lane now; the call runs while the future is polled. Dropping the future gives
    /// the place up. Calls behind one that is neither polled nor dropped wait for it.
    pub fn submit(&self, request: CallRequest) -> impl Future<Output = Outcome> + Send + use<> {
        self.submit_watched(request, Box::new(|_| ()))
    }

    /// The same, and `on_start` is told when the call starts: right before policy judges it, or before it
    /// ends for its name or arguments. It is not told of a call that was cancelled while it waited.
    pub fn submit_watched(
        &self,
        request: CallRequest,
        on_start: OnStart,
    ) -> impl Future<Output = Outcome> + Send + use<> {
        let ticket = Ticket::take(&self.line, on_start);
        let scope = self.scope.clone();
        async move { pipeline::dispatch(&scope, request, Some(&ticket)).await }
    }

    /// Runs a batch, as a model asks for it in one message; outcomes in the order of the requests.
    pub async fn run_all(&self, requests: impl IntoIterator<Item = CallRequest>) -> Vec<Outcome> {
        let calls: Vec<_> = requests.into_iter().map(|request| self.submit(request)).collect();
        join_all(calls).await
    }
}
