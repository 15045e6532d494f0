//! The host's end of one worker's socket.

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::task::Waker;
use std::time::{Duration, Instant};

use super::keeper::Shared;
use super::slot::Slot;
use crate::wire::{Broken, Frame, Inbox};

/// What reading gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    Bytes,
    Nothing,
    /// The worker's end is closed.
    Closed,
}

/// One worker's socket, with what came in and what waits to go out.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) slot: Arc<Slot>,
    shared: Arc<Shared>,
    inbox: Inbox,
    pub(super) outbox: Vec<u8>,
    sent: usize,
}

impl Link {
    pub(super) fn new(slot: Arc<Slot>, shared: Arc<Shared>) -> Self {
        let inbox = Inbox::new(shared.config.limits.payload_bytes());
        Self { slot, shared, inbox, outbox: Vec::new(), sent: 0 }
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, Broken> {
        self.inbox.next()
    }

    pub(super) fn hear(&mut self) -> Heard {
        let stream = &self.slot.stream;
        match self.inbox.fill(|room| {
            let mut stream = stream;
            stream.read(room)
        }) {
            Ok(0) => Heard::Closed,
            Ok(_) => Heard::Bytes,
            Err(error) if is_nothing_yet(&error) => Heard::Nothing,
            Err(_) => Heard::Closed,
        }
    }

    /// Polls for bytes before it gives up: what was just sent is mostly answered before a thread could be woken.
    pub(super) fn hear_soon(&mut self, within: Duration) -> Heard {
        let began = Instant::now();
        loop {
            let heard = self.hear();
            if heard != Heard::Nothing || began.elapsed() >= within {
                return heard;
            }
            std::thread::yield_now();
        }
    }

    /// Sends what the socket takes. Whether anything was sent.
    pub(super) fn send(&mut self) -> bool {
        let before = self.sent;
        while self.sent < self.outbox.len() {
            let rest = self.outbox.get(self.sent..).unwrap_or_default();
            match (&self.slot.stream).write(rest) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Full, or closed: reading tells.
                Err(_) => break,
            }
        }
        let sent = self.sent > before;
        if self.sent == self.outbox.len() {
            self.outbox.clear();
            self.outbox.shrink_to(1 << 20);
            self.sent = 0;
        }
        sent
    }

    /// Has `waker` woken when the socket can be read, or written if something waits to go out.
    pub(super) fn arm(&self, waker: &Waker) -> io::Result<()> {
        self.slot.set_waker(waker);
        self.shared.reactor.arm(&self.slot.stream, self.slot.number, !self.outbox.is_empty())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.shared.retire(Arc::clone(&self.slot));
    }
}

fn is_nothing_yet(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
