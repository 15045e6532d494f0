//! Advisory locks between processes: on the folder while a file in it is changed, on a temporary file while
//! its writer lives. The system releases them when the process ends, however it ends.

use std::time::{Duration, Instant};

use rustix::fd::OwnedFd;
use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::{Patience, PublishError};

/// The first and the longest pause between two tries. Short, because a writer holds a lock for milliseconds
/// and takes it again soon; there is no waiting for a lock that a cancelled call could be woken from.
const PAUSE_FIRST: Duration = Duration::from_micros(100);
const PAUSE_MAX: Duration = Duration::from_millis(2);

/// What came of one try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// It is held, until the descriptor is closed.
    Held,
    /// Someone else has it.
    Taken,
    /// The file system has no such locks.
    Unsupported,
}

/// Tries once.
pub(super) fn try_lock(fd: &OwnedFd) -> Lock {
    loop {
        match rustix::fs::flock(fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Lock::Held,
            Err(Errno::INTR) => {}
            Err(Errno::WOULDBLOCK) => return Lock::Taken,
            Err(_) => return Lock::Unsupported,
        }
    }
}

/// Waits for the lock, up to `until`; `false` when there are no locks here.
pub(super) fn lock(
    fd: &OwnedFd,
    patience: Patience<'_>,
    until: Instant,
) -> Result<bool, PublishError> {
    let mut pause = PAUSE_FIRST;
    loop {
        match try_lock(fd) {
            Lock::Held => return Ok(true),
            Lock::Unsupported => return Ok(false),
            Lock::Taken if (patience.is_cancelled)() => return Err(PublishError::Cancelled),
            Lock::Taken if Instant::now() >= until => return Err(PublishError::Locked),
            Lock::Taken => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
}
