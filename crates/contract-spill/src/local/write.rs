//! Writing one text, on a thread where blocking is allowed.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::dir::PrivateDir;
use super::session::SessionDir;
use super::{Shared, name};
use crate::contain::caught;
use crate::error::SpillError;
use crate::store::Saved;

/// What the writing thread is handed.
pub(super) enum Piece {
    Bytes(Vec<u8>),
    /// The text is whole. Without it, who had it saved went away.
    End,
}

/// The result of a write, and where it is waited for.
type Done = oneshot::Sender<Result<Saved, SpillError>>;

impl Shared {
    /// Saves what arrives. A text nobody waits for is not left behind.
    pub(super) fn run(
        self: Arc<Self>,
        key: &str,
        bytes: u64,
        pieces: mpsc::Receiver<Piece>,
        done: Done,
    ) {
        let written = caught("the spill store", || self.write(key, bytes, pieces));
        let saved = written.and_then(|written| written).map(|(saved, mut file)| {
            file.is_wanted = !done.is_closed();
            saved
        });
        // Who drops the store or releases the session next finds that nothing holds it here.
        drop(self);
        let _ = done.send(saved);
    }

    fn write(
        &self,
        key: &str,
        bytes: u64,
        mut pieces: mpsc::Receiver<Piece>,
    ) -> Result<(Saved, NewFile), SpillError> {
        let unknown = || SpillError::UnknownPlan { key: key.to_owned() };
        let (directory, file) = key.split_once('/').ok_or_else(unknown)?;
        if !name::is_session_dir(directory) || !name::is_file(file) {
            return Err(unknown());
        }
        let root = PrivateDir::root(&self.root)?;
        let session = self.session(&root, directory)?;
        let room = self.reserve(&root, bytes)?;
        let mut file = NewFile::create(session, file)?;
        let saved = file.fill(&mut pieces)?;
        file.dir().sync()?;
        room.use_up();
        Ok((saved, file))
    }
}

/// A file that goes again unless it is wanted: a full disk leaves nothing half-written.
struct NewFile {
    session: Arc<SessionDir>,
    name: String,
    file: File,
    is_wanted: bool,
}

impl NewFile {
    fn create(session: Arc<SessionDir>, name: &str) -> Result<Self, SpillError> {
        let file = session.dir.create(name)?;
        Ok(Self { session, name: name.to_owned(), file, is_wanted: false })
    }

    fn dir(&self) -> &PrivateDir {
        &self.session.dir
    }

    fn fill(&mut self, pieces: &mut mpsc::Receiver<Piece>) -> Result<Saved, SpillError> {
        let path = self.dir().path().join(&self.name);
        let mut bytes = 0;
        loop {
            match pieces.blocking_recv() {
                Some(Piece::Bytes(piece)) => {
                    self.file.write_all(&piece).map_err(SpillError::io("write", &path))?;
                    bytes += u64::try_from(piece.len()).unwrap_or(u64::MAX);
                }
                Some(Piece::End) => break,
                None => return Err(SpillError::Abandoned),
            }
        }
        self.file.sync_all().map_err(SpillError::io("sync", &path))?;
        Ok(Saved { bytes })
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_wanted
            && let Err(error) = self.dir().remove(&self.name)
        {
            tracing::warn!(error = error.line(), "a text that was not saved whole stays");
        }
    }
}
