//! The directory of a session and its lock: shared by the processes in which the session is live,
//! exclusive for the one that sweeps it.

use std::fs::File;
use std::io;
use std::sync::{Arc, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::Shared;
use super::dir::PrivateDir;
use crate::error::SpillError;

/// How often a sweep is waited for, and the pause between: it holds a directory for moments.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// A session's directory, live for as long as this is.
#[derive(Debug)]
pub(super) struct SessionDir {
    pub(super) dir: PrivateDir,
    /// `None` where the file system has no locks. A sweep gets none there either, and removes nothing.
    _lock: Option<File>,
}

/// A session's directory that is live nowhere and stays so for as long as this is.
#[derive(Debug)]
pub(super) struct IdleDir {
    pub(super) dir: PrivateDir,
    _lock: File,
}

impl SessionDir {
    /// Takes the directory's lock; `None` when the directory was removed while it was opened.
    fn hold(root: &PrivateDir, name: &str, dir: PrivateDir) -> Result<Option<Self>, SpillError> {
        let file = match dir.lock_file() {
            Ok(file) => file,
            Err(SpillError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let lock = shared_lock(file, &dir)?;
        let is_current = lock.as_ref().is_none_or(|lock| dir.is_locked_by(lock));
        Ok((is_current && root.still_holds(name, &dir)).then_some(Self { dir, _lock: lock }))
    }
}

fn shared_lock(file: File, dir: &PrivateDir) -> Result<Option<File>, SpillError> {
    for _ in 0..ATTEMPTS {
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => return Ok(Some(file)),
            Err(Errno::WOULDBLOCK | Errno::INTR) => sleep(PAUSE),
            Err(error) => {
                tracing::debug!(%error, directory = %dir.path().display(), "no locks here");
                return Ok(None);
            }
        }
    }
    Err(SpillError::Locked { path: dir.path().to_owned() })
}

impl IdleDir {
    /// The directory `name`, if no process has it live. The other result is that directory as it is.
    pub(super) fn of(dir: PrivateDir) -> Result<Self, PrivateDir> {
        let Ok(lock) = dir.lock_file() else { return Err(dir) };
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            // The lock of a file that another sweep removed says nothing.
            Ok(()) if dir.is_locked_by(&lock) => Ok(Self { dir, _lock: lock }),
            Ok(()) | Err(_) => Err(dir),
        }
    }
}

impl Shared {
    /// The session's directory, made if it is not there, and held from now on.
    pub(super) fn session(
        &self,
        root: &PrivateDir,
        name: &str,
    ) -> Result<Arc<SessionDir>, SpillError> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if let Some(held) = held.filter(|held| root.still_holds(name, &held.dir)) {
            return Ok(held);
        }
        // A directory that is swept away meanwhile is made anew.
        for _ in 0..ATTEMPTS {
            if let Some(dir) = root.child(name)?
                && let Some(session) = SessionDir::hold(root, name, dir)?
            {
                return Ok(self.keep(name, session));
            }
        }
        Err(SpillError::Locked { path: root.path().join(name) })
    }

    /// Holds the session's directory if there is one.
    pub(super) fn existing_session(&self, root: &PrivateDir, name: &str) -> Result<(), SpillError> {
        if let Some(dir) = root.existing_child(name)?
            && let Some(session) = SessionDir::hold(root, name, dir)?
        {
            self.keep(name, session);
        }
        Ok(())
    }

    fn keep(&self, name: &str, session: SessionDir) -> Arc<SessionDir> {
        let session = Arc::new(session);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.insert(name.to_owned(), Arc::clone(&session));
        session
    }
}
