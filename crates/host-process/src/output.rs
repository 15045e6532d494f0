//! What a running command has written so far, for any number of readers.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::capture::{Captured, Collector, Window};

/// Reads along with a command while it runs, and after. Reading takes nothing away: each reader has a
/// [`Cursor`] of its own (decisions DR4). What slid out of the [`Window`] before it was read is counted.
#[derive(Debug, Clone)]
pub struct Output {
    state: Arc<Mutex<State>>,
}

/// How far a reader has read. The default is the beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    stdout: u64,
    stderr: u64,
}

/// What came after a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Of stdout; what was lost of it is its [`omitted_bytes`](Captured::omitted_bytes).
    pub stdout: Captured,
    /// Of stderr.
    pub stderr: Captured,
    /// Where to read on.
    pub next: Cursor,
    /// Nothing will come after this.
    pub settled: bool,
}

impl Chunk {
    /// Whether nothing came, kept or lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stdout.total_bytes() == 0 && self.stderr.total_bytes() == 0
    }
}

#[derive(Debug)]
struct State {
    stdout: Collector,
    stderr: Collector,
    settled: bool,
    waiting: Vec<(u64, Waker)>,
    last_ticket: u64,
}

/// One of the two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Stdout,
    Stderr,
}

impl Output {
    pub(crate) fn new(stdout: Window, stderr: Window) -> Self {
        let state = State {
            stdout: Collector::new(stdout),
            stderr: Collector::new(stderr),
            settled: false,
            waiting: Vec::new(),
            last_ticket: 0,
        };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept of what came after `cursor`, and how much of it is lost. A character of which only the
    /// first bytes are there is left for the next read, unless nothing will come.
    #[must_use]
    pub fn read_since(&self, cursor: Cursor) -> Chunk {
        let state = self.state();
        let settled = state.settled;
        let stdout = state.stdout.since(cursor.stdout, settled);
        let stderr = state.stderr.since(cursor.stderr, settled);
        let next = Cursor {
            stdout: cursor.stdout + stdout.total_bytes(),
            stderr: cursor.stderr + stderr.total_bytes(),
        };
        Chunk { stdout, stderr, next, settled }
    }

    /// Both streams from their beginning, as they would stand in the result if the command ended now.
    #[must_use]
    pub fn captured(&self) -> (Captured, Captured) {
        let state = self.state();
        (state.stdout.since(0, true), state.stderr.since(0, true))
    }

    /// Whether the command has ended with all that it started: nothing more will come.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.state().settled
    }

    /// Waits until there is something after `cursor`, or nothing will come.
    pub fn changed(&self, cursor: Cursor) -> Changed {
        Changed { output: self.clone(), cursor, ticket: None }
    }

    /// Gives each stream's collector to `change`, then wakes who waits.
    pub(crate) fn with<T>(&self, name: Name, change: impl FnOnce(&mut Collector) -> T) -> T {
        let mut state = self.state();
        let changed = match name {
            Name::Stdout => change(&mut state.stdout),
            Name::Stderr => change(&mut state.stderr),
        };
        wake(state);
        changed
    }

    pub(crate) fn settle(&self) {
        let mut state = self.state();
        state.settled = true;
        wake(state);
    }
}

fn wake(mut state: MutexGuard<'_, State>) {
    let waiting = std::mem::take(&mut state.waiting);
    drop(state);
    for (_, waker) in waiting {
        waker.wake();
    }
}

/// See [`Output::changed`].
#[derive(Debug)]
#[must_use = "it waits once awaited"]
pub struct Changed {
    output: Output,
    cursor: Cursor,
    ticket: Option<u64>,
}

impl Future for Changed {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let mut state = this.output.state();
        let more = state.stdout.total_bytes() > this.cursor.stdout
            || state.stderr.total_bytes() > this.cursor.stderr;
        if more || state.settled {
            return Poll::Ready(());
        }
        let ticket = *this.ticket.get_or_insert_with(|| {
            state.last_ticket += 1;
            state.last_ticket
        });
        state.waiting.retain(|(other, _)| *other != ticket);
        state.waiting.push((ticket, cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.output.state().waiting.retain(|(other, _)| *other != ticket);
        }
    }
}
