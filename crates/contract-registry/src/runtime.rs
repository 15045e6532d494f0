//! The seam to whatever runs futures: time and blocking work. Dispatch needs no particular runtime.

use std::time::Duration;

use futures_util::future::BoxFuture;

/// Time and blocking work, as an embedder's async runtime has them.
pub trait Runtime: Send + Sync + 'static {
    /// Completes after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Runs `work` where blocking is allowed. Dropping `work` instead means it was refused.
    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>);
}

/// The default: one shared timer thread, and a thread for each piece of blocking work.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadRuntime;

impl Runtime for ThreadRuntime {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(futures_timer::Delay::new(duration))
    }

    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        // A failed spawn drops the work, which its caller sees as a refusal.
        let spawned = std::thread::Builder::new().name("tenon-blocking".to_owned()).spawn(work);
        if let Err(error) = spawned {
            tracing::warn!(%error, "no thread for blocking work");
        }
    }
}
