//! What a search may use, counted by all of its threads together; and why it stopped.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::config::SearchCaps;

/// Why a search ended before it had seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The value is as large as it may be.
    Bytes,
    /// As many entries were looked at as may be.
    Entries,
    /// The time is over.
    Time,
    /// The caller does not want the result any more.
    Cancelled,
}

/// Counters shared by the threads of one search.
pub(crate) struct Budget<'a> {
    caps: &'a SearchCaps,
    deadline: Instant,
    is_cancelled: &'a (dyn Fn() -> bool + Sync),
    bytes: AtomicU64,
    entries: AtomicU64,
    skipped: AtomicU64,
    /// 0 while running, else one more than the index of the reason.
    stop: AtomicU8,
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("stop", &self.stopped()).finish_non_exhaustive()
    }
}

/// Entries from one look at the clock to the next.
const CLOCK_EVERY: u64 = 32;

const REASONS: [Stop; 4] = [Stop::Bytes, Stop::Entries, Stop::Time, Stop::Cancelled];

impl<'a> Budget<'a> {
    /// A full budget; the time runs from now.
    pub(crate) fn new(caps: &'a SearchCaps, is_cancelled: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self {
            caps,
            deadline: Instant::now() + Duration::from_millis(caps.gather_max_ms),
            is_cancelled,
            bytes: AtomicU64::new(0),
            entries: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            stop: AtomicU8::new(0),
        }
    }

    /// A second attempt within the same time: counters begin again, the deadline stays.
    pub(crate) fn again(&self) -> Self {
        Self {
            caps: self.caps,
            deadline: self.deadline,
            is_cancelled: self.is_cancelled,
            bytes: AtomicU64::new(0),
            entries: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            stop: AtomicU8::new(0),
        }
    }

    /// Why the search must stop, if it must.
    pub(crate) fn stopped(&self) -> Option<Stop> {
        let stop = self.stop.load(Ordering::Relaxed);
        REASONS.get(usize::from(stop.checked_sub(1)?)).copied()
    }

    /// Looks at the clock and at the caller; for places where time passes without entries.
    pub(crate) fn check(&self) -> Option<Stop> {
        if (self.is_cancelled)() {
            self.end(Stop::Cancelled);
        } else if Instant::now() >= self.deadline {
            self.end(Stop::Time);
        }
        self.stopped()
    }

    /// Counts one entry.
    pub(crate) fn take_entry(&self) -> Option<Stop> {
        let before = self.entries.fetch_add(1, Ordering::Relaxed);
        if before >= self.caps.max_entries {
            self.end(Stop::Entries);
        }
        if before.is_multiple_of(CLOCK_EVERY) {
            return self.check();
        }
        if (self.is_cancelled)() {
            self.end(Stop::Cancelled);
        }
        self.stopped()
    }

    /// Counts bytes of the value; `false` when they are more than may be, and then they do not count.
    pub(crate) fn take_bytes(&self, count: u64) -> bool {
        let before = self.bytes.fetch_add(count, Ordering::Relaxed);
        let fits = before.saturating_add(count) <= self.caps.value_max_bytes;
        if !fits {
            self.end(Stop::Bytes);
        }
        fits
    }

    /// Counts something that could not be read.
    pub(crate) fn skip(&self, count: u64) {
        self.skipped.fetch_add(count, Ordering::Relaxed);
    }

    /// How much could not be read.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// Threads for the walk.
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get().min(8));
        match self.caps.threads {
            Some(count) => usize::try_from(count).unwrap_or(1),
            None => cores(),
        }
    }

    /// Stops all threads. The first reason stays, but a caller who leaves always counts.
    fn end(&self, stop: Stop) {
        let index = REASONS.iter().position(|reason| *reason == stop).unwrap_or(0);
        let code = u8::try_from(index + 1).unwrap_or(u8::MAX);
        if stop == Stop::Cancelled {
            self.stop.store(code, Ordering::Relaxed);
        } else {
            let _ = self.stop.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}
