//! Failures of the family `shell`: a closed set of codes (decisions DG2).

use contract_registry::ToolError;
use host_process::ProcessError;

use crate::seam::error::FsError;
use crate::seam::process::described;
use crate::text::escape::in_message;

/// Class of every failure of this family.
const CLASS: &str = "ShellError";

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum ShellError {
    #[error("command is blank")]
    BlankCommand,
    #[error(
        "command has {found} bytes, and at most {max} can be run; put it into a file and run that"
    )]
    LongCommand { found: usize, max: usize },
    #[error("command holds a NUL character, which no command can")]
    NulInCommand,
    #[error("workdir is blank; leave it out to start in the workspace root")]
    BlankWorkdir,
    #[error(
        "timeout_ms is {found}, but must be from 1 to {max}; run what takes longer in the background"
    )]
    Timeout { found: u64, max: u64 },
    #[error("commands cannot be run in the background here")]
    NoBackground,
    #[error("workdir {}: {error}; give an existing folder", in_message(.path))]
    Workdir { path: String, error: FsError },
    #[error("{}", described(.0))]
    Process(#[source] ProcessError),
    #[error("{0}")]
    Aborted(String),
}

impl ShellError {
    /// The code programs match on.
    fn code(&self) -> &'static str {
        match self {
            Self::BlankCommand
            | Self::LongCommand { .. }
            | Self::NulInCommand
            | Self::BlankWorkdir
            | Self::Timeout { .. }
            | Self::NoBackground => "BASH_INVALID_ARGUMENT",
            Self::Workdir { .. } => "BASH_WORKDIR",
            Self::Process(ProcessError::NotStarted) | Self::Aborted(_) => "BASH_ABORTED",
            Self::Process(ProcessError::Lost { .. } | ProcessError::Watch { .. }) => "BASH_CUT_OFF",
            Self::Process(_) => "BASH_NOT_RUN",
        }
    }
}

impl From<ShellError> for ToolError {
    fn from(error: ShellError) -> Self {
        Self::coded(CLASS, error.code(), error.to_string())
    }
}
