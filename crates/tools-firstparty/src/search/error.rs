//! Failures of the family `search`: a closed set of codes (decisions DG2).

use contract_registry::{ToolError, code};

use super::pattern::PatternError;
use crate::seam::error::FsError;
use crate::text::escape::in_message;

/// Class of every failure of this family.
const CLASS: &str = "SearchError";

/// Why there is no result.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SearchError {
    #[error("path is blank; leave it out to search the workspace")]
    BlankPath,
    #[error("pattern is not a valid path pattern: {0}")]
    Glob(PatternError),
    #[error("include is not a valid path pattern: {0}")]
    Include(PatternError),
    #[error(
        "include cannot exclude: leave the `!` out, or write `\\!` for a name that begins with it"
    )]
    NegatedInclude,
    #[error("include is one path pattern; write several as {{a,b}}")]
    IncludeList,
    #[error("pattern is empty")]
    EmptyRegex,
    #[error("pattern is longer than {max_bytes} bytes")]
    RegexTooLong { max_bytes: usize },
    #[error(
        "pattern is not a valid regular expression: {0}; put a backslash before characters meant as they are"
    )]
    Regex(String),
    #[error(
        "a match is within one line, so the pattern cannot hold a line break; search for one line of it"
    )]
    LineBreak,
    #[error("{}: {error}", in_message(.path))]
    Path { path: String, error: FsError },
    #[error("nothing was found in {seconds} s and there is more to search; narrow the search")]
    Timeout { seconds: u64 },
    #[error("the call was cancelled")]
    Cancelled,
}

impl SearchError {
    fn code(&self) -> &'static str {
        match self {
            Self::BlankPath => "SEARCH_INVALID_ARGUMENT",
            Self::Glob(_)
            | Self::Include(_)
            | Self::NegatedInclude
            | Self::IncludeList
            | Self::EmptyRegex
            | Self::RegexTooLong { .. }
            | Self::Regex(_)
            | Self::LineBreak => "SEARCH_INVALID_PATTERN",
            Self::Path { error, .. } => match error {
                FsError::NotFound => "SEARCH_NOT_FOUND",
                FsError::NotDirectory => "SEARCH_NOT_DIRECTORY",
                FsError::PermissionDenied => "SEARCH_PERMISSION_DENIED",
                FsError::NotRegularFile(_) => "SEARCH_NOT_REGULAR_FILE",
                FsError::Io(_) => "SEARCH_IO_ERROR",
            },
            Self::Timeout { .. } => "SEARCH_TIMEOUT",
            Self::Cancelled => code::ABORTED,
        }
    }
}

impl From<SearchError> for ToolError {
    fn from(error: SearchError) -> Self {
        // The registry's own class and code, as for a call that is cancelled while it does not look.
        let class = if error == SearchError::Cancelled { "AbortError" } else { CLASS };
        Self::coded(class, error.code(), error.to_string())
    }
}
