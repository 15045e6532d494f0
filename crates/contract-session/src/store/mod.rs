//! The sessions of a user: made, resumed, read, listed, removed.

mod dir;
mod list;
mod lock;

#[cfg(feature = "sqlite")]
pub(crate) use list::Ends;
pub use list::SessionSummary;
pub use lock::Owner;

pub(crate) use dir::Dir;
pub(crate) use lock::Lock;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use serde::Serialize;

use crate::error::SessionError;
use crate::event::{Entry, SessionOpen};
use crate::id::SessionId;
use crate::journal::{Entries, Journal, Recovery, SyncPolicy, now_ms};
use crate::jsonl;
use crate::log;
#[cfg(feature = "sqlite")]
use crate::sqlite;

/// The directory of sessions within the state root.
const SESSIONS: &str = "sessions";

/// What a directory is called while it is being removed. No session id begins with a dot.
const REMOVED: &str = ".removed-";

/// How often a session is looked up anew because it was removed under our hands, and the pause between.
const LOOKUPS: u32 = 64;
const LOOKUP_PAUSE: Duration = Duration::from_millis(4);

/// How often a directory is emptied into which a latecomer put its lock file meanwhile.
const EMPTYINGS: u32 = 8;

/// How a log is kept. Both hold the same lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum LogFormat {
    /// A file of JSON lines, `log.jsonl`.
    #[default]
    JsonLines,
    /// A database, `log.sqlite`.
    #[cfg(feature = "sqlite")]
    Sqlite,
}

impl LogFormat {
    /// Every format this build knows.
    const ALL: &[Self] = &[
        Self::JsonLines,
        #[cfg(feature = "sqlite")]
        Self::Sqlite,
    ];

    fn file(self) -> &'static str {
        match self {
            Self::JsonLines => jsonl::FILE,
            #[cfg(feature = "sqlite")]
            Self::Sqlite => sqlite::FILE,
        }
    }

    /// The format of the log in a session's directory.
    fn of(dir: &Dir) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| dir.size(format.file()).is_some())
    }

    fn entries(self, dir: &Dir) -> Result<Entries, SessionError> {
        match self {
            Self::JsonLines => jsonl::entries(dir),
            #[cfg(feature = "sqlite")]
            Self::Sqlite => sqlite::entries(dir),
        }
    }
}

/// What the first entry of a new session says of where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Name of the program.
    pub program: String,
    /// Its version.
    pub program_version: String,
    /// The workspace root, for people.
    pub workspace_root: Option<String>,
}

/// A session that is open, here and nowhere else.
#[derive(Debug)]
pub struct Opened {
    /// Its log. The session is free again when this is closed or its last clone dropped.
    pub journal: Arc<dyn Journal>,
    /// Whether it is new.
    pub created: bool,
    /// How many entries its log has. A caller that numbers what it logs goes on from here.
    pub entries: u64,
    /// Whether its log was there without a single entry, so that it begins anew: whatever it held was
    /// taken out of it. To be shown.
    pub emptied: bool,
    /// What a crash had cut off at the end of the log, and was dropped now. To be shown (contract L1).
    pub recovery: Option<Recovery>,
}

/// The store: one directory per session under `sessions` in the state root, for the user alone.
#[derive(Debug)]
pub struct Sessions {
    dir: Dir,
    sync: SyncPolicy,
    format: LogFormat,
}

impl Sessions {
    /// Opens the store in a state root (`$XDG_STATE_HOME/tenon`, say), made if it is not there.
    ///
    /// # Errors
    ///
    /// [`SessionError::Io`] when the directory cannot be made or opened, is reached through a link below
    /// the root, or belongs to another user.
    pub fn open(state_root: &Path) -> Result<Self, SessionError> {
        let root = Dir::root(state_root)?;
        root.make_child(SESSIONS)?;
        let missing = || SessionError::io("open", state_root.join(SESSIONS))(gone());
        let dir = root.child(SESSIONS)?.ok_or_else(missing)?;
        dir.make_private()?;
        Ok(Self { dir, sync: SyncPolicy::default(), format: LogFormat::default() })
    }

    /// Sets when appends are made safe against a crash of the machine.
    #[must_use]
    pub fn with_sync(self, sync: SyncPolicy) -> Self {
        Self { sync, ..self }
    }

    /// Sets the format of new sessions; one that is there keeps its own.
    #[must_use]
    pub fn with_format(self, format: LogFormat) -> Self {
        Self { format, ..self }
    }

    /// Where the files of a session are, or would be.
    #[must_use]
    pub fn path(&self, id: &SessionId) -> PathBuf {
        self.dir.path().join(id.as_str())
    }

    /// Starts a session under a new id.
    ///
    /// # Errors
    ///
    /// [`SessionError::Io`] or [`SessionError::Write`] when its files cannot be made.
    pub fn start(&self, opening: &Opening) -> Result<Opened, SessionError> {
        loop {
            match self.create(&SessionId::generate(now_ms()), opening) {
                Err(SessionError::Exists { .. } | SessionError::InUse { .. }) => {}
                result => return result,
            }
        }
    }

    /// Makes a session of a given id.
    ///
    /// # Errors
    ///
    /// [`SessionError::Exists`] when it is there already, [`SessionError::InUse`] when it is also open;
    /// else as [`Sessions::start`].
    pub fn create(&self, id: &SessionId, opening: &Opening) -> Result<Opened, SessionError> {
        let (dir, lock) = self.locked(id, true)?;
        match LogFormat::of(&dir) {
            Some(_) => Err(SessionError::Exists { id: id.clone() }),
            None => self.place(id, dir, lock, &mut |_| ()).open(self.format, Some(opening)),
        }
    }

    /// Opens a session that is there. A torn end of its log is dropped, and reported.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotFound`]; [`SessionError::InUse`], which says by whom; [`SessionError::Damaged`],
    /// [`SessionError::Gap`] or [`SessionError::NewerFormat`] for a log that cannot be continued;
    /// [`SessionError::Io`].
    pub fn resume(&self, id: &SessionId) -> Result<Opened, SessionError> {
        let (dir, lock) = self.locked(id, false)?;
        match LogFormat::of(&dir) {
            Some(format) => self.place(id, dir, lock, &mut |_| ()).open(format, None),
            None => Err(SessionError::NotFound { id: id.clone() }),
        }
    }

    /// Opens a session, made if it is not there.
    ///
    /// # Errors
    ///
    /// As [`Sessions::resume`] and [`Sessions::create`], without `NotFound` and `Exists`;
    /// [`SessionError::Unsettled`] when others kept removing it.
    pub fn resume_or_create(
        &self,
        id: &SessionId,
        opening: &Opening,
    ) -> Result<Opened, SessionError> {
        self.resume_or_create_with(id, opening, &mut |_| ())
    }

    /// The same, and hands over each entry that is there, in order, as the log is read for opening it:
    /// a long log is not read twice. After an error, what was handed over counts for nothing.
    ///
    /// # Errors
    ///
    /// As [`Sessions::resume_or_create`].
    pub fn resume_or_create_with(
        &self,
        id: &SessionId,
        opening: &Opening,
        each: &mut dyn FnMut(&Entry),
    ) -> Result<Opened, SessionError> {
        let (dir, lock) = self.locked(id, true)?;
        let format = LogFormat::of(&dir).unwrap_or(self.format);
        self.place(id, dir, lock, each).open(format, Some(opening))
    }

    /// Reads the log of a session, which may be in use: what is being written just now shows as torn.
    /// Changes nothing.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotFound`] or [`SessionError::Io`]; the entries themselves come with theirs.
    pub fn read(&self, id: &SessionId) -> Result<Entries, SessionError> {
        let missing = || SessionError::NotFound { id: id.clone() };
        let dir = self.dir.child(id.as_str())?.ok_or_else(missing)?;
        LogFormat::of(&dir).ok_or_else(missing)?.entries(&dir)
    }

    /// Every session, the one with the latest entry first. One that cannot be read is listed with its
    /// problem.
    ///
    /// # Errors
    ///
    /// [`SessionError::Io`] when the directory of sessions cannot be read.
    pub fn list(&self) -> Result<Vec<SessionSummary>, SessionError> {
        list::list(&self.dir)
    }

    /// Removes a session and everything in its directory.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotFound`]; [`SessionError::InUse`]; [`SessionError::Io`].
    pub fn remove(&self, id: &SessionId) -> Result<(), SessionError> {
        self.remove_with(id, || ())
    }

    /// The same, and runs `first` while the session is locked and all of it still there: what belongs to
    /// it elsewhere goes first, so that a removal that was cut off can be made again, and nothing of a
    /// new session of that id is taken for it.
    ///
    /// # Errors
    ///
    /// As [`Sessions::remove`].
    pub fn remove_with(&self, id: &SessionId, first: impl FnOnce()) -> Result<(), SessionError> {
        let (_, lock) = self.locked(id, false)?;
        first();
        // Out of sight first and at once, so that no crash leaves half a session.
        let doomed = format!("{REMOVED}{id}-{:x}-{:x}", std::process::id(), now_ms());
        self.dir.rename(id.as_str(), &doomed)?;
        let path = self.dir.path().join(&doomed);
        remove_all(&path).map_err(SessionError::io("remove", path))?;
        drop(lock);
        self.sweep();
        self.dir.sync()
    }

    /// Removes what a removal that was cut off has left. If it cannot, the next one may.
    fn sweep(&self) {
        let Ok(names) = std::fs::read_dir(self.dir.path()) else { return };
        for name in names.flatten() {
            if name.file_name().to_str().is_some_and(|name| name.starts_with(REMOVED)) {
                let _ = remove_all(&name.path());
            }
        }
    }

    /// A session's directory and its lock; made first if `make` says so.
    fn locked(&self, id: &SessionId, make: bool) -> Result<(Dir, Lock), SessionError> {
        for lookup in 0..LOOKUPS {
            if lookup > 0 {
                sleep(LOOKUP_PAUSE);
            }
            if make && self.dir.make_child(id.as_str())? && self.sync != SyncPolicy::Never {
                self.dir.sync()?;
            }
            match self.dir.child(id.as_str())? {
                // The lock of a directory that was renamed for removal is worth nothing, though it may
                // be had: a latecomer makes the file anew.
                Some(dir) => match Lock::acquire(&dir, id)? {
                    Some(lock) if self.dir.holds(id.as_str(), &dir)? => return Ok((dir, lock)),
                    Some(_) | None => {}
                },
                None if make => {}
                None => return Err(SessionError::NotFound { id: id.clone() }),
            }
        }
        Err(SessionError::Unsettled { id: id.clone() })
    }

    fn place<'a>(
        &self,
        id: &SessionId,
        dir: Dir,
        lock: Lock,
        each: &'a mut dyn FnMut(&Entry),
    ) -> Place<'a> {
        Place { id: id.clone(), dir, lock, sync: self.sync, each }
    }
}

/// What a log needs to know of its session.
pub(crate) struct Place<'a> {
    pub(crate) id: SessionId,
    pub(crate) dir: Dir,
    pub(crate) lock: Lock,
    pub(crate) sync: SyncPolicy,
    /// Gets the entries that are there.
    pub(crate) each: &'a mut dyn FnMut(&Entry),
}

impl Place<'_> {
    fn open(self, format: LogFormat, opening: Option<&Opening>) -> Result<Opened, SessionError> {
        let open = opening.map(|opening| SessionOpen {
            session_id: self.id.clone(),
            program: opening.program.clone(),
            program_version: opening.program_version.clone(),
            workspace_root: opening.workspace_root.clone(),
        });
        match format {
            LogFormat::JsonLines => log::open::<jsonl::Writer>(self, open.as_ref()),
            #[cfg(feature = "sqlite")]
            LogFormat::Sqlite => log::open::<sqlite::Writer>(self, open.as_ref()),
        }
    }
}

/// Removes a directory with all that is in it. Whoever else removes it at the same time may be first.
fn remove_all(path: &Path) -> io::Result<()> {
    let mut left = EMPTYINGS;
    loop {
        left -= 1;
        match std::fs::remove_dir_all(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty && left > 0 => {}
            removed => return removed,
        }
    }
}

/// For something that was there a moment ago.
fn gone() -> io::Error {
    ErrorKind::NotFound.into()
}
