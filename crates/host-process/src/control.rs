//! What an owner and a supervisor share: wishes one way, the result the other.

use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use rustix::io::ioctl_fionbio;
use rustix::process::Pid;

use crate::error::ProcessError;
use crate::leader::Orders;
use crate::output::Output;
use crate::running::Finished;
use crate::spool;

pub(crate) type Reply = Result<Finished, ProcessError>;

/// The controls of commands that may still run.
static LIVE: Mutex<Vec<Weak<Control>>> = Mutex::new(Vec::new());

#[derive(Debug)]
pub(crate) struct Control {
    state: Mutex<State>,
    settled: Condvar,
    /// A byte here wakes the supervisor. Absent where no pipe could be made, which fails the start.
    wake: Option<PipeWriter>,
    pub(crate) output: Output,
}

#[derive(Debug, Default)]
struct State {
    wish: Wish,
    /// Set once it runs.
    started: Option<(Pid, Orders)>,
    reply: Option<Reply>,
    waker: Option<Waker>,
    /// The result was given: nothing of the tree is left.
    settled: bool,
    /// The supervisor is through: nothing of its files is left either.
    done: bool,
}

/// What the owner wants of the supervisor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Wish {
    /// Stop at this moment, or before.
    pub(crate) stop_at: Option<Instant>,
    /// Do not wait for the grace time.
    pub(crate) kill: bool,
}

impl Control {
    pub(crate) fn new(output: Output) -> (Arc<Self>, io::Result<PipeReader>) {
        let (reader, wake) = match io::pipe() {
            // Waking must not wait, however often it is done.
            Ok((reader, writer)) => match ioctl_fionbio(&writer, true) {
                Ok(()) => (Ok(reader), Some(writer)),
                Err(error) => (Err(error.into()), None),
            },
            Err(error) => (Err(error), None),
        };
        let control =
            Arc::new(Self { state: Mutex::default(), settled: Condvar::new(), wake, output });
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        live.retain(|other| other.strong_count() > 0);
        live.push(Arc::downgrade(&control));
        (control, reader)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stop(&self) {
        self.stop_after(Duration::ZERO);
    }

    pub(crate) fn stop_after(&self, patience: Duration) {
        // A moment too far away to be told is no wish.
        let Some(at) = Instant::now().checked_add(patience) else { return };
        self.ask(|wish| wish.stop_at = Some(wish.stop_at.map_or(at, |before| before.min(at))));
    }

    fn ask(&self, change: impl FnOnce(&mut Wish)) {
        let mut state = self.state();
        if state.settled {
            return;
        }
        change(&mut state.wish);
        drop(state);
        self.nudge();
    }

    /// Has the supervisor look again.
    pub(crate) fn nudge(&self) {
        if let Some(mut wake) = self.wake.as_ref() {
            // In a full pipe there is a wake already; a supervisor that is gone needs none.
            let _ = wake.write(&[1]);
        }
    }

    /// Tells that it runs.
    pub(crate) fn started(&self, leader: Pid, orders: Orders) {
        self.state().started = Some((leader, orders));
        self.settled.notify_all();
    }

    /// Waits until it runs, or why it does not.
    pub(crate) fn wait_started(&self) -> Result<(Pid, Orders), ProcessError> {
        let mut state = self.state();
        loop {
            if let Some(started) = state.started.clone() {
                return Ok(started);
            }
            if let Some(reply) = state.reply.take() {
                // What finished has started before.
                return Err(reply.err().unwrap_or(ProcessError::NotStarted));
            }
            state = self.settled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Looks at the result, if there is one, and leaves it.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Reply) -> T) -> Option<T> {
        self.state().reply.as_ref().map(look)
    }

    pub(crate) fn wish(&self) -> Wish {
        self.state().wish
    }

    /// Gives the result, when nothing of the tree is left. Only the first counts.
    pub(crate) fn reply(&self, reply: Reply) {
        let mut state = self.state();
        if state.settled {
            return;
        }
        self.output.settle();
        state.reply = Some(reply);
        state.settled = true;
        let waker = state.waker.take();
        drop(state);
        self.settled.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Tells that the supervisor has nothing left to do.
    pub(crate) fn done(&self) {
        self.state().done = true;
        self.settled.notify_all();
    }

    pub(crate) fn poll(&self, waker: &Waker) -> Poll<Reply> {
        let mut state = self.state();
        match state.reply.take() {
            Some(reply) => Poll::Ready(reply),
            None => {
                state.waker = Some(waker.clone());
                Poll::Pending
            }
        }
    }

    pub(crate) fn wait(&self) -> Reply {
        let mut state = self.state();
        loop {
            if let Some(reply) = state.reply.take() {
                return reply;
            }
            state = self.settled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether it was through before `until`.
    fn gone_by(&self, until: Instant) -> bool {
        let mut state = self.state();
        while !state.done {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.settled.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

pub(crate) fn end_all(patience: Duration) -> usize {
    let now = Instant::now();
    let live: Vec<Arc<Control>> = {
        let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        live.iter().filter_map(Weak::upgrade).collect()
    };
    for control in &live {
        control.ask(|wish| *wish = Wish { stop_at: Some(now), kill: true });
    }
    let until = now + patience.min(Duration::from_secs(60 * 60));
    let remaining = live.iter().filter(|control| !control.gone_by(until)).count();
    spool::remove_unkept();
    remaining
}
