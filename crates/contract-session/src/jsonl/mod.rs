//! The log as a file of JSON lines: the format the contract describes (L6).

mod read;
mod write;

pub(crate) use read::lines;

use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::SessionError;
use crate::event::{Event, SessionOpen};
use crate::id::SessionId;
use crate::journal::{Appended, Entries, Journal};
use crate::store::{Opened, Place};
use write::{Found, Writer};

/// Name of the log within its session's directory.
pub(crate) const FILE: &str = "log.jsonl";

/// An open log.
#[derive(Debug)]
pub(crate) struct JsonLines {
    id: SessionId,
    /// `None` once closed.
    writer: Mutex<Option<Writer>>,
}

impl JsonLines {
    /// Opens or makes the log. Without `open` there must be entries already.
    pub(crate) fn open(
        place: Place<'_>,
        open: Option<&SessionOpen>,
    ) -> Result<Opened, SessionError> {
        let id = place.id.clone();
        let (mut writer, Found { was_there, recovery }) = Writer::open(place)?;
        let created = writer.is_empty();
        let emptied = created && was_there && recovery.is_none();
        if created {
            let open = open.ok_or_else(|| SessionError::NotFound { id: id.clone() })?;
            writer.append(slice::from_ref(open))?;
        }
        let entries = writer.count();
        let journal = Arc::new(Self { id, writer: Mutex::new(Some(writer)) });
        Ok(Opened { journal, created, entries, emptied, recovery })
    }

    fn writer(&self) -> MutexGuard<'_, Option<Writer>> {
        // A panic between two writes cannot happen: the writer has its state in order at every step.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for JsonLines {
    fn session(&self) -> &SessionId {
        &self.id
    }

    fn append(&self, event: &Event) -> Result<Appended, SessionError> {
        self.writer().as_mut().ok_or(SessionError::Closed)?.append(slice::from_ref(event))
    }

    fn append_all(&self, events: &[Event]) -> Result<Vec<Appended>, SessionError> {
        let mut writer = self.writer();
        let writer = writer.as_mut().ok_or(SessionError::Closed)?;
        if events.is_empty() {
            return Ok(Vec::new());
        }
        Ok(writer.append(events)?.run(events.len()))
    }

    fn entries(&self) -> Result<Entries, SessionError> {
        self.writer().as_ref().ok_or(SessionError::Closed)?.entries()
    }

    fn sync(&self) -> Result<(), SessionError> {
        self.writer().as_mut().ok_or(SessionError::Closed)?.sync()
    }

    fn close(&self) -> Result<(), SessionError> {
        let writer = self.writer().take();
        writer.map_or(Ok(()), Writer::close)
    }
}

/// Reads the log of a session that may be open elsewhere.
pub(crate) fn entries(dir: &crate::store::Dir) -> Result<Entries, SessionError> {
    Ok(Entries::new(Box::new(lines(dir)?)))
}
