//! The chain that shapes the durable log copy of a nested result (contract H1, C2).

use contract_registry::CallHead;
use contract_schema::ContentBlock;
use futures_util::future::BoxFuture;

use crate::chain::Listeners;
use crate::error::HookError;

/// A nested result as the log will keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NestedResult {
    /// What the log keeps; never the value.
    pub content: Vec<ContentBlock>,
    /// Whether the nested call failed.
    pub is_error: bool,
}

/// Shapes the log copy of nested results. The program that made the call sees nothing of it.
pub trait LogCopy: Send + Sync + 'static {
    /// Delegates with `next` and returns the content to keep.
    fn log_copy<'a>(
        &'a self,
        call: &'a CallHead,
        result: &'a NestedResult,
        next: LogCopyNext<'a>,
    ) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>>;
}

/// The listeners inside this one: a value that running consumes.
#[must_use = "without running it, the inner listeners do not shape the copy"]
pub struct LogCopyNext<'a> {
    listeners: &'a Listeners<dyn LogCopy>,
    from: usize,
    call: &'a CallHead,
    result: &'a NestedResult,
}

impl std::fmt::Debug for LogCopyNext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogCopyNext").field("from", &self.from).finish_non_exhaustive()
    }
}

impl<'a> LogCopyNext<'a> {
    /// The content as the inner listeners shape it.
    ///
    /// # Errors
    ///
    /// [`HookError`] when one of them fails.
    pub fn run(mut self) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>> {
        while let Some(entry) = self.listeners.get(self.from) {
            self.from += 1;
            if entry.covers(self.call) {
                return entry.listener.log_copy(self.call, self.result, self);
            }
        }
        Box::pin(async move { Ok(self.result.content.clone()) })
    }
}

pub(crate) fn run<'a>(
    listeners: &'a Listeners<dyn LogCopy>,
    call: &'a CallHead,
    result: &'a NestedResult,
) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>> {
    LogCopyNext { listeners, from: 0, call, result }.run()
}
