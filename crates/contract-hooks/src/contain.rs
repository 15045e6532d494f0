//! Containment of panics where a listener stands alone: what it does is a failure of its own.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;

/// Longest part of a panic message that is passed on, in bytes.
const MAX_PANIC_BYTES: usize = 500;

/// Runs `work`, turning a panic into its message. What `work` borrows is not looked at again where it matters:
/// it is dropped with it, or behind a lock whose poison is looked through.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(spent)
}

/// [`contained`] for a future; it is dropped where it panicked.
pub(crate) async fn contained_async<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(spent)
}

/// The message of a panic. The payload's own drop may panic too, and so may that of what it then throws.
fn spent(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let message = text.split_at(text.floor_char_boundary(MAX_PANIC_BYTES)).0.to_owned();
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    message
}
