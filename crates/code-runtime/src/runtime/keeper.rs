//! The thread that starts workers, wakes their runs, ends them in time and reaps them.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread::JoinHandle;

use rustix::process::{PidfdFlags, pidfd_open};

use super::reactor::{Reactor, Source};
use super::slot::{Slot, Why};
use super::start::start;
use crate::config::Config;

/// What runs and the keeper share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) config: Arc<Config>,
    pub(super) reactor: Reactor,
    desk: Mutex<Desk>,
}

#[derive(Debug, Default)]
struct Desk {
    idle: VecDeque<Arc<Slot>>,
    asked: Vec<Arc<Asked>>,
    retired: Vec<Arc<Slot>>,
    refill: bool,
    quit: bool,
    alive: usize,
}

/// Why there is no worker for a run.
#[derive(Debug)]
pub(super) enum NoWorker {
    /// The runtime was dropped.
    Gone,
    /// None could be started.
    Start(io::Error),
}

/// A run that waits for a worker.
#[derive(Debug, Default)]
pub(super) struct Asked {
    state: Mutex<Answer>,
}

#[derive(Debug, Default)]
struct Answer {
    worker: Option<Result<Arc<Slot>, NoWorker>>,
    waker: Option<Waker>,
}

impl Asked {
    /// The worker, once it is started.
    pub(super) fn poll(&self, waker: &Waker) -> Option<Result<Arc<Slot>, NoWorker>> {
        let mut state = lock(&self.state);
        let answer = state.worker.take();
        if answer.is_none() {
            state.waker = Some(waker.clone());
        }
        answer
    }

    fn answer(&self, answer: Result<Arc<Slot>, NoWorker>) {
        let mut state = lock(&self.state);
        state.worker = Some(answer);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// A worker that is ready, or a place in the queue for one.
    pub(super) fn obtain(&self) -> Result<Arc<Slot>, Arc<Asked>> {
        let mut desk = lock(&self.desk);
        if let Some(slot) = desk.idle.pop_front() {
            return Ok(slot);
        }
        let asked = Arc::new(Asked::default());
        if desk.quit {
            asked.answer(Err(NoWorker::Gone));
        } else {
            desk.asked.push(Arc::clone(&asked));
            self.reactor.wake();
        }
        Err(asked)
    }

    /// Gives a worker back, to be ended. Another is started in its place.
    pub(super) fn retire(&self, slot: Arc<Slot>) {
        let mut desk = lock(&self.desk);
        desk.retired.push(slot);
        desk.refill = true;
        drop(desk);
        self.reactor.wake();
    }

    /// Asks for the pool to be filled while nothing else is to be done.
    pub(super) fn refill(&self) {
        let mut desk = lock(&self.desk);
        if desk.idle.is_empty() && self.config.pool_workers > 0 && !desk.refill {
            desk.refill = true;
            drop(desk);
            self.reactor.wake();
        }
    }

    pub(super) fn alive(&self) -> usize {
        lock(&self.desk).alive
    }
}

/// Owner of the keeper's thread.
#[derive(Debug)]
pub(super) struct Keeper {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    pub(super) fn start(config: Arc<Config>) -> io::Result<Self> {
        let desk = Mutex::new(Desk { refill: true, ..Desk::default() });
        let shared = Arc::new(Shared { config, reactor: Reactor::new()?, desk });
        let mut work = Work { shared: Arc::clone(&shared), slots: BTreeMap::new(), last: 0 };
        let thread = std::thread::Builder::new()
            .name("code-keeper".to_owned())
            .spawn(move || work.until_quit())?;
        shared.reactor.wake();
        Ok(Self { shared, thread: Some(thread) })
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        lock(&self.shared.desk).quit = true;
        self.shared.reactor.wake();
        if let Some(thread) = self.thread.take() {
            // It does not panic; if it did, its workers ended with it.
            let _ = thread.join();
        }
    }
}

/// What the thread itself holds: every worker, with the descriptor that tells of its end.
struct Work {
    shared: Arc<Shared>,
    slots: BTreeMap<u64, (Arc<Slot>, Option<OwnedFd>)>,
    last: u64,
}

impl Work {
    fn until_quit(&mut self) {
        while !lock(&self.shared.desk).quit {
            for source in self.shared.reactor.wait() {
                match source {
                    Source::Orders => self.orders(),
                    Source::Socket(number) => self.with(number, |slot| slot.wake()),
                    Source::Timer(number) => self.with(number, |slot| {
                        slot.timer_went_off();
                    }),
                    Source::Process(number) => self.ended(number),
                }
            }
        }
        self.quit();
    }

    fn with(&self, number: u64, act: impl FnOnce(&Slot)) {
        if let Some((slot, _)) = self.slots.get(&number) {
            act(slot);
        }
    }

    fn orders(&mut self) {
        let (asked, retired, refill) = {
            let mut desk = lock(&self.shared.desk);
            let refill = std::mem::take(&mut desk.refill);
            (std::mem::take(&mut desk.asked), std::mem::take(&mut desk.retired), refill)
        };
        for asked in asked {
            let started = self.start();
            asked.answer(started.map_err(NoWorker::Start));
        }
        for slot in retired {
            slot.kill(Why::Retired);
            self.ended(slot.number);
        }
        if refill {
            self.fill_pool();
        }
    }

    fn fill_pool(&mut self) {
        while lock(&self.shared.desk).idle.len() < self.shared.config.pool_workers {
            // The run that needs one will be told why.
            let Ok(slot) = self.start() else { return };
            lock(&self.shared.desk).idle.push_back(slot);
        }
    }

    fn start(&mut self) -> io::Result<Arc<Slot>> {
        self.last += 1;
        let slot = Arc::new(start(self.last, &self.shared.config)?);
        let watched = self.watch(&slot);
        let end = match watched {
            Ok(end) => end,
            Err(error) => {
                slot.put_away();
                return Err(error);
            }
        };
        self.slots.insert(slot.number, (Arc::clone(&slot), end));
        self.count();
        Ok(slot)
    }

    fn watch(&self, slot: &Slot) -> io::Result<Option<OwnedFd>> {
        let reactor = &self.shared.reactor;
        reactor.watch(&slot.stream, Source::Socket(slot.number))?;
        reactor.watch(&slot.timer, Source::Timer(slot.number))?;
        let Some(pid) = slot.pid() else { return Ok(None) };
        let end = pidfd_open(pid, PidfdFlags::empty())?;
        reactor.watch(&end, Source::Process(slot.number))?;
        Ok(Some(end))
    }

    /// Reaps a worker that has ended, and forgets it.
    fn ended(&mut self, number: u64) {
        let Some((slot, _)) = self.slots.get(&number) else { return };
        if !slot.reap() {
            return;
        }
        self.shared.reactor.forget(&slot.stream);
        self.shared.reactor.forget(&slot.timer);
        self.slots.remove(&number);
        lock(&self.shared.desk).idle.retain(|idle| idle.number != number);
        self.count();
    }

    fn count(&self) {
        lock(&self.shared.desk).alive = self.slots.len();
    }

    fn quit(&mut self) {
        for (_, (slot, _)) in std::mem::take(&mut self.slots) {
            slot.put_away();
        }
        let asked = std::mem::take(&mut lock(&self.shared.desk).asked);
        for asked in asked {
            asked.answer(Err(NoWorker::Gone));
        }
        lock(&self.shared.desk).idle.clear();
        self.count();
    }
}
