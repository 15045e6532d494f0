//! Errors of the seam to jobs.

use std::io;

use contract_registry::ToolError;

use super::job::JobId;

/// Why the service did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The owner has no job of that id.
    #[error("there is no job {0}")]
    Unknown(JobId),
    /// The owner has as many unfinished jobs as it may have.
    #[error("{max_unfinished} jobs are unfinished already; wait for one, or kill one")]
    TooMany {
        /// How many it may have.
        max_unfinished: usize,
    },
    /// Kind or label is blank, or the kind could not begin an id.
    #[error("a job needs a kind of letters, digits, `-` and `_`, and a label that is not blank")]
    Request,
    /// The job could not be begun.
    #[error(transparent)]
    Begin(#[from] ToolError),
    /// The hook that cancels the job panicked.
    #[error("the job {id} could not be asked to end: {panic}")]
    Cancel {
        /// The job.
        id: JobId,
        /// What the panic said.
        panic: String,
    },
    /// The system has no thread to wait for the job with.
    #[error("no job can be started: {source}")]
    Thread {
        /// What the system said.
        source: io::Error,
    },
}
