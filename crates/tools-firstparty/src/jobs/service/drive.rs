//! The thread of one job.

use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;

use futures_executor::block_on;
use futures_util::future::{BoxFuture, FutureExt as _};
use tool_seams::{JobEnd, JobOutcome};

/// What to poll, and whom to tell.
type Work = (BoxFuture<'static, JobOutcome>, Box<dyn FnOnce(JobOutcome) + Send>);

/// A thread that waits for the job it is for; without one it ends.
#[derive(Debug)]
pub(super) struct Driver {
    work: SyncSender<Work>,
}

impl Driver {
    /// Starts the thread before anything is begun that would have to be taken back without it.
    pub(super) fn spawn() -> io::Result<Self> {
        let (work, given) = sync_channel::<Work>(1);
        let thread = move || {
            if let Ok((done, settle)) = given.recv() {
                settle(block_on(outcome(done)));
            }
        };
        Builder::new().name("tenon-job".to_owned()).spawn(thread)?;
        Ok(Self { work })
    }

    /// Polls `done` to its end, then says what came of it.
    pub(super) fn drive(
        self,
        done: BoxFuture<'static, JobOutcome>,
        settle: impl FnOnce(JobOutcome) + Send + 'static,
    ) {
        // The thread waits for just this.
        let _ = self.work.send((done, Box::new(settle)));
    }
}

async fn outcome(done: BoxFuture<'static, JobOutcome>) -> JobOutcome {
    let ended = AssertUnwindSafe(done).catch_unwind().await;
    ended.unwrap_or_else(|panic| failed(said(&*panic)))
}

/// A job that could not be run to its end.
pub(super) fn failed(detail: String) -> JobOutcome {
    JobOutcome { end: JobEnd::Failed, detail: Some(detail), output: None }
}

/// Calls a producer's hook.
///
/// # Errors
/// What its panic said.
pub(super) fn contained<T>(hook: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(AssertUnwindSafe(hook)).map_err(|panic| said(&*panic))
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}
