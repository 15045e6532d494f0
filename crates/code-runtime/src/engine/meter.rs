//! Processor time of the program: only while it runs, not while it waits.

use std::cell::Cell;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// What a builtin that never asks gets on top before the kernel ends the process.
const GRACE: Duration = Duration::from_millis(200);

/// Adds up the stretches in which the engine runs.
#[derive(Debug)]
pub(super) struct Meter {
    allowed: Duration,
    used: Cell<Duration>,
    began: Cell<Option<Duration>>,
    /// Ends the process when it has used so much processor time; what stops a builtin that never asks.
    alarm: Option<fn(Duration)>,
}

impl Meter {
    pub(super) fn new(allowed: Duration, alarm: Option<fn(Duration)>) -> Self {
        Self { allowed, used: Cell::default(), began: Cell::default(), alarm }
    }

    pub(super) fn begin(&self) {
        if let Some(alarm) = self.alarm {
            alarm(self.allowed.saturating_sub(self.used.get()) + GRACE);
        }
        self.began.set(Some(processor_time()));
    }

    pub(super) fn end(&self) {
        self.used.set(self.total());
        self.began.set(None);
    }

    fn total(&self) -> Duration {
        let running = self.began.get().map(|began| processor_time().saturating_sub(began));
        self.used.get() + running.unwrap_or_default()
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.total() > self.allowed
    }
}

fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(now).unwrap_or_default()
}
