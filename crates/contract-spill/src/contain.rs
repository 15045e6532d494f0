//! Containment of panics: what a store or a tool's page does never fails a call.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;

use crate::error::SpillError;

/// Runs `work`, turning a panic into an error.
///
/// What `work` borrows is dropped with it or behind a lock whose poison is looked through.
pub(crate) fn caught<T>(what: &'static str, work: impl FnOnce() -> T) -> Result<T, SpillError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| panicked(what, &*payload))
}

/// [`caught`] for a future; it is dropped where it panicked.
pub(crate) async fn caught_async<T>(
    what: &'static str,
    work: impl Future<Output = T>,
) -> Result<T, SpillError> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|payload| panicked(what, &*payload))
}

fn panicked(what: &'static str, payload: &(dyn Any + Send)) -> SpillError {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    SpillError::Panicked { what, message: message.to_owned() }
}
