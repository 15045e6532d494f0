//! Failures of `write` and `edit`: a closed set of codes (decisions DG2).

use contract_registry::{AccessMode, ToolError};

use super::error::{CLASS, fs_code, fs_hint};
use super::hint::Near;
use crate::seam::error::FsError;
use crate::seam::publish::PublishError;
use crate::text::escape::in_message;

/// Why a file was not changed, and which.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {fault}", in_message(.path))]
pub(super) struct ChangeError {
    /// The file, as it is shown.
    pub(super) path: String,
    pub(super) fault: ChangeFault,
}

/// Why a file was not changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ChangeFault {
    #[error("file_path is blank; give the path of a file")]
    BlankPath,
    #[error("the path ends as that of a folder does; give the path of a file")]
    FolderPath,
    #[error("old_string is empty; give the text to replace, or use write for a whole file")]
    EmptyOld,
    #[error("old_string and new_string are the same, so nothing would change")]
    SameStrings,
    #[error("{0}{hint}", hint = publish_hint(.0))]
    Publish(PublishError),
    #[error("there is no such file any more; read again, then retry")]
    Gone,
    #[error("it is not as it was when last seen here; read it again, then retry")]
    Stale,
    #[error("it is there, but has not been read in this session; read it, then retry")]
    NotObserved,
    #[error("not a text file: {0}")]
    NotText(NotText),
    #[error("it has more than {max_bytes} bytes, which is the most that edit takes")]
    TooLarge { max_bytes: usize },
    #[error(
        "with the change it would have more than {max_bytes} bytes, which is the most that edit makes"
    )]
    ResultTooLarge { max_bytes: usize },
    #[error("old_string is not in the file{}", near_hint(.near.as_ref()))]
    NoMatch { near: Option<Near> },
    #[error("old_string is in the file {count} times, {}; add lines around it, or set replace_all", places(.lines, *.count))]
    Ambiguous { count: usize, lines: Vec<usize> },
}

/// Why content is not text that can be edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotText {
    #[error("byte {offset} is NUL")]
    Nul { offset: usize },
    #[error("byte {offset} is not valid UTF-8")]
    Utf8 { offset: usize },
    #[error("byte 0 begins a UTF-16 mark; edit takes UTF-8 only")]
    Utf16,
}

impl From<PublishError> for ChangeFault {
    fn from(error: PublishError) -> Self {
        Self::Publish(error)
    }
}

impl ChangeFault {
    /// The code programs match on.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::BlankPath | Self::EmptyOld | Self::SameStrings => "FS_INVALID_ARGUMENT",
            Self::FolderPath => "FS_NOT_REGULAR_FILE",
            Self::Publish(error) => publish_code(error),
            Self::Gone | Self::Stale => "FS_STALE_VERSION",
            Self::NotObserved => "FS_NOT_OBSERVED",
            Self::NotText(_) => "FS_NOT_TEXT",
            Self::TooLarge { .. } | Self::ResultTooLarge { .. } => "FS_TOO_LARGE",
            Self::NoMatch { .. } => "FS_EDIT_NOT_FOUND",
            Self::Ambiguous { .. } => "FS_AMBIGUOUS_EDIT",
        }
    }
}

fn publish_code(error: &PublishError) -> &'static str {
    match error {
        PublishError::Fs(error) => fs_code(error),
        PublishError::NoFolder { .. } | PublishError::ParentNotFolder { .. } => "FS_NOT_FOUND",
        PublishError::Denied { .. } => "FS_SANDBOX_DENIED",
        PublishError::DanglingLink | PublishError::LinkLoop => "FS_NOT_REGULAR_FILE",
        PublishError::BadName => "FS_INVALID_ARGUMENT",
        PublishError::NoSpace => "FS_NO_SPACE",
        PublishError::ReadOnlyDisk => "FS_READ_ONLY",
        PublishError::TooLarge => "FS_TOO_LARGE",
        PublishError::InUse | PublishError::Locked => "FS_BUSY",
        PublishError::Changed => "FS_STALE_VERSION",
        PublishError::Unsure(_) => "FS_IO_ERROR",
        PublishError::Cancelled => "FS_ABORTED",
    }
}

impl From<ChangeError> for ToolError {
    fn from(error: ChangeError) -> Self {
        let message =
            if let ChangeFault::Publish(PublishError::Denied { mode, real }) = &error.fault {
                denied(*mode, &error.path, &real.to_string_lossy())
            } else if error.fault == ChangeFault::BlankPath {
                // There is no name to put in front.
                error.fault.to_string()
            } else {
                error.to_string()
            };
        Self::coded(CLASS, error.fault.code(), message)
    }
}

/// What was refused, and what would allow it (decisions DR6).
fn denied(mode: AccessMode, path: &str, real: &str) -> String {
    let (name, why) = match mode {
        AccessMode::ReadOnly => {
            let instead = "workspace-write access would allow it in the workspace";
            ("read-only", format!("the access mode is read-only; {instead}"))
        }
        AccessMode::WorkspaceWrite | AccessMode::Full => {
            let real = if real == path { "it".to_owned() } else { in_message(real) };
            let place = "under the workspace root nor the temporary folder";
            let key = "access.writable_roots";
            ("workspace-write", format!("{real} is neither {place}; {key} can add folders"))
        }
    };
    format!("[sandbox: file access denied under {name} mode]\n{}: {why}", in_message(path))
}

/// What to do about it, where that is plain.
fn publish_hint(error: &PublishError) -> &'static str {
    match error {
        PublishError::Fs(error) => fs_hint(error),
        PublishError::NoFolder { .. } => fs_hint(&FsError::NotFound),
        PublishError::DanglingLink => "; write to what it should lead to",
        PublishError::NoSpace => "; nothing was changed",
        PublishError::Locked => "; try again",
        PublishError::Changed => "; read it again, then retry",
        PublishError::Denied { .. }
        | PublishError::ParentNotFolder { .. }
        | PublishError::LinkLoop
        | PublishError::BadName
        | PublishError::ReadOnlyDisk
        | PublishError::TooLarge
        | PublishError::InUse
        | PublishError::Unsure(_)
        | PublishError::Cancelled => "",
    }
}

fn near_hint(near: Option<&Near>) -> String {
    match near {
        Some(Near::Blanks { line }) => {
            format!("; what begins on line {line} differs in blanks only. Nothing was changed")
        }
        Some(Near::LineNumbers { line }) => format!(
            "; without the line numbers that read puts in front it is, on line {line}. Nothing was changed"
        ),
        None => "; read the file for its exact text".to_owned(),
    }
}

fn places(lines: &[usize], count: usize) -> String {
    let shown: Vec<String> = lines.iter().map(usize::to_string).collect();
    let more = if count > lines.len() { " and further" } else { "" };
    format!("on lines {}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_was_refused_and_what_would_allow_it() {
        let refused_at = |path: &str, mode| {
            let real = "/out/f".into();
            let fault = PublishError::Denied { mode, real }.into();
            ToolError::from(ChangeError { path: path.to_owned(), fault }).message().to_owned()
        };
        let refused = |mode| refused_at("link/f", mode);
        assert_eq!(
            refused_at("/out/f", AccessMode::WorkspaceWrite),
            "[sandbox: file access denied under workspace-write mode]\n/out/f: it is neither under the \
             workspace root nor the temporary folder; access.writable_roots can add folders"
        );
        assert_eq!(
            refused(AccessMode::WorkspaceWrite),
            "[sandbox: file access denied under workspace-write mode]\nlink/f: /out/f is neither under \
             the workspace root nor the temporary folder; access.writable_roots can add folders"
        );
        assert_eq!(
            refused(AccessMode::ReadOnly),
            "[sandbox: file access denied under read-only mode]\nlink/f: the access mode is read-only; \
             workspace-write access would allow it in the workspace"
        );
    }

    #[test]
    fn every_failure_to_publish_has_its_code() {
        let codes = [
            (PublishError::Fs(FsError::PermissionDenied), "FS_PERMISSION_DENIED"),
            (PublishError::NoFolder { real: "/a".into() }, "FS_NOT_FOUND"),
            (PublishError::ParentNotFolder { part: None }, "FS_NOT_FOUND"),
            (PublishError::DanglingLink, "FS_NOT_REGULAR_FILE"),
            (PublishError::LinkLoop, "FS_NOT_REGULAR_FILE"),
            (PublishError::BadName, "FS_INVALID_ARGUMENT"),
            (PublishError::NoSpace, "FS_NO_SPACE"),
            (PublishError::ReadOnlyDisk, "FS_READ_ONLY"),
            (PublishError::TooLarge, "FS_TOO_LARGE"),
            (PublishError::InUse, "FS_BUSY"),
            (PublishError::Locked, "FS_BUSY"),
            (PublishError::Changed, "FS_STALE_VERSION"),
            (PublishError::Unsure("x".to_owned()), "FS_IO_ERROR"),
            (PublishError::Cancelled, "FS_ABORTED"),
        ];
        for (error, code) in codes {
            assert_eq!(ChangeFault::from(error).code(), code);
        }
    }
}
