//! The seam between whoever tells and whatever keeps: `Journal`, and reading what was kept.

use std::fmt;

use crate::error::SessionError;
use crate::event::{Entry, Event, Record};
use crate::id::SessionId;
use crate::line;

/// An open session log: the one place a session's events go (contract L1).
///
/// A driver appends before it shows (contract L6). When [`Journal::append`] returns, the entry is in the
/// log, and as safe as the [`SyncPolicy`] says; when it fails, the log is as it was before.
///
/// # From async code
///
/// The methods block: an append without sync for a few microseconds, like any write to a file, one with
/// sync for as long as the disk takes, often milliseconds. Under [`SyncPolicy::EveryEntry`] call it on a
/// thread that may block (`tokio::task::spawn_blocking(move || journal.append(&event))` on a clone of
/// the `Arc`, say) and await that before anything is shown; under [`SyncPolicy::Never`] a direct call is
/// fine. Order is the order in which calls enter, so one task should append what has an order. A future
/// that is dropped while its append runs elsewhere does not undo the append.
pub trait Journal: fmt::Debug + Send + Sync {
    /// The session this is the log of.
    fn session(&self) -> &SessionId;

    /// Appends one entry.
    ///
    /// # Errors
    ///
    /// [`SessionError::Write`] when it could not be written or synced: the entry was taken back.
    /// [`SessionError::Broken`] once that itself failed, or after a failed sync; [`SessionError::Closed`]
    /// after [`Journal::close`]. All have the code `SESSION_WRITE_FAILED`.
    fn append(&self, event: &Event) -> Result<Appended, SessionError>;

    /// Appends entries that belong together: all of them or none, with one write and at most one sync.
    /// What came of each, in their order. Nothing else stands between them. Only a crash within the
    /// write may leave the first of them alone.
    ///
    /// # Errors
    ///
    /// As [`Journal::append`]; all entries were taken back.
    fn append_all(&self, events: &[Event]) -> Result<Vec<Appended>, SessionError>;

    /// Reads what has been appended until now, from the first entry.
    ///
    /// # Errors
    ///
    /// [`SessionError::Io`] when the log cannot be opened for reading; [`SessionError::Closed`].
    fn entries(&self) -> Result<Entries, SessionError>;

    /// Makes all that was appended safe against a crash of the machine, whatever the policy.
    ///
    /// # Errors
    ///
    /// [`SessionError::Write`], [`SessionError::Broken`] or [`SessionError::Closed`].
    fn sync(&self) -> Result<(), SessionError>;

    /// Syncs, unless the policy is [`SyncPolicy::Never`], and lets go of the session. Closing again does
    /// nothing. Dropping the journal lets go as well, but has nobody to report a failed sync to.
    ///
    /// # Errors
    ///
    /// [`SessionError::Write`] when the sync failed; the session is free all the same.
    fn close(&self) -> Result<(), SessionError>;
}

/// When an append is made safe against a crash of the machine. A crash of the process alone loses
/// nothing that was appended, under any policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SyncPolicy {
    /// When the system gets round to it.
    Never,
    /// Before the append returns (contract L1 to the letter).
    #[default]
    EveryEntry,
    /// With the first append that finds the last sync this long ago, and when the journal is closed.
    /// No timer runs: an idle log waits for its next entry, a sync or the close.
    Interval {
        /// Milliseconds between syncs.
        ms: u64,
    },
}

/// What an append came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// Number of the entry, from 1.
    pub seq: u64,
    /// Its time: milliseconds since 1970.
    pub at: u64,
    /// Whether it is safe against a crash of the machine.
    pub synced: bool,
}

impl Appended {
    /// Of `count` entries appended together, this being the first.
    pub(crate) fn run(self, count: usize) -> Vec<Self> {
        (self.seq..).take(count).map(|seq| Self { seq, ..self }).collect()
    }
}

/// What was dropped from the end of a log because a crash cut it off (contract L1). To be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// Line the entry would have had, from 1.
    pub line: u64,
    /// How many entries stand before it, whole.
    pub kept_entries: u64,
    /// How many bytes of it there were.
    pub dropped_bytes: u64,
    /// Its beginning, at most 200 characters, bytes that are not UTF-8 shown lossily.
    pub preview: String,
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, kept_entries, dropped_bytes, preview } = self;
        write!(
            f,
            "the last entry of the session log (line {line}, {dropped_bytes} bytes) was cut off and is dropped; {kept_entries} entries before it are intact; it began {preview:?}"
        )
    }
}

/// Where the lines of a log come from.
pub(crate) trait Lines: Send {
    /// The next whole line, without its line feed, as bytes.
    fn next_line(&mut self) -> Option<Result<Vec<u8>, SessionError>>;

    /// What was left over after the last whole line; known once that has been read.
    fn torn(&self) -> Option<&Recovery>;
}

/// The entries of a log, in order, read one at a time. It ends with the first that is damaged.
pub struct Entries {
    lines: Box<dyn Lines>,
    read: u64,
    failed: bool,
}

impl Entries {
    pub(crate) fn new(lines: Box<dyn Lines>) -> Self {
        Self { lines, read: 0, failed: false }
    }

    /// What a crash cut off at the end, or a process is writing just now; known once the iterator has
    /// ended. Reading leaves it where it is: the next [`Sessions::resume`](crate::Sessions::resume) drops it.
    #[must_use]
    pub fn torn(&self) -> Option<&Recovery> {
        self.lines.torn()
    }

    /// How many entries have been read.
    #[must_use]
    pub fn count_read(&self) -> u64 {
        self.read
    }

    fn check(&mut self, bytes: Vec<u8>) -> Result<Entry, SessionError> {
        let line = self.read + 1;
        let entry = decode(line, bytes)?;
        if entry.seq != line {
            return Err(SessionError::Gap { line, expected: line, found: entry.seq });
        }
        if matches!(entry.record, Record::Open(_)) != (line == 1) {
            let reason = if line == 1 { "a log begins with" } else { "only the first entry is" };
            let reason = format!("{reason} `session/open`");
            return Err(SessionError::Damaged { line, reason });
        }
        self.read = line;
        Ok(entry)
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, SessionError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let line = self.lines.next_line()?;
        let entry = line.and_then(|line| self.check(line));
        self.failed = entry.is_err();
        Some(entry)
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("read", &self.read).finish_non_exhaustive()
    }
}

/// Reads one line; `line` is its number.
pub(crate) fn decode(line: u64, bytes: Vec<u8>) -> Result<Entry, SessionError> {
    let text = String::from_utf8(bytes).map_err(|error| SessionError::Damaged {
        line,
        reason: format!("byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1),
    })?;
    line::decode(text).map_err(|fault| match fault.newer {
        Some(found) => SessionError::NewerFormat { line, found },
        None => SessionError::Damaged { line, reason: fault.reason },
    })
}

/// Milliseconds since 1970 by the host's clock.
pub(crate) fn now_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
