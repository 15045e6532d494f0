//! Errors.

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
