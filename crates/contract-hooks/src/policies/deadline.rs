//! Deadline: a tool that declares a timeout is told to stop when it passes.

use std::sync::Arc;
use std::time::Duration;

use contract_registry::{Call, CancelSource, ExecuteReply, Outcome, Runtime, ToolError};
use futures_util::future::{BoxFuture, Either, select};

use crate::around::{AroundExecute, AroundNext};
use crate::error::code;

/// Enforces the deadline a tool declares.
///
/// The body is told by its signal, as for a cancellation, and settles within the registry's grace; only then
/// does the call fail with `TOOL_TIMEOUT`. If the caller cancels first, the call is an ordinary abort.
#[derive(Clone)]
pub struct Deadline {
    runtime: Arc<dyn Runtime>,
}

impl Deadline {
    /// Measures time by `runtime`.
    pub fn new(runtime: Arc<dyn Runtime>) -> Self {
        Self { runtime }
    }

    async fn bounded(&self, call: &Call, next: AroundNext<'_>, limit: Duration) -> ExecuteReply {
        let source = CancelSource::new();
        let running = next.with_cancel(source.signal()).run();
        match select(running, self.runtime.sleep(limit)).await {
            Either::Left((outcome, _)) => outcome.into(),
            Either::Right(((), running)) if call.caller_cancel().is_cancelled() => {
                running.await.into()
            }
            Either::Right(((), running)) => {
                source.cancel();
                timed_out(running.await, call.name(), limit)
            }
        }
    }
}

/// Whatever the body made of its last moments, the deadline had passed; its own more specific failure is
/// kept in the message.
fn timed_out(outcome: Outcome, name: &str, limit: Duration) -> ExecuteReply {
    let limit = limit.as_millis();
    let own = outcome.error().filter(|failure| !failure.is_abort());
    let message = match own {
        Some(failure) => format!("{name} was stopped after {limit} ms: {}", failure.message()),
        None => format!("{name} was stopped after {limit} ms"),
    };
    ExecuteReply::failure(ToolError::coded("ToolTimeoutError", code::TOOL_TIMEOUT, message))
}

impl AroundExecute for Deadline {
    fn execute<'a>(&'a self, call: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
        match call.tool().timeout() {
            Some(limit) => Box::pin(self.bounded(call, next, limit)),
            None => Box::pin(async { next.run().await.into() }),
        }
    }
}

impl std::fmt::Debug for Deadline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Deadline")
    }
}
