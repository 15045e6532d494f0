//! Containment of panics: none reaches a caller.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;

/// Longest part of a panic message that is passed on, in bytes.
const MAX_PANIC_BYTES: usize = 500;

/// Runs `work`, turning a panic into its message.
///
/// What `work` borrows is either dropped with it or behind a lock whose poison is looked through, so an
/// interrupted update is not observed.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(spent)
}

/// [`contained`] for a future; the future is dropped where it panicked.
pub(crate) async fn contained_async<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(spent)
}

/// Drops what a tool or a policy owned. Its drop may panic; that changes nothing for the call.
pub(crate) fn dropped<T>(owned: T) {
    if let Err(panic) = contained(|| drop(owned)) {
        tracing::warn!(panic, "a drop panicked");
    }
}

/// The message of a panic. The payload's own drop may panic too, and so may that of what it then throws.
pub(crate) fn spent(payload: Box<dyn Any + Send>) -> String {
    let message = panic_message(&*payload);
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    message
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    text.split_at(text.floor_char_boundary(MAX_PANIC_BYTES)).0.to_owned()
}
