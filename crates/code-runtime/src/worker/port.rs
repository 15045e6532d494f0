//! The worker's end of the socket.

use std::convert::Infallible;
use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::RecvFlags;

use crate::wire::{Frame, FrameKind, Inbox, Writer, put};

/// What was queued this long ago is sent even while the program keeps computing.
const STALE: Duration = Duration::from_millis(1);

/// Frames on their way out.
#[derive(Debug)]
pub(crate) struct Outlet {
    stream: UnixStream,
    queued: Vec<u8>,
    since: Option<Instant>,
}

impl Outlet {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self { stream, queued: Vec::new(), since: None }
    }

    /// Queues a frame.
    pub(crate) fn queue(&mut self, kind: FrameKind, id: u32, fill: impl FnOnce(&mut Writer<'_>)) {
        let Ok(()) = self.try_queue::<Infallible>(kind, id, |out| {
            fill(&mut Writer { out });
            Ok(())
        });
    }

    /// Queues a frame unless its payload cannot be written.
    pub(crate) fn try_queue<E>(
        &mut self,
        kind: FrameKind,
        id: u32,
        fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        put(&mut self.queued, kind, id, fill)?;
        if self.since.is_none() {
            self.since = Some(Instant::now());
        }
        Ok(())
    }

    /// Sends all that is queued.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.queued.is_empty() {
            return Ok(());
        }
        let sent = self.stream.write_all(&self.queued);
        self.queued.clear();
        self.queued.shrink_to(1 << 20);
        self.since = None;
        sent
    }

    /// Sends what waits for long.
    pub(crate) fn flush_stale(&mut self) -> io::Result<()> {
        match self.since {
            Some(since) if since.elapsed() >= STALE => self.flush(),
            _ => Ok(()),
        }
    }
}

/// Frames on their way in.
#[derive(Debug)]
pub(crate) struct Intake {
    stream: UnixStream,
    inbox: Inbox,
    poll: Duration,
}

/// What waiting for a frame gave.
pub(crate) enum Incoming<'a> {
    Frame(Frame<'a>),
    /// The moment came first.
    Timeout,
    /// The host is gone, or does not keep to the protocol.
    Closed,
}

/// Longest frame before the limits are known.
const SETUP_BYTES: usize = 4096;

impl Intake {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self { stream, inbox: Inbox::new(SETUP_BYTES), poll: Duration::ZERO }
    }

    pub(crate) fn set_up(&mut self, max_payload: usize, poll: Duration) {
        self.inbox.set_max_payload(max_payload);
        self.poll = poll;
    }

    /// Waits for bytes, at most until `until`. Polls a while first: to wake a sleeping core takes longer than most
    /// answers.
    fn wait(&mut self, until: Option<Instant>) -> Waited {
        let began = Instant::now();
        loop {
            if let Some(waited) = self.fill() {
                return waited;
            }
            let now = Instant::now();
            let left = until.map(|until| until.saturating_duration_since(now));
            if left == Some(Duration::ZERO) {
                return Waited::Timeout;
            }
            if now - began < self.poll {
                std::thread::yield_now();
            } else {
                self.sleep(left);
            }
        }
    }

    fn fill(&mut self) -> Option<Waited> {
        let stream = &self.stream;
        let read = |room: &mut [u8]| Ok(rustix::net::recv(stream, room, RecvFlags::DONTWAIT)?.0);
        match self.inbox.fill(read) {
            Ok(0) => Some(Waited::Closed),
            Ok(_) => Some(Waited::Came),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
            Err(_) => Some(Waited::Closed),
        }
    }

    fn sleep(&self, left: Option<Duration>) {
        let mut watched = [PollFd::new(&self.stream, PollFlags::IN)];
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        // An interrupted wait is looked at again like any other.
        let _ = poll(&mut watched, left.as_ref());
    }

    /// The next frame, waited for.
    pub(crate) fn next(&mut self, until: Option<Instant>) -> Incoming<'_> {
        loop {
            match self.inbox.has_next() {
                Err(_) => return Incoming::Closed,
                Ok(true) => break,
                Ok(false) => match self.wait(until) {
                    Waited::Came => {}
                    Waited::Timeout => return Incoming::Timeout,
                    Waited::Closed => return Incoming::Closed,
                },
            }
        }
        match self.inbox.next() {
            Ok(Some(frame)) => Incoming::Frame(frame),
            Ok(None) | Err(_) => Incoming::Closed,
        }
    }
}

/// What waiting for bytes gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    Came,
    Timeout,
    Closed,
}
