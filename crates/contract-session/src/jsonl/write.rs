//! Appending: one write for an entry or for some that belong together, taken back when it fails.

use std::fs::File;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use serde::Serialize;

use super::{FILE, read};
use crate::error::SessionError;
use crate::event::Entry;
use crate::journal::{Appended, Entries, Recovery, SyncPolicy, now_ms};
use crate::line;
use crate::log::{Found, LogWriter};
use crate::store::{Dir, Lock, Place};

/// A buffer that has grown beyond this for one append is given back.
const KEPT_BUFFER_BYTES: usize = 1024 * 1024;

/// The end of the log, and the right to write there.
#[derive(Debug)]
pub(crate) struct Writer {
    file: File,
    /// Bytes of whole entries.
    len: u64,
    /// Number of the next entry.
    next: u64,
    sync: SyncPolicy,
    last_sync: Instant,
    /// Whether something was written since.
    dirty: bool,
    /// Whether the end of the log is unknown.
    broken: bool,
    buffer: Vec<u8>,
    dir: Dir,
    /// Let go of last.
    _lock: Lock,
}

impl LogWriter for Writer {
    fn open(place: Place<'_>) -> Result<(Self, Found), SessionError> {
        let Place { dir, lock, sync, each, .. } = place;
        let path = dir.path().join(FILE);
        let was_there = dir.size(FILE).is_some();
        let file = dir
            .file(FILE, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
            .map_err(SessionError::io("open", path))?;
        if !was_there && sync != SyncPolicy::Never {
            dir.sync()?;
        }
        let (len, next, recovery) = scan(&dir, each)?;
        let mut writer = Self {
            file,
            len,
            next,
            sync,
            last_sync: Instant::now(),
            dirty: false,
            broken: false,
            buffer: Vec::new(),
            dir,
            _lock: lock,
        };
        if recovery.is_some() {
            writer.cut().map_err(|source| SessionError::Write { source })?;
        }
        Ok((writer, Found { was_there, recovery }))
    }

    fn count(&self) -> u64 {
        self.next - 1
    }

    fn append<E: Serialize>(&mut self, events: &[E]) -> Result<Appended, SessionError> {
        if self.broken {
            return Err(SessionError::Broken);
        }
        let (seq, at) = (self.next, now_ms());
        let mut next = seq;
        self.buffer.clear();
        for event in events {
            line::encode(next, at, event, &mut self.buffer)
                .map_err(|error| SessionError::Write { source: error.into() })?;
            next += 1;
        }
        // One write; a short one is continued, which brings out why it was short.
        if let Err(source) = self.file.write_all(&self.buffer) {
            return Err(self.take_back(source));
        }
        self.dirty = true;
        let synced = self.is_due();
        if synced {
            self.sync_file()?;
        }
        self.len += u64::try_from(self.buffer.len()).unwrap_or(u64::MAX);
        self.next = next;
        if self.buffer.capacity() > KEPT_BUFFER_BYTES {
            self.buffer = Vec::new();
        }
        Ok(Appended { seq, at, synced })
    }

    fn entries(&self) -> Result<Entries, SessionError> {
        Ok(Entries::new(Box::new(read::lines_up_to(&self.dir, self.len)?)))
    }

    fn sync(&mut self) -> Result<(), SessionError> {
        if self.broken {
            return Err(SessionError::Broken);
        }
        if self.dirty { self.sync_file() } else { Ok(()) }
    }

    fn close(mut self) -> Result<(), SessionError> {
        if self.broken || self.sync == SyncPolicy::Never { Ok(()) } else { self.sync() }
    }
}

impl Writer {
    fn is_due(&self) -> bool {
        match self.sync {
            SyncPolicy::Never => false,
            SyncPolicy::EveryEntry => true,
            SyncPolicy::Interval { ms } => self.last_sync.elapsed() >= Duration::from_millis(ms),
        }
    }

    /// Syncs. After a failure nobody knows which pages reached the disk, and asking again would not
    /// tell: what was not acknowledged is cut off, and the log takes no more.
    fn sync_file(&mut self) -> Result<(), SessionError> {
        match self.file.sync_data() {
            Ok(()) => {
                self.dirty = false;
                self.last_sync = Instant::now();
                Ok(())
            }
            Err(source) => {
                let error = self.take_back(source);
                self.broken = true;
                Err(error)
            }
        }
    }

    /// Restores the log to its whole entries after a failed write.
    fn take_back(&mut self, source: io::Error) -> SessionError {
        self.broken = self.cut().is_err();
        SessionError::Write { source }
    }

    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.len)?;
        if self.sync == SyncPolicy::Never { Ok(()) } else { self.file.sync_data() }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.dirty && !self.broken && self.sync != SyncPolicy::Never {
            // Nobody to tell; `close` tells.
            let _ = self.file.sync_data();
        }
    }
}

/// Reads the whole log once: its whole bytes, the number of the next entry, and what is torn.
fn scan(
    dir: &Dir,
    each: &mut dyn FnMut(&Entry),
) -> Result<(u64, u64, Option<Recovery>), SessionError> {
    let mut entries = Entries::new(Box::new(read::lines(dir)?));
    let mut len = 0;
    for entry in entries.by_ref() {
        let entry = entry?;
        each(&entry);
        len += u64::try_from(entry.line.len()).unwrap_or(u64::MAX) + 1;
    }
    Ok((len, entries.count_read() + 1, entries.torn().cloned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, UserMessage};
    use crate::store::{Opening, Sessions};

    /// A writer whose file takes nothing, not even being cut.
    fn stuck(root: &std::path::Path) -> Writer {
        let sessions = Sessions::open(root).unwrap();
        let opening = Opening {
            program: "test".to_owned(),
            program_version: "0".to_owned(),
            workspace_root: None,
        };
        let id = crate::id::SessionId::parse("s").unwrap();
        sessions.create(&id, &opening).unwrap().journal.close().unwrap();
        let dir = Dir::root(&sessions.path(&id)).unwrap();
        let lock = Lock::acquire(&dir, &id).unwrap().unwrap();
        let place = Place { id, dir, lock, sync: SyncPolicy::Never, each: &mut |_| () };
        let (mut writer, _) = Writer::open(place).unwrap();
        writer.file = writer.dir.file(FILE, OFlags::RDONLY).unwrap();
        writer
    }

    #[test]
    fn l1_a_log_whose_end_is_unknown_takes_no_more() {
        let root = tempfile::tempdir().unwrap();
        let mut writer = stuck(root.path());
        let event = Event::from(UserMessage { content: vec![] });
        assert!(matches!(
            writer.append(std::slice::from_ref(&event)),
            Err(SessionError::Write { .. })
        ));
        assert!(matches!(writer.append(std::slice::from_ref(&event)), Err(SessionError::Broken)));
        assert!(matches!(writer.sync(), Err(SessionError::Broken)));
        assert_eq!(writer.entries().unwrap().map(Result::unwrap).count(), 1);
    }
}
