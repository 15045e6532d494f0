//! Errors.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A command that could not be run. What a command does once it runs is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The program could not be started: not there, not executable, too long an argument.
    #[error("{program} could not be started")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The folder to start it in cannot be used.
    #[error("the folder {} cannot be used", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It was stopped before it was started.
    #[error("it was cancelled before it was started")]
    NotStarted,
    /// It could not be watched, and was ended for that.
    #[error("{program} could not be watched")]
    Watch {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// What watched over it was ended by someone else, the command itself perhaps. What was left of it was ended;
    /// what it had done until then stays.
    #[error(
        "{program} was cut off, because what keeps it under control was ended from outside; it may have done what it was to do"
    )]
    Lost {
        /// The program.
        program: String,
    },
    /// It could not be confined, and was not started for that.
    #[error("the command could not be confined")]
    Confine {
        /// What the system said.
        source: io::Error,
    },
    /// A terminal could not be made, or did not do what was asked.
    #[error("the terminal does not work")]
    Terminal {
        /// What the system said.
        source: io::Error,
    },
    /// The command on the terminal has ended.
    #[error("the command on the terminal has ended")]
    Ended,
}

/// Marks a system's error as [`ProcessError::Lost`], on its way through calls that give system errors.
#[derive(Debug)]
pub(crate) struct WardenGone;

impl fmt::Display for WardenGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what kept it under control was ended from outside")
    }
}

impl std::error::Error for WardenGone {}

impl WardenGone {
    pub(crate) fn error() -> io::Error {
        io::Error::other(Self)
    }

    pub(crate) fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<Self>())
    }
}
