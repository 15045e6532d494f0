//! The log as a database: the same lines, one a row.
//!
//! A row holds the entry's line as the file of JSON lines would, so reading, replay and the types are
//! the same. What a crash cut off is SQLite's own to drop: an append is a transaction.

mod read;

pub(crate) use read::{ends, entries};

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::OFlags;
use serde::Serialize;

use crate::error::SessionError;
use crate::journal::{Appended, Entries, SyncPolicy, now_ms};
use crate::line;
use crate::log::{Found, LogWriter};
use crate::store::{Dir, Lock, Place};

/// Name of the database within its session's directory.
pub(crate) const FILE: &str = "log.sqlite";

/// Name of its write-ahead log, there while it is open.
pub(crate) const WAL_FILE: &str = "log.sqlite-wal";

/// How long another connection's lock is waited for: a reader at the moment of a checkpoint.
const BUSY: Duration = Duration::from_secs(5);

const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS entries (seq INTEGER PRIMARY KEY, line TEXT NOT NULL)";

/// The database, and the right to write there.
#[derive(Debug)]
pub(crate) struct Writer {
    connection: Connection,
    next: u64,
    sync: SyncPolicy,
    last_sync: Instant,
    dirty: bool,
    buffer: Vec<u8>,
    path: PathBuf,
    dir: Dir,
    /// Let go of last.
    _lock: Lock,
}

impl LogWriter for Writer {
    fn open(place: Place<'_>) -> Result<(Self, Found), SessionError> {
        let Place { dir, lock, sync, each, .. } = place;
        let path = dir.path().join(FILE);
        // Made here, so that it is private from the first moment. Where it is there already, SQLite
        // opens it, and follows no link either.
        let was_there = match dir.file(FILE, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL) {
            Ok(_) => false,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => true,
            Err(error) => return Err(SessionError::io("open", path)(error)),
        };
        if sync != SyncPolicy::Never {
            dir.sync()?;
        }
        let connection = connect(&dir, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let prepared = prepare(&connection, sync);
        prepared.map_err(|error| SessionError::io("open", &path)(as_io(error)))?;
        let mut lines = entries(&dir)?;
        lines.by_ref().try_for_each(|entry| entry.map(|entry| each(&entry)))?;
        let next = lines.count_read() + 1;
        let writer = Self {
            connection,
            next,
            sync,
            last_sync: Instant::now(),
            dirty: false,
            buffer: Vec::new(),
            path,
            dir,
            _lock: lock,
        };
        Ok((writer, Found { was_there, recovery: None }))
    }

    fn count(&self) -> u64 {
        self.next - 1
    }

    fn append<E: Serialize>(&mut self, events: &[E]) -> Result<Appended, SessionError> {
        let (seq, at) = (self.next, now_ms());
        let synced = match self.sync {
            SyncPolicy::Never => false,
            SyncPolicy::EveryEntry => true,
            SyncPolicy::Interval { ms } => self.last_sync.elapsed() >= Duration::from_millis(ms),
        };
        let next = self.insert(at, events, synced);
        self.next = next.map_err(|source| SessionError::Write { source })?;
        if synced {
            self.last_sync = Instant::now();
        }
        self.dirty = !synced;
        Ok(Appended { seq, at, synced })
    }

    fn entries(&self) -> Result<Entries, SessionError> {
        read::entries_before(&self.dir, i64::try_from(self.next).unwrap_or(i64::MAX))
    }

    fn sync(&mut self) -> Result<(), SessionError> {
        if !self.dirty {
            return Ok(());
        }
        // What a checkpoint has moved to the database was synced then; the rest is here. Opening the
        // database itself beside SQLite would cost it its locks.
        let synced = match self.dir.file(WAL_FILE, OFlags::RDONLY) {
            Ok(file) => file.sync_data(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        };
        synced.map_err(|source| SessionError::Write { source })?;
        self.dirty = false;
        self.last_sync = Instant::now();
        Ok(())
    }

    /// Leaves one file behind that can be read where nothing can be written.
    fn close(mut self) -> Result<(), SessionError> {
        if self.sync != SyncPolicy::Never {
            self.sync()?;
        }
        // A reader at work keeps the write-ahead log; then the next one to open it folds it in.
        let _ = self.connection.pragma_update(None, "journal_mode", "DELETE");
        self.connection
            .close()
            .map_err(|(_, error)| SessionError::io("close", self.path)(as_io(error)))
    }
}

impl Writer {
    /// One transaction; the number that follows it.
    fn insert<E: Serialize>(&mut self, at: u64, events: &[E], synced: bool) -> io::Result<u64> {
        if matches!(self.sync, SyncPolicy::Interval { .. }) {
            // A synced commit takes the ones before it along.
            let level = if synced { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", level).map_err(as_io)?;
        }
        let transaction = self.connection.transaction().map_err(as_io)?;
        let mut next = self.next;
        for event in events {
            self.buffer.clear();
            line::encode(next, at, event, &mut self.buffer)?;
            self.buffer.pop();
            let text = std::str::from_utf8(&self.buffer).map_err(io::Error::other)?;
            let seq = i64::try_from(next).map_err(io::Error::other)?;
            let sql = "INSERT INTO entries (seq, line) VALUES (?1, ?2)";
            transaction.execute(sql, (seq, text)).map_err(as_io)?;
            next += 1;
        }
        transaction.commit().map_err(as_io)?;
        Ok(next)
    }
}

fn prepare(connection: &Connection, sync: SyncPolicy) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", level(sync))?;
    connection.execute(TABLE, []).map(drop)
}

fn level(sync: SyncPolicy) -> &'static str {
    match sync {
        SyncPolicy::EveryEntry => "FULL",
        // Syncs with a checkpoint only, once in some megabytes.
        SyncPolicy::Never | SyncPolicy::Interval { .. } => "NORMAL",
    }
}

/// Opens the database of a session. The directory is resolved first: SQLite would else refuse a link
/// anywhere on the way, and the user may have put one above the store.
fn connect(dir: &Dir, flags: OpenFlags) -> Result<Connection, SessionError> {
    let fault = || SessionError::io("open", dir.path().join(FILE));
    let real = std::fs::canonicalize(dir.path()).map_err(fault())?;
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = open_file(&real.join(FILE), flags).map_err(as_io).map_err(fault())?;
    Ok(connection)
}

fn open_file(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// SQLite's error as the system's, where there is one like it.
fn as_io(error: rusqlite::Error) -> io::Error {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => io::ErrorKind::StorageFull,
        Some(ErrorCode::ReadOnly) => io::ErrorKind::ReadOnlyFilesystem,
        Some(ErrorCode::PermissionDenied) => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
