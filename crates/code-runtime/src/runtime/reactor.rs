//! Readiness of descriptors, for futures under any async runtime.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{EventfdFlags, epoll, eventfd};

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Somebody has orders for the keeper.
    Orders,
    /// The socket of a worker.
    Socket(u64),
    /// A worker's process ended.
    Process(u64),
    /// A worker's time is over.
    Timer(u64),
}

impl Source {
    fn number(self) -> u64 {
        match self {
            Self::Orders => 0,
            Self::Socket(worker) => worker << 2 | 1,
            Self::Process(worker) => worker << 2 | 2,
            Self::Timer(worker) => worker << 2 | 3,
        }
    }

    fn of(number: u64) -> Self {
        match number & 3 {
            0 => Self::Orders,
            1 => Self::Socket(number >> 2),
            2 => Self::Process(number >> 2),
            _ => Self::Timer(number >> 2),
        }
    }
}

/// An epoll instance and the descriptor that wakes it.
#[derive(Debug)]
pub(super) struct Reactor {
    epoll: OwnedFd,
    wake: OwnedFd,
}

impl Reactor {
    pub(super) fn new() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let data = epoll::EventData::new_u64(Source::Orders.number());
        epoll::add(&epoll, &wake, data, epoll::EventFlags::IN)?;
        Ok(Self { epoll, wake })
    }

    /// Wakes the keeper.
    pub(super) fn wake(&self) {
        // Full means that it is awake.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Watches a descriptor: a socket only when asked by [`Reactor::arm`], the others until they are closed.
    pub(super) fn watch(&self, descriptor: impl AsFd, source: Source) -> io::Result<()> {
        let flags = match source {
            Source::Socket(_) => epoll::EventFlags::ONESHOT,
            Source::Orders | Source::Process(_) | Source::Timer(_) => epoll::EventFlags::IN,
        };
        let data = epoll::EventData::new_u64(source.number());
        Ok(epoll::add(&self.epoll, descriptor, data, flags)?)
    }

    /// Tells once when the socket can be read, or written.
    pub(super) fn arm(&self, socket: impl AsFd, worker: u64, write: bool) -> io::Result<()> {
        let mut flags = epoll::EventFlags::IN | epoll::EventFlags::ONESHOT;
        flags.set(epoll::EventFlags::OUT, write);
        let data = epoll::EventData::new_u64(Source::Socket(worker).number());
        Ok(epoll::modify(&self.epoll, socket, data, flags)?)
    }

    /// No longer watches a descriptor.
    pub(super) fn forget(&self, descriptor: impl AsFd) {
        // It may never have been watched.
        let _ = epoll::delete(&self.epoll, descriptor);
    }

    /// Waits for events.
    pub(super) fn wait(&self) -> Vec<Source> {
        let mut events = Vec::with_capacity(64);
        // An interrupted wait gives none.
        let _ = epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut events), None);
        let sources: Vec<Source> =
            events.iter().map(|event: &epoll::Event| Source::of(event.data.u64())).collect();
        if sources.contains(&Source::Orders) {
            let mut count = [0; 8];
            let _ = rustix::io::read(&self.wake, &mut count);
        }
        sources
    }
}
