//! One worker as its host sees it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};

/// Why a worker was ended from this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The program's time is over.
    Wall,
    /// It did not say that it is a worker.
    Silent,
    /// Nobody wants it any more.
    Retired,
}

/// What a worker is.
#[derive(Debug)]
pub(super) enum Body {
    Process(Child),
    Thread(Arc<AtomicBool>),
}

#[derive(Debug)]
struct State {
    body: Body,
    waker: Option<Waker>,
    why: Option<Why>,
    /// What the timer means when it goes off.
    timer: Why,
    /// It is gone, and how if it was a process.
    over: Option<Option<ExitStatus>>,
}

/// One worker.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) number: u64,
    pub(super) stream: UnixStream,
    pub(super) timer: OwnedFd,
    state: Mutex<State>,
}

impl Slot {
    pub(super) fn new(number: u64, stream: UnixStream, timer: OwnedFd, body: Body) -> Self {
        let state = State { body, waker: None, why: None, timer: Why::Wall, over: None };
        Self { number, stream, timer, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the worker after this time, for that reason.
    pub(super) fn end_after(&self, time: Duration, why: Why) -> io::Result<()> {
        self.state().timer = why;
        let once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let time = time.max(Duration::from_nanos(1));
        let value = Timespec::try_from(time).map_err(|_| io::ErrorKind::InvalidInput)?;
        timerfd_settime(
            &self.timer,
            TimerfdTimerFlags::empty(),
            &Itimerspec { it_interval: once, it_value: value },
        )?;
        Ok(())
    }

    pub(super) fn timer_went_off(&self) {
        let why = self.state().timer;
        self.kill(why);
    }

    /// Ends it at once. The first reason counts.
    pub(super) fn kill(&self, why: Why) {
        let mut state = self.state();
        if state.over.is_some() {
            return;
        }
        state.why.get_or_insert(why);
        match &mut state.body {
            // It is unreaped, so the id is its own.
            Body::Process(child) => drop(child.kill()),
            Body::Thread(stop) => {
                stop.store(true, Ordering::Relaxed);
                let _ = self.stream.shutdown(std::net::Shutdown::Both);
                state.over = Some(None);
            }
        }
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Reaps the process if it has ended. Whether it is gone.
    pub(super) fn reap(&self) -> bool {
        let mut state = self.state();
        if let Body::Process(child) = &mut state.body
            && let Ok(Some(status)) = child.try_wait()
        {
            state.over = Some(Some(status));
        }
        let over = state.over.is_some();
        let waker = if over { state.waker.take() } else { None };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        over
    }

    /// Kills it and waits until it is gone.
    pub(super) fn put_away(&self) {
        self.kill(Why::Retired);
        let mut state = self.state();
        let over = state.over.is_some();
        if let Body::Process(child) = &mut state.body
            && !over
        {
            let status = child.wait().ok();
            state.over = Some(status);
        }
        if let Some(waker) = state.waker.take() {
            drop(state);
            waker.wake();
        }
    }

    pub(super) fn wake(&self) {
        let waker = self.state().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(super) fn set_waker(&self, waker: &Waker) {
        let mut state = self.state();
        match &mut state.waker {
            Some(before) => before.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }

    pub(super) fn why(&self) -> Option<Why> {
        self.state().why
    }

    /// Whether it is gone, and how if it was a process.
    pub(super) fn over(&self) -> Option<Option<ExitStatus>> {
        self.state().over
    }

    /// The process to watch for its end.
    pub(super) fn pid(&self) -> Option<rustix::process::Pid> {
        match &self.state().body {
            Body::Process(child) => {
                i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
            }
            Body::Thread(_) => None,
        }
    }
}
