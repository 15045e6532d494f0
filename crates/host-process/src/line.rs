//! The two sides of a terminal's line: what is typed, for anyone, and what is shown, for its sink.

use std::collections::VecDeque;
use std::fmt;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::pty::{OpenptFlags, grantpt, openpt, unlockpt};
use rustix::termios::tcsetwinsize;

use crate::terminal::{Sink, TerminalSize};

/// What one read takes at most; the system gives 4 KiB.
const CHUNK_BYTES: usize = 16 * 1024;

/// Reads in one turn, so that what is typed gets its turn too.
const READS: usize = 16;

/// Of answers that the program does not read, this much is kept.
const ANSWER_BYTES: usize = 4 * 1024;

/// A new terminal: the end of its owner and the end of its programs.
pub(crate) fn open(size: TerminalSize) -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    tcsetwinsize(&master, size.of_system())?;
    ioctl_fionbio(&master, true)?;
    let slave = peer(&master, flags)?;
    Ok((master, slave))
}

#[cfg(target_os = "linux")]
fn peer(master: &OwnedFd, flags: OpenptFlags) -> rustix::io::Result<OwnedFd> {
    rustix::pty::ioctl_tiocgptpeer(master, flags)
}

#[cfg(not(target_os = "linux"))]
fn peer(master: &OwnedFd, _: OpenptFlags) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags};
    let name = rustix::pty::ptsname(master, Vec::new())?;
    rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
}

/// What is being typed.
#[derive(Debug)]
pub(crate) struct Keyboard {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Debug)]
struct State {
    /// None once the command has ended.
    master: Option<OwnedFd>,
    writes: VecDeque<Write>,
}

#[derive(Debug)]
struct Write {
    bytes: Vec<u8>,
    ticket: Ticket,
    waker: Option<Waker>,
    is_answer: bool,
}

/// Names a write, and tells how far it is.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    written: Arc<AtomicUsize>,
    bytes: usize,
}

impl Ticket {
    fn new(bytes: usize) -> Self {
        Self { written: Arc::default(), bytes }
    }

    pub(crate) fn written(&self) -> usize {
        self.written.load(Ordering::Acquire)
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.written, &other.written)
    }
}

impl Keyboard {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the owner's end, unless the command has ended.
    pub(crate) fn with<T>(&self, act: impl FnOnce(BorrowedFd<'_>) -> T) -> Option<T> {
        self.state().master.as_ref().map(|master| act(master.as_fd()))
    }

    pub(crate) fn queue(&self, bytes: Vec<u8>) -> Ticket {
        let ticket = Ticket::new(bytes.len());
        let mut state = self.state();
        if state.master.is_some() && !bytes.is_empty() {
            let ticket = ticket.clone();
            state.writes.push_back(Write { bytes, ticket, waker: None, is_answer: false });
        }
        ticket
    }

    fn answer(&self, bytes: Vec<u8>) {
        let mut state = self.state();
        let waiting = state.writes.iter().filter(|write| write.is_answer);
        let waiting: usize = waiting.map(|write| write.bytes.len()).sum();
        if bytes.is_empty() || state.master.is_none() || waiting + bytes.len() > ANSWER_BYTES {
            return;
        }
        // Not into the middle of what is being typed.
        let begun = state.writes.front().is_some_and(|write| write.ticket.written() > 0);
        let answers = state.writes.iter().skip(usize::from(begun));
        let at = usize::from(begun) + answers.take_while(|write| write.is_answer).count();
        let ticket = Ticket::new(bytes.len());
        state.writes.insert(at, Write { bytes, ticket, waker: None, is_answer: true });
    }

    pub(crate) fn withdraw(&self, ticket: &Ticket) {
        self.state().writes.retain(|write| !write.ticket.is_same(ticket));
    }

    /// Whether all was taken; none while that is open, and `waker` is then called once it is not.
    pub(crate) fn poll(&self, ticket: &Ticket, waker: &Waker) -> Option<bool> {
        let mut state = self.state();
        match state.writes.iter_mut().find(|write| write.ticket.is_same(ticket)) {
            Some(write) => {
                write.waker = Some(waker.clone());
                None
            }
            None => Some(ticket.written() == ticket.bytes),
        }
    }

    /// As [`poll`](Self::poll), on this thread; none when `until` has come.
    pub(crate) fn wait(&self, ticket: &Ticket, until: Option<Instant>) -> Option<bool> {
        let mut state = self.state();
        while state.writes.iter().any(|write| write.ticket.is_same(ticket)) {
            state = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                Some(left) if left.is_zero() => return None,
                Some(left) => {
                    let waited = self.moved.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.moved.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        Some(ticket.written() == ticket.bytes)
    }

    /// Types what the terminal takes now.
    fn advance(&self) {
        let mut state = self.state();
        let State { master: Some(master), writes } = &mut *state else { return };
        while let Some(write) = writes.front_mut() {
            let done = write.ticket.written();
            match rustix::io::write(&*master, write.bytes.get(done..).unwrap_or_default()) {
                Ok(count) => {
                    write.ticket.written.fetch_add(count, Ordering::AcqRel);
                    if done + count >= write.ticket.bytes {
                        self.settle(writes.pop_front());
                    }
                }
                Err(Errno::AGAIN | Errno::INTR) => return,
                Err(_) => {
                    let all: Vec<Write> = writes.drain(..).collect();
                    self.settle(all);
                }
            }
        }
    }

    fn settle(&self, writes: impl IntoIterator<Item = Write>) {
        for waker in writes.into_iter().filter_map(|write| write.waker) {
            waker.wake();
        }
        self.moved.notify_all();
    }

    /// Closes the owner's end; what was not typed never will be.
    fn close(&self) {
        let mut state = self.state();
        state.master = None;
        let all: Vec<Write> = state.writes.drain(..).collect();
        drop(state);
        self.settle(all);
    }
}

/// What the thread beside the command has of the line.
pub(crate) struct Line {
    keyboard: Arc<Keyboard>,
    /// The same end, to be waited for without the lock.
    master: OwnedFd,
    shows: bool,
    sink: Box<dyn Sink>,
    chunk: Box<[u8]>,
}

impl Line {
    pub(crate) fn new(master: OwnedFd, sink: Box<dyn Sink>) -> std::io::Result<Self> {
        let state = State { master: Some(master.try_clone()?), writes: VecDeque::new() };
        Ok(Self {
            keyboard: Arc::new(Keyboard { state: Mutex::new(state), moved: Condvar::new() }),
            master,
            shows: true,
            sink,
            chunk: vec![0; CHUNK_BYTES].into_boxed_slice(),
        })
    }

    pub(crate) fn keyboard(&self) -> Arc<Keyboard> {
        Arc::clone(&self.keyboard)
    }

    /// Whether all programs closed their end.
    pub(crate) fn is_closed(&self) -> bool {
        !self.shows
    }

    pub(crate) fn interest(&self) -> Option<PollFd<'_>> {
        let mut flags = PollFlags::IN;
        if !self.keyboard.state().writes.is_empty() {
            flags |= PollFlags::OUT;
        }
        self.shows.then(|| PollFd::from_borrowed_fd(self.master.as_fd(), flags))
    }

    pub(crate) fn advance(&mut self) {
        self.keyboard.advance();
        for _ in 0..READS {
            if !self.shows {
                return;
            }
            match rustix::io::read(&self.master, &mut *self.chunk) {
                Ok(0) => self.shows = false,
                Ok(count) => {
                    self.sink.take(self.chunk.get(..count).unwrap_or_default());
                    self.keyboard.answer(self.sink.answer());
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // Its programs closed their end: on Linux that is an error, `EIO`.
                Err(_) => self.shows = false,
            }
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.keyboard.close();
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("shows", &self.shows).finish_non_exhaustive()
    }
}
