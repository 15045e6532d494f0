//! The chain that shapes the durable log copy of a nested result (contract H1, C2).

use std::sync::{Mutex, PoisonError};

use contract_registry::CallHead;
use contract_schema::ContentBlock;
use futures_util::future::BoxFuture;

use crate::chain::{Entry, Listeners};
use crate::contain::contained_async;
use crate::deep::Deep;
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
///
/// A listener that fails or panics is passed over: the copy is what the listeners inside it made.
pub trait LogCopy: Send + Sync + 'static {
    /// Delegates with `next` and returns the content to keep.
    fn log_copy<'a>(
        &'a self,
        call: &'a CallHead,
        result: &'a NestedResult,
        next: LogCopyNext<'a>,
    ) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>>;
}

/// What the inner listeners made, once they were asked and if there are any.
type Slot = Mutex<Option<Vec<ContentBlock>>>;

/// The listeners inside this one: a value that running consumes.
#[derive(Debug)]
#[must_use = "without running it, the inner listeners do not shape the copy"]
pub struct LogCopyNext<'a> {
    rest: Rest<'a>,
    inner: &'a Slot,
}

/// The part of a chain that is still to shape the copy.
#[derive(Clone, Copy)]
struct Rest<'a> {
    listeners: &'a Listeners<dyn LogCopy>,
    from: usize,
    call: &'a CallHead,
    result: &'a NestedResult,
}

impl std::fmt::Debug for Rest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rest").field("from", &self.from).finish_non_exhaustive()
    }
}

impl LogCopyNext<'_> {
    /// The content as the inner listeners shape it.
    pub async fn run(self) -> Vec<ContentBlock> {
        let content = self.rest.shape().await;
        // Without one inside, the content is the result's own and can be had again.
        if self.rest.first().is_some() {
            let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            *inner = Some(content.clone());
        }
        content
    }
}

impl<'a> Rest<'a> {
    /// The first listener of it, and what is inside that one.
    fn first(self) -> Option<(&'a Entry<dyn LogCopy>, Self)> {
        let entries = self.listeners.iter().enumerate().skip(self.from);
        let (at, entry) = entries.into_iter().find(|(_, entry)| entry.covers(self.call))?;
        Some((entry, Rest { from: at + 1, ..self }))
    }

    fn shape(self) -> BoxFuture<'a, Vec<ContentBlock>> {
        Box::pin(async move {
            let Some((entry, inside)) = self.first() else { return self.result.content.clone() };
            let slot = Slot::default();
            let next = LogCopyNext { rest: inside, inner: &slot };
            let shaping =
                async { Deep::new(|| entry.listener.log_copy(self.call, self.result, next)).await };
            let why = match contained_async(shaping).await {
                Ok(Ok(content)) => return content,
                Ok(Err(error)) => error.to_string(),
                Err(panic) => format!("it panicked: {panic}"),
            };
            let (listener, tool) = (&*entry.name, self.call.name());
            tracing::warn!(listener, tool, why, "a listener failed to shape a log copy");
            match slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
                Some(inner) => inner,
                None => inside.shape().await,
            }
        })
    }
}

pub(crate) async fn run(
    listeners: &Listeners<dyn LogCopy>,
    call: &CallHead,
    result: &NestedResult,
) -> Vec<ContentBlock> {
    Rest { listeners, from: 0, call, result }.shape().await
}
