//! Failures of the family `jobs`: a closed set of codes (decisions DG2).

use contract_registry::{ToolError, code};
use tool_seams::JobError;

use crate::text::escape::in_message;

/// Class of every failure of this family.
const CLASS: &str = "JobError";

/// What the service says to a call, as its failure.
pub(crate) fn failure(error: JobError) -> ToolError {
    let (code, message) = match error {
        JobError::Begin(error) => return error,
        JobError::Unknown(id) => (
            "JOB_NOT_FOUND",
            format!("there is no job {}; job_list shows those there are", in_message(id.as_str())),
        ),
        error @ JobError::TooMany { .. } => ("JOB_LIMIT", error.to_string()),
        error @ JobError::Cancel { .. } => ("JOB_CANCEL_FAILED", error.to_string()),
        error @ JobError::Request => ("JOB_INVALID_ARGUMENT", error.to_string()),
        error @ JobError::Thread { .. } => ("JOB_NOT_STARTED", error.to_string()),
    };
    ToolError::coded(CLASS, code, message)
}

/// `timeout_ms` where nothing is waited for.
pub(super) fn timeout_without_wait() -> ToolError {
    let message = "timeout_ms says how long to wait; give wait: true with it, or leave it out";
    ToolError::coded(CLASS, "JOB_INVALID_ARGUMENT", message)
}

/// The call was cancelled while it waited; the job goes on.
pub(super) fn aborted() -> ToolError {
    // The registry's own class and code, as for a call that is cancelled while it does not look.
    ToolError::coded("AbortError", code::ABORTED, "the call was cancelled; the job goes on")
}
