//! The async runtime: tokio behind the registry's seam.

use std::time::Duration;

use contract_registry::Runtime;
use tokio::runtime::{Builder, Handle};

use crate::exit::Stop;

/// Time and blocking work on the runtime the program runs in.
#[derive(Debug, Clone)]
pub(crate) struct Tokio(Handle);

impl Tokio {
    /// The seam to a runtime.
    pub(crate) fn new(handle: Handle) -> Self {
        Self(handle)
    }
}

impl Runtime for Tokio {
    fn sleep(&self, duration: Duration) -> BoxFuture<()> {
        let _inside = self.0.enter();
        Box::pin(tokio::time::sleep(duration))
    }

    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        self.0.spawn_blocking(work);
    }
}

type BoxFuture<T> = std::pin::Pin<Box<dyn Future<Output = T> + Send>>;

/// Starts a runtime. Two workers: the call runs on one, while signals and the progress line are
/// served on the main thread whatever a body does.
pub(crate) fn start() -> Result<tokio::runtime::Runtime, Stop> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime
        .map_err(|error| Stop::internal(format!("cannot start the async runtime: {error}")))?;
    #[cfg(unix)]
    runtime.block_on(async { outlive_file_limit() });
    Ok(runtime)
}

/// Has a write beyond the process's limit of file sizes fail, with its code, instead of ending the program. A
/// handler is not handed on: what commands start is ended as ever.
#[cfg(unix)]
fn outlive_file_limit() {
    let kind = tokio::signal::unix::SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    // The handler stays when this is dropped; without one, the limit ends the program as it would have.
    drop(tokio::signal::unix::signal(kind));
}
