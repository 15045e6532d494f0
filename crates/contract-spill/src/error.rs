//! Why a text could not be saved.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A text that was not saved. The policy turns it into a warning: it never fails a call (contract S2).
#[derive(Debug, thiserror::Error)]
pub enum SpillError {
    /// The host has no store.
    #[error("there is no spill store")]
    NoStore,
    /// The system refused something.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A directory belongs to another user, who could change what is in it.
    #[error("{} belongs to another user", path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
    /// The root's path is not UTF-8, so a model could not be told it.
    #[error("the path {} is not UTF-8", path.display())]
    NotUtf8 {
        /// The root.
        path: PathBuf,
    },
    /// A sweep holds the session's directory for too long.
    #[error("the directory {} is locked", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
    },
    /// There is no room left: what live sessions point at is never removed.
    #[error("{needed} bytes do not fit: {kept} of {max} bytes are in use")]
    QuotaExceeded {
        /// Bytes to be saved.
        needed: u64,
        /// Bytes that are there and stay.
        kept: u64,
        /// Bytes that may be there.
        max: u64,
    },
    /// The store saved something else than it was given.
    #[error("the store saved {saved} bytes of {expected}")]
    WrongSize {
        /// Bytes the store says it saved.
        saved: u64,
        /// Bytes it was given.
        expected: u64,
    },
    /// The plan was made by another store.
    #[error("this store did not plan `{key}`")]
    UnknownPlan {
        /// The key of that plan.
        key: String,
    },
    /// Who wanted the text saved went away.
    #[error("nobody waits for the text to be saved any more")]
    Abandoned,
    /// Saving took too long.
    #[error("the text was not saved within {} ms", after.as_millis())]
    TimedOut {
        /// How long it was waited for.
        after: Duration,
    },
    /// The call was cancelled, and saving took longer than it may then.
    #[error("the call was cancelled, and the text was not saved within {} ms", after.as_millis())]
    Cancelled {
        /// How long it was waited for after that.
        after: Duration,
    },
    /// The host refused to run blocking work.
    #[error("the host refused to run blocking work")]
    Refused,
    /// Something panicked: a store, or a tool's page.
    #[error("{what} panicked: {message}")]
    Panicked {
        /// What panicked.
        what: &'static str,
        /// With which message.
        message: String,
    },
    /// A store of another kind failed.
    #[error("the store failed")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl SpillError {
    /// Wraps what the system said; for `map_err`.
    pub(crate) fn io<E: Into<io::Error>>(
        action: &'static str,
        path: &Path,
    ) -> impl Fn(E) -> Self + use<E> {
        let path = path.to_owned();
        move |source| Self::Io { action, path: path.clone(), source: source.into() }
    }

    /// The message with its cause, on one line.
    pub(crate) fn line(&self) -> String {
        let cause = std::error::Error::source(self);
        cause.map_or_else(|| self.to_string(), |cause| format!("{self}: {cause}"))
    }
}
