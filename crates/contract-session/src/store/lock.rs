//! One process at a time: the lock of a session, and who holds it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock, fstat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::dir::Dir;
use crate::error::SessionError;
use crate::id::SessionId;
use crate::journal::now_ms;

const LOCK_FILE: &str = "lock";

/// How often the lock is asked for before a session counts as in use, and the pause between. A listing
/// holds it for a moment; a holder needs a moment to say who it is.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// Most characters of a command line that are kept.
const COMMAND_CHARS: usize = 200;

/// Most bytes of a lock file that are read.
const OWNER_BYTES: u64 = 4096;

/// Who has a session open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// Its process.
    pub pid: u32,
    /// The host it runs on.
    pub host: String,
    /// Its command line, cut to 200 characters.
    pub command: String,
    /// Since when: milliseconds since 1970.
    pub since: u64,
}

impl Owner {
    /// This process.
    fn this_process() -> Self {
        let words: Vec<_> = std::env::args_os().map(|word| word.display().to_string()).collect();
        Self {
            pid: std::process::id(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            command: words.join(" ").chars().take(COMMAND_CHARS).collect(),
            since: now_ms(),
        }
    }

    /// The owner for a message, also when it is not known.
    pub(crate) fn describe(owner: Option<&Self>) -> String {
        owner.map_or_else(|| "another process".to_owned(), Self::to_string)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {} ({})", self.pid, self.host, self.command)
    }
}

/// The lock of one session, held until dropped. The kernel lets go of it when the process dies, however
/// it dies.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock; `None` when the session's directory was removed in the meantime.
    pub(crate) fn acquire(dir: &Dir, id: &SessionId) -> Result<Option<Self>, SessionError> {
        let fault = || SessionError::io("lock", dir.path().join(LOCK_FILE));
        let file = match dir.file(LOCK_FILE, OFlags::RDWR | OFlags::CREATE) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault()(error)),
        };
        if !wait_for(&file).map_err(fault())? {
            return Err(SessionError::InUse { id: id.clone(), owner: read_owner(&file) });
        }
        if fstat(&file).map_err(io::Error::from).map_err(fault())?.st_nlink == 0 {
            return Ok(None);
        }
        let lock = Self { file };
        // Only a courtesy to whoever finds the session in use: a full disk must not keep it shut.
        let _ = lock.write_owner();
        Ok(Some(lock))
    }

    fn write_owner(&self) -> io::Result<()> {
        let text = serde_json::to_vec(&Owner::this_process())?;
        self.file.set_len(0)?;
        (&self.file).write_all(&text)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Whoever comes next writes its own; an old one does no harm.
        let _ = self.file.set_len(0);
    }
}

/// Whether a session is in use, and by whom as far as that process said.
pub(crate) fn holder(dir: &Dir) -> Option<Option<Owner>> {
    let file = dir.file(LOCK_FILE, OFlags::RDONLY).ok()?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Err(Errno::WOULDBLOCK) => Some(read_owner(&file)),
        Ok(()) | Err(_) => None,
    }
}

/// Asks for the lock a few times; whether it was given.
fn wait_for(file: &File) -> io::Result<bool> {
    for attempt in 1..=ATTEMPTS {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) if attempt < ATTEMPTS => sleep(PAUSE),
            Err(Errno::WOULDBLOCK) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

fn read_owner(file: &File) -> Option<Owner> {
    let mut text = Vec::new();
    file.take(OWNER_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
