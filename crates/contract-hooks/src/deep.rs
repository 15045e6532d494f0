//! Chains of any length. Listeners delegate within one another, so each takes a part of the stack that polls
//! the call; where little is left, the stack grows.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;

/// Stack that every listener and the body find at least, in bytes.
const SPARE_BYTES: usize = 256 * 1024;
/// Stack that is added where there is less, in bytes: as much as a thread has.
const ADDED_BYTES: usize = 2 * 1024 * 1024;

/// A listener's future. It is made, polled and dropped with stack to spare: what it delegates to is nested in
/// it.
pub(crate) struct Deep<'a, T>(Option<BoxFuture<'a, T>>);

impl<'a, T> Deep<'a, T> {
    pub(crate) fn new(make: impl FnOnce() -> BoxFuture<'a, T>) -> Self {
        Self(Some(spared(make)))
    }
}

impl<T> Future for Deep<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let Some(inner) = &mut self.0 else { return Poll::Pending };
        let polled = spared(|| inner.as_mut().poll(cx));
        if polled.is_ready() {
            self.release();
        }
        polled
    }
}

impl<T> Deep<'_, T> {
    fn release(&mut self) {
        if let Some(inner) = self.0.take() {
            spared(|| drop(inner));
        }
    }
}

impl<T> Drop for Deep<'_, T> {
    fn drop(&mut self) {
        self.release();
    }
}

fn spared<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(SPARE_BYTES, ADDED_BYTES, work)
}
