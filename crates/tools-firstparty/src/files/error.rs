//! Failures of the family `files`: a closed set of codes (decisions DG2).

use contract_registry::{ToolError, code};

use super::scan::ScanError;
use crate::seam::error::FsError;
use crate::text::escape::in_message;

/// Class of every failure of this family.
pub(super) const CLASS: &str = "FsError";

/// Why a file was not read, and which.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {fault}", in_message(.path))]
pub(super) struct ReadError {
    /// The file, as it is shown.
    pub(super) path: String,
    pub(super) fault: ReadFault,
}

/// Why a file was not read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReadFault {
    #[error("file_path is blank; give the path of a file")]
    BlankPath,
    #[error("offset is 0, but lines are counted from 1")]
    ZeroOffset,
    #[error("limit is {found}, but must be from 1 to {max}; read on with offset")]
    Limit { found: u64, max: u64 },
    #[error("there is no line {offset}, the file has {total_lines} lines")]
    PastEnd { offset: u64, total_lines: u64 },
    #[error("{0}{hint}", hint = fs_hint(.0))]
    Fs(FsError),
    #[error("not a text file: {0}")]
    NotText(ScanError),
    #[error("the call was cancelled")]
    Cancelled,
}

impl From<FsError> for ReadFault {
    fn from(error: FsError) -> Self {
        Self::Fs(error)
    }
}

impl From<ScanError> for ReadFault {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::Fs(error) => Self::Fs(error),
            ScanError::Cancelled => Self::Cancelled,
            bad @ (ScanError::Binary { .. } | ScanError::BadEncoding { .. }) => Self::NotText(bad),
        }
    }
}

impl ReadFault {
    /// The code programs match on.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::BlankPath | Self::ZeroOffset | Self::Limit { .. } => "FS_INVALID_ARGUMENT",
            Self::PastEnd { .. } => "FS_NOT_FOUND",
            Self::Fs(error) => fs_code(error),
            Self::NotText(_) => "FS_NOT_TEXT",
            Self::Cancelled => code::ABORTED,
        }
    }
}

impl From<ReadError> for ToolError {
    fn from(error: ReadError) -> Self {
        // A blank path has no name to put in front.
        let message = if error.fault == ReadFault::BlankPath {
            error.fault.to_string()
        } else {
            error.to_string()
        };
        // The registry's own class and code, as for a call that is cancelled while it does not look.
        let class = if error.fault == ReadFault::Cancelled { "AbortError" } else { CLASS };
        Self::coded(class, error.fault.code(), message)
    }
}

/// The code of a failure of the file system.
pub(super) fn fs_code(error: &FsError) -> &'static str {
    match error {
        FsError::NotFound => "FS_NOT_FOUND",
        FsError::PermissionDenied => "FS_PERMISSION_DENIED",
        FsError::NotRegularFile(_) => "FS_NOT_REGULAR_FILE",
        FsError::NotDirectory => "FS_NOT_DIRECTORY",
        FsError::Io(_) => "FS_IO_ERROR",
    }
}

/// What to do about it, where that is plain.
pub(super) fn fs_hint(error: &FsError) -> &'static str {
    match error {
        FsError::NotFound => "; find the path with glob",
        FsError::NotRegularFile(crate::seam::error::FileKind::Directory) => {
            "; list what is in it with glob"
        }
        FsError::NotRegularFile(_) => "; give the path of a regular file",
        FsError::PermissionDenied => {
            "; the system refuses this user: see its rights with `ls -ld`, or use another path"
        }
        FsError::NotDirectory | FsError::Io(_) => "",
    }
}
