//! Reading rows, a batch at a time.

use std::collections::VecDeque;
use std::path::PathBuf;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::{FILE, as_io, connect};
use crate::error::SessionError;
use crate::journal::{Entries, Lines, Recovery};
use crate::store::{Dir, Ends};

const BATCH_ROWS: i64 = 64;

/// Reads the log of a session that may be open elsewhere.
pub(crate) fn entries(dir: &Dir) -> Result<Entries, SessionError> {
    entries_before(dir, i64::MAX)
}

/// Reads the entries whose number is below `end`.
pub(super) fn entries_before(dir: &Dir, end: i64) -> Result<Entries, SessionError> {
    let connection = connect(dir, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let path = dir.path().join(FILE);
    Ok(Entries::new(Box::new(Rows { connection, path, after: 0, end, batch: VecDeque::new() })))
}

/// Both ends of a log.
pub(crate) fn ends(dir: &Dir) -> Result<Ends, SessionError> {
    let connection = connect(dir, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let read = || -> rusqlite::Result<Ends> {
        let end = |order: &str| {
            let sql = format!("SELECT line FROM entries ORDER BY seq {order} LIMIT 1");
            let line = connection.query_row(&sql, [], |row| row.get::<_, String>(0)).optional();
            line.map(|line| line.map(String::into_bytes))
        };
        let count =
            connection.query_row("SELECT count(*) FROM entries", [], |row| row.get::<_, i64>(0));
        let entries = u64::try_from(count?).unwrap_or_default();
        Ok(Ends { entries, first: end("ASC")?, last: end("DESC")?, torn: None })
    };
    read().map_err(|error| SessionError::io("read", dir.path().join(FILE))(as_io(error)))
}

struct Rows {
    connection: Connection,
    path: PathBuf,
    after: i64,
    end: i64,
    batch: VecDeque<String>,
}

impl Rows {
    fn fill(&mut self) -> rusqlite::Result<()> {
        let sql = "SELECT seq, line FROM entries WHERE seq > ?1 AND seq < ?2 ORDER BY seq LIMIT ?3";
        let mut select = self.connection.prepare(sql)?;
        let mut rows = select.query((self.after, self.end, BATCH_ROWS))?;
        while let Some(row) = rows.next()? {
            self.after = row.get(0)?;
            self.batch.push_back(row.get(1)?);
        }
        Ok(())
    }
}

impl Lines for Rows {
    fn next_line(&mut self) -> Option<Result<Vec<u8>, SessionError>> {
        if self.batch.is_empty()
            && let Err(error) = self.fill()
        {
            return Some(Err(SessionError::io("read", &self.path)(as_io(error))));
        }
        self.batch.pop_front().map(|line| Ok(line.into_bytes()))
    }

    /// A transaction is there or is not.
    fn torn(&self) -> Option<&Recovery> {
        None
    }
}
