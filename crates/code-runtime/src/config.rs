//! What a runtime is told: where its workers come from and what a run may use.

use std::path::PathBuf;
use std::time::Duration;

/// Where programs run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Worker {
    /// In a process of this very program, whose `main` begins with [`worker_main`](crate::worker_main).
    #[default]
    CurrentExe,
    /// In a process of the program at this path, whose `main` begins with [`worker_main`](crate::worker_main); this
    /// crate's `code-worker` is one.
    Path(PathBuf),
    /// On a thread of this process, for embedders who accept that limits are cooperative there: a builtin that does not
    /// return holds its thread, and nothing confines the engine but itself.
    InProcess,
}

/// What one run may use. Each limit that is hit is named in the outcome (contract C7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// JavaScript heap, in bytes.
    pub heap_bytes: usize,
    /// Stack of the engine, in bytes.
    pub stack_bytes: usize,
    /// Processor time that the program may use, in milliseconds. Waiting costs nothing.
    pub compute_ms: u64,
    /// Time from start to end, in milliseconds.
    pub wall_ms: u64,
    /// Console lines and result together, in bytes of UTF-8 and of the binary form.
    pub output_bytes: usize,
    /// One value that crosses to or from a binding, in bytes of the binary form, which is close to its JSON.
    pub value_bytes: usize,
    /// Calls of bindings, in all.
    pub calls: u32,
    /// Calls of bindings that wait for their answer at one time.
    pub pending_calls: u32,
    /// Timers that wait at one time. One more is an error in the program.
    pub timers: u32,
    /// The program, in bytes.
    pub source_bytes: usize,
    /// The text of one error, in bytes. It is cut.
    pub message_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            heap_bytes: 256 << 20,
            stack_bytes: 1 << 20,
            compute_ms: 60_000,
            wall_ms: 600_000,
            output_bytes: 16 << 20,
            value_bytes: 64 << 20,
            calls: 10_000,
            pending_calls: 1_000,
            timers: 1_000,
            source_bytes: 256 << 10,
            message_bytes: 16 << 10,
        }
    }
}

/// How a runtime is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where programs run.
    pub worker: Worker,
    /// What one run may use.
    pub limits: Limits,
    /// Workers started ahead. 0 starts one when a run asks for it.
    pub pool_workers: usize,
    /// How long either side polls before it sleeps, in microseconds: it spares waking a sleeping core.
    pub poll_us: u64,
}

impl Default for Config {
    fn default() -> Self {
        let limits = Limits::default();
        Self { worker: Worker::default(), limits, pool_workers: 1, poll_us: 30 }
    }
}

/// A limit that cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} must be from {least} to {most}, not {given}")]
pub struct ConfigError {
    /// The key.
    pub name: &'static str,
    /// What was given.
    pub given: u64,
    /// The smallest value that works.
    pub least: u64,
    /// The largest.
    pub most: u64,
}

/// Payloads have a 32-bit length; what surrounds a value has its place beside it.
const MOST_VALUE: u64 = 1 << 30;

impl Config {
    /// Holds every limit against what can be kept.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for the first that is out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        let limits = &self.limits;
        let bytes = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
        let rows = [
            ("heap_bytes", bytes(limits.heap_bytes), 4 << 20, 1 << 34),
            ("stack_bytes", bytes(limits.stack_bytes), 128 << 10, 4 << 20),
            ("compute_ms", limits.compute_ms, 1, 86_400_000),
            ("wall_ms", limits.wall_ms, 1, 86_400_000),
            ("output_bytes", bytes(limits.output_bytes), 4, MOST_VALUE),
            ("value_bytes", bytes(limits.value_bytes), 4, MOST_VALUE),
            ("calls", limits.calls.into(), 0, 1 << 30),
            ("pending_calls", limits.pending_calls.into(), 0, 1 << 20),
            ("timers", limits.timers.into(), 0, 1 << 20),
            ("source_bytes", bytes(limits.source_bytes), 1, 4 << 20),
            ("message_bytes", bytes(limits.message_bytes), 64, 1 << 20),
            ("pool_workers", bytes(self.pool_workers), 0, 64),
            ("poll_us", self.poll_us, 0, 1_000),
        ];
        let wrong = rows.iter().find(|(_, given, least, most)| given < least || given > most);
        wrong.map_or(Ok(()), |&(name, given, least, most)| {
            Err(ConfigError { name, given, least, most })
        })
    }

    pub(crate) fn poll(&self) -> Duration {
        Duration::from_micros(self.poll_us)
    }
}

impl Limits {
    /// Longest payload either side takes.
    pub(crate) fn payload_bytes(&self) -> usize {
        let program = 2 * self.source_bytes + NAMES_BYTES;
        self.value_bytes.max(self.output_bytes).max(program).max(self.message_bytes) + 4096
    }
}

/// All names of a program's bindings together, in bytes.
pub(crate) const NAMES_BYTES: usize = 4 << 20;
