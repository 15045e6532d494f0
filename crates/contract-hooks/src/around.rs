//! The execute chain: wrappers around the body (contract H1, P7, P8).

use contract_registry::{
    Call, CancelSignal, ExecuteReply, Next, Outcome, ToolError, code as registry_code,
};
use contract_schema::AdditionalContext;
use futures_util::future::BoxFuture;

use crate::chain::Listeners;
use crate::contain::contained_async;
use crate::deep::Deep;

/// Wraps the body: deadlines, retries, caches, metrics.
pub trait AroundExecute: Send + Sync + 'static {
    /// Delegates with `next`, or answers in its place. The answer holds an outcome, a value or a failure;
    /// it has no room for content beside a value.
    fn execute<'a>(&'a self, call: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply>;
}

/// The wrappers inside this one, and the body: a value that running consumes.
#[derive(Debug)]
#[must_use = "a wrapper that drops `next` answers in its place"]
pub struct AroundNext<'a> {
    listeners: &'a Listeners<dyn AroundExecute>,
    from: usize,
    call: &'a Call,
    body: Next<'a>,
}

impl<'a> AroundNext<'a> {
    /// Runs what is inside. The outcome is the inner wrapper's answer, normalized under the active tool
    /// unless the registry made it for this very call.
    pub fn run(mut self) -> BoxFuture<'a, Outcome> {
        while let Some(entry) = self.listeners.get(self.from) {
            self.from += 1;
            if entry.covers(self.call) {
                let body = self.body.for_retry();
                let wrapping =
                    async move { Deep::new(|| entry.listener.execute(self.call, self)).await };
                return Box::pin(async move {
                    let reply = contained_async(wrapping).await;
                    body.adopt(reply.unwrap_or_else(|_| panicked(&entry.name))).await
                });
            }
        }
        Box::pin(Deep::new(|| Box::pin(self.body.run())))
    }

    /// Adds a reason to stop for what is inside; none is ever taken away (contract P8).
    pub fn with_cancel(mut self, signal: CancelSignal) -> Self {
        self.body = self.body.with_cancel(signal);
        self
    }

    /// What is inside once more, for a wrapper that retries.
    pub fn for_retry(&self) -> Self {
        let body = self.body.for_retry();
        Self { listeners: self.listeners, from: self.from, call: self.call, body }
    }

    /// Adds a message for the model.
    pub fn defer_context(&self, context: AdditionalContext) {
        self.body.defer_context(context);
    }
}

fn panicked(name: &str) -> ExecuteReply {
    ExecuteReply::failure(ToolError::coded(
        "PolicyError",
        registry_code::POLICY_FAILED,
        format!("a policy failed, so the call fails with it: the wrapper {name} panicked"),
    ))
}

pub(crate) fn run<'a>(
    listeners: &'a Listeners<dyn AroundExecute>,
    call: &'a Call,
    body: Next<'a>,
) -> BoxFuture<'a, Outcome> {
    AroundNext { listeners, from: 0, call, body }.run()
}
