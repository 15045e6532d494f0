//! An open log, whatever its format: the right to write to it, until it is closed.

use std::fmt;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::error::SessionError;
use crate::event::{Event, SessionOpen};
use crate::id::SessionId;
use crate::journal::{Appended, Entries, Journal, Recovery};
use crate::store::{Opened, Place};

/// Writes a log in one format.
pub(crate) trait LogWriter: fmt::Debug + Send + Sized + 'static {
    /// Opens or makes the log; drops what a crash cut off.
    fn open(place: Place<'_>) -> Result<(Self, Found), SessionError>;

    /// How many entries there are.
    fn count(&self) -> u64;

    /// Appends events that serialise with their `type`, all or none; what came of the first.
    fn append<E: Serialize>(&mut self, events: &[E]) -> Result<Appended, SessionError>;

    /// What has been appended until now.
    fn entries(&self) -> Result<Entries, SessionError>;

    /// Makes what was appended safe against a crash of the machine.
    fn sync(&mut self) -> Result<(), SessionError>;

    /// Syncs, unless the policy is never to.
    fn close(self) -> Result<(), SessionError>;
}

/// What was found on opening.
pub(crate) struct Found {
    /// Whether there was a log.
    pub(crate) was_there: bool,
    /// What a crash had cut off.
    pub(crate) recovery: Option<Recovery>,
}

/// An open log.
#[derive(Debug)]
struct Log<W> {
    id: SessionId,
    /// `None` once closed.
    writer: Mutex<Option<W>>,
}

/// Opens or makes a log. Without `open` there must be entries already.
pub(crate) fn open<W: LogWriter>(
    place: Place<'_>,
    open: Option<&SessionOpen>,
) -> Result<Opened, SessionError> {
    let id = place.id.clone();
    let (mut writer, Found { was_there, recovery }) = W::open(place)?;
    let created = writer.count() == 0;
    let emptied = created && was_there && recovery.is_none();
    if created {
        let open = open.ok_or_else(|| SessionError::NotFound { id: id.clone() })?;
        writer.append(slice::from_ref(open))?;
    }
    let entries = writer.count();
    let journal = Arc::new(Log { id, writer: Mutex::new(Some(writer)) });
    Ok(Opened { journal, created, entries, emptied, recovery })
}

impl<W> Log<W> {
    fn writer(&self) -> MutexGuard<'_, Option<W>> {
        // A writer has its state in order at every step, a panic between two included.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: LogWriter> Journal for Log<W> {
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
        writer.map_or(Ok(()), W::close)
    }
}
