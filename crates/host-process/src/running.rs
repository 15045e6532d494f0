//! A command that runs, and what came of it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::capture::Captured;
use crate::command::Command;
use crate::confine::Confined;
use crate::control::{self, Control};
use crate::error::ProcessError;
use crate::output::Output;
use crate::supervise;

/// The owner of a running command. Await it for the result, or [`wait`](Self::wait) without a runtime.
/// Dropping it ends the command with all that it started: told to at once, killed after the grace time.
#[derive(Debug)]
#[must_use = "dropping it ends the command"]
pub struct Running {
    control: Arc<Control>,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub status: Status,
    /// Why it was stopped, if it was. A command that catches the signal and exits with 0 was stopped too.
    pub stopped: Option<Stop>,
    /// What it wrote to stdout.
    pub stdout: Captured,
    /// What it wrote to stderr.
    pub stderr: Captured,
    /// How long it ran, up to the exit of the command itself.
    pub duration: Duration,
    /// How many of its descendants were still there after its exit and were ended.
    pub leftovers: usize,
    /// What came of its [`Confinement`](crate::Confinement), if it had one.
    pub confined: Option<Confined>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It exited with this code.
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
}

/// Why a command was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Its deadline passed.
    Deadline,
    /// It was cancelled, or its owner is gone.
    Cancelled,
}

/// Ends a command from elsewhere than its owner.
#[derive(Debug, Clone)]
pub struct Stopper {
    control: Arc<Control>,
}

impl Stopper {
    pub(crate) fn new(control: &Arc<Control>) -> Self {
        Self { control: Arc::clone(control) }
    }

    /// Ends the command: told to at once, killed after the grace time. Its owner gets the result.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// Ends it unless it ends by itself within `patience`.
    pub fn stop_after(&self, patience: Duration) {
        self.control.stop_after(patience);
    }
}

impl Running {
    pub(crate) fn start(command: Command) -> Self {
        Self { control: supervise::start(command) }
    }

    /// What ends it from elsewhere.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper::new(&self.control)
    }

    /// What it has written so far, to be read while it runs and after.
    #[must_use]
    pub fn output(&self) -> Output {
        self.control.output.clone()
    }

    /// Waits for the result on this thread.
    ///
    /// # Errors
    ///
    /// [`ProcessError`] when it could not be started or watched.
    pub fn wait(self) -> Result<Finished, ProcessError> {
        self.control.wait()
    }
}

impl Future for Running {
    type Output = Result<Finished, ProcessError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.control.poll(cx.waker())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.control.stop();
    }
}

/// Kills every command of this process with all that it started, without a grace time, and waits until they
/// are gone, at most for `patience`: for a program about to exit. How many were not gone by then. The files of
/// streams that nobody has [kept](crate::Spooled::keep) are removed, those of results still held too.
pub fn end_all(patience: Duration) -> usize {
    control::end_all(patience)
}
