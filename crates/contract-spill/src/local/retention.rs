//! What is kept: an age and a total, neither of which touches what a live session points at.

use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::dir::{PrivateDir, TextFile};
use super::session::IdleDir;
use super::{LocalConfig, Shared, name};
use crate::error::SpillError;

/// How long the known total is trusted: other processes save under the same root.
const SWEEP_EVERY: Duration = Duration::from_secs(5 * 60);

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Files that went.
    pub removed_files: u64,
    /// Their bytes.
    pub removed_bytes: u64,
    /// Bytes in the files that stay.
    pub kept_bytes: u64,
}

/// The total as this process knows it.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    known: Option<Known>,
    /// Bytes of texts that are being saved.
    pending_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    kept_bytes: u64,
    swept_at: Instant,
}

impl Ledger {
    fn kept_bytes(&self) -> u64 {
        self.known.map_or(0, |known| known.kept_bytes).saturating_add(self.pending_bytes)
    }

    fn learn(&mut self, swept: &Swept) {
        self.known = Some(Known { kept_bytes: swept.kept_bytes, swept_at: Instant::now() });
    }

    fn is_current(&self) -> bool {
        self.known.is_some_and(|known| known.swept_at.elapsed() < SWEEP_EVERY)
    }
}

/// Room for one text.
pub(super) struct Room<'a> {
    shared: &'a Shared,
    bytes: u64,
    is_used: bool,
}

impl Room<'_> {
    pub(super) fn use_up(mut self) {
        self.is_used = true;
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        let mut ledger = self.shared.ledger();
        ledger.pending_bytes = ledger.pending_bytes.saturating_sub(self.bytes);
        if let Some(known) = ledger.known.as_mut().filter(|_| self.is_used) {
            known.kept_bytes = known.kept_bytes.saturating_add(self.bytes);
        }
    }
}

impl Shared {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sweeps as if nothing were to be saved.
    pub(super) fn sweep(&self, root: &PrivateDir) -> Result<Swept, SpillError> {
        let mut ledger = self.ledger();
        let swept = sweep(root, &self.config, 0)?;
        ledger.learn(&swept);
        Ok(swept)
    }

    /// Makes room for a text. The total is a hard limit within this
    /// process: what live sessions keep may leave none. A text
    /// that is being saved during a sweep counts twice at most, never not at all.
    pub(super) fn reserve(&self, root: &PrivateDir, bytes: u64) -> Result<Room<'_>, SpillError> {
        let max = self.config.max_total_bytes;
        // Held for the whole sweep, so that two texts do not take the same room.
        let mut ledger = self.ledger();
        if !ledger.is_current() || ledger.kept_bytes().saturating_add(bytes) > max {
            let needed = ledger.pending_bytes.saturating_add(bytes);
            ledger.learn(&sweep(root, &self.config, needed)?);
        }
        let kept = ledger.kept_bytes();
        if kept.saturating_add(bytes) > max {
            return Err(SpillError::QuotaExceeded { needed: bytes, kept, max });
        }
        ledger.pending_bytes = ledger.pending_bytes.saturating_add(bytes);
        Ok(Room { shared: self, bytes, is_used: false })
    }
}

/// Removes everything of one session that is live nowhere else; whether it could.
pub(super) fn forget(root: &PrivateDir, directory: &str) -> Result<Option<Swept>, SpillError> {
    let mut swept = Swept::default();
    let Some(dir) = root.existing_child(directory)? else { return Ok(Some(swept)) };
    let Ok(idle) = IdleDir::of(dir) else { return Ok(None) };
    for file in idle.dir.texts()? {
        idle.dir.remove(&file.name)?;
        swept.removed(&file);
    }
    remove_if_empty(root, directory, &idle);
    Ok(Some(swept))
}

/// A file that may go, and where it is.
struct Candidate {
    directory: String,
    file: TextFile,
}

fn sweep(root: &PrivateDir, config: &LocalConfig, needed: u64) -> Result<Swept, SpillError> {
    let mut swept = Swept::default();
    let mut candidates = Vec::new();
    for directory in root.names()?.into_iter().filter(|name| name::is_session_dir(name)) {
        // One directory that cannot be read does not keep the others from being swept.
        if let Err(error) = look(root, &directory, config.max_age, &mut swept, &mut candidates) {
            tracing::debug!(error = error.line(), "a spill directory is left out");
        }
    }
    candidates
        .sort_by(|a, b| (a.file.modified, &a.file.name).cmp(&(b.file.modified, &b.file.name)));
    for candidate in candidates {
        if swept.kept_bytes.saturating_add(needed) <= config.max_total_bytes {
            break;
        }
        if remove(root, &candidate).unwrap_or(false) {
            swept.kept_bytes -= candidate.file.bytes;
            swept.removed(&candidate.file);
        }
    }
    Ok(swept)
}

impl Swept {
    fn removed(&mut self, file: &TextFile) {
        self.removed_files += 1;
        self.removed_bytes += file.bytes;
    }
}

/// Removes what is too old in one directory, and notes what may go if room is needed.
fn look(
    root: &PrivateDir,
    directory: &str,
    max_age: Duration,
    swept: &mut Swept,
    candidates: &mut Vec<Candidate>,
) -> Result<(), SpillError> {
    let Some(dir) = root.existing_child(directory)? else { return Ok(()) };
    let idle = match IdleDir::of(dir) {
        Ok(idle) => idle,
        Err(live) => {
            swept.kept_bytes += live.texts()?.iter().map(|file| file.bytes).sum::<u64>();
            return Ok(());
        }
    };
    let now = SystemTime::now();
    for file in idle.dir.texts()? {
        let age = now.duration_since(file.modified).unwrap_or_default();
        if age >= max_age && idle.dir.remove(&file.name).is_ok() {
            swept.removed(&file);
        } else {
            swept.kept_bytes += file.bytes;
            candidates.push(Candidate { directory: directory.to_owned(), file });
        }
    }
    remove_if_empty(root, directory, &idle);
    Ok(())
}

/// Removes one file, unless its session has become live; whether it went.
fn remove(root: &PrivateDir, candidate: &Candidate) -> Result<bool, SpillError> {
    let Some(dir) = root.existing_child(&candidate.directory)? else { return Ok(false) };
    let Ok(idle) = IdleDir::of(dir) else { return Ok(false) };
    idle.dir.remove(&candidate.file.name)?;
    remove_if_empty(root, &candidate.directory, &idle);
    Ok(true)
}

/// An idle directory with nothing in it but its lock goes. Who opens it at this moment makes a new one, or
/// has put something into it again; then it stays.
fn remove_if_empty(root: &PrivateDir, name: &str, idle: &IdleDir) {
    let only_own = |name: &String| matches!(name.as_str(), "." | ".." | name::LOCK);
    let is_empty = idle.dir.names().is_ok_and(|names| names.iter().all(only_own));
    if is_empty {
        let removed = idle.dir.remove(name::LOCK).and_then(|()| root.remove_dir(name));
        if let Err(error) = removed {
            tracing::debug!(error = error.line(), "an empty spill directory stays");
        }
    }
}
