//! What can go wrong with a session, and the codes it is known by.

use std::io;
use std::path::PathBuf;

use crate::id::SessionId;
use crate::line::FORMAT_VERSION;
use crate::store::Owner;

/// Codes of [`SessionError`], as failed results and logs spell them.
pub mod code {
    /// An entry could not be appended. The call it tells of did run; nothing of it may be shown as if
    /// it were logged (contract L6).
    pub const SESSION_WRITE_FAILED: &str = "SESSION_WRITE_FAILED";
    /// Another process, or this one, has the session open, or others make and remove it all the time.
    pub const SESSION_IN_USE: &str = "SESSION_IN_USE";
    /// There is no such session.
    pub const SESSION_NOT_FOUND: &str = "SESSION_NOT_FOUND";
    /// A session of that id is there already.
    pub const SESSION_EXISTS: &str = "SESSION_EXISTS";
    /// The text is no session id.
    pub const SESSION_ID_INVALID: &str = "SESSION_ID_INVALID";
    /// The log holds something that a crash cannot explain.
    pub const SESSION_DAMAGED: &str = "SESSION_DAMAGED";
    /// The log was written by a newer program.
    pub const SESSION_FORMAT_UNSUPPORTED: &str = "SESSION_FORMAT_UNSUPPORTED";
    /// The state directory could not be used.
    pub const SESSION_IO: &str = "SESSION_IO";
}

/// A failure of the session store or of a log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The text is no session id.
    #[error(
        "`{id}` is no session id: 1 to 64 letters, digits, `-` and `_`, beginning with a letter or a digit"
    )]
    InvalidId {
        /// The text, cut to 80 characters.
        id: String,
    },
    /// There is no such session.
    #[error("there is no session `{id}`")]
    NotFound {
        /// The session asked for.
        id: SessionId,
    },
    /// A session of that id is there already.
    #[error("session `{id}` is there already")]
    Exists {
        /// The session asked for.
        id: SessionId,
    },
    /// The session is open elsewhere.
    #[error("session `{id}` is in use by {}", Owner::describe(owner.as_ref()))]
    InUse {
        /// The session asked for.
        id: SessionId,
        /// Who has it open, as far as that process said.
        owner: Option<Owner>,
    },
    /// Other processes removed the session each time it was about to be opened.
    #[error("session `{id}` is made and removed again and again by other processes; try again")]
    Unsettled {
        /// The session asked for.
        id: SessionId,
    },
    /// An entry that a crash cannot have left: it is followed by others, or it ends as a whole entry does.
    #[error("the session log is damaged at line {line}: {reason}")]
    Damaged {
        /// Line of the log, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// Entries are missing or repeated.
    #[error(
        "the session log is damaged at line {line}: entry {expected} should stand there, entry {found} does"
    )]
    Gap {
        /// Line of the log, from 1.
        line: u64,
        /// The number that should follow.
        expected: u64,
        /// The number that does.
        found: u64,
    },
    /// A newer program wrote the log (contract L1).
    #[error(
        "line {line} of the session log has format version {found}, and this program reads version {FORMAT_VERSION}: upgrade it to open this session"
    )]
    NewerFormat {
        /// Line of the log, from 1.
        line: u64,
        /// The version it states.
        found: u64,
    },
    /// An entry could not be written. It was taken back, so that the entries before it stay whole.
    #[error("the session log could not be written: {source}; earlier entries are intact")]
    Write {
        /// What the system said.
        source: io::Error,
    },
    /// An earlier failure left the end of the log unknown; opening the session again repairs it.
    #[error(
        "the session log takes no more entries after a failed write that could not be taken back; open the session again"
    )]
    Broken,
    /// The journal was closed.
    #[error("the session log is closed")]
    Closed,
    /// The state directory or a file in it could not be used.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SessionError {
    /// The code, one of [`code`].
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidId { .. } => code::SESSION_ID_INVALID,
            Self::NotFound { .. } => code::SESSION_NOT_FOUND,
            Self::Exists { .. } => code::SESSION_EXISTS,
            Self::InUse { .. } | Self::Unsettled { .. } => code::SESSION_IN_USE,
            Self::Damaged { .. } | Self::Gap { .. } => code::SESSION_DAMAGED,
            Self::NewerFormat { .. } => code::SESSION_FORMAT_UNSUPPORTED,
            Self::Write { .. } | Self::Broken | Self::Closed => code::SESSION_WRITE_FAILED,
            Self::Io { .. } => code::SESSION_IO,
        }
    }

    /// For `map_err`: names what was tried on which path.
    pub(crate) fn io<E: Into<io::Error>>(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(E) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source: source.into() }
    }
}
