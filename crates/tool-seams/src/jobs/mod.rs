//! Background jobs: what runs on after the call that started it.

mod error;
mod hooks;
mod job;
mod party;

use std::fmt::Debug;
use std::time::Duration;

use futures_util::future::BoxFuture;

pub use error::JobError;
pub use hooks::{Begin, Cancel, JobEnd, JobOutcome, JobOutput, JobRun, JobTail};
pub use job::{Job, JobId, JobKill, JobNotice, JobRead, JobStatus, KillOutcome};
pub use party::{JobOwner, JobReader};

/// What is asked for when a job is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRequest {
    /// Whose job it is.
    pub owner: JobOwner,
    /// What kind of job, in a word; ids begin with it: `bash` gives `bash-1`.
    pub kind: String,
    /// What a list shows of it, such as the command.
    pub label: String,
    /// Most bytes of one read of its output; without it, what the service has configured.
    pub page_max_bytes: Option<usize>,
}

/// The service that holds jobs.
///
/// A job is known to its owner alone: to anyone else its id names nothing.
pub trait Jobs: Debug + Send + Sync + 'static {
    /// Starts a job. `begin` is called once, after the request was found good and the owner has room for one
    /// more; when it fails there is no job and no id was given out.
    ///
    /// # Errors
    /// [`JobError::TooMany`], [`JobError::Request`] and [`JobError::Thread`] before anything was begun,
    /// [`JobError::Begin`] with what `begin` said.
    fn start(&self, request: JobRequest, begin: Begin<'_>) -> Result<Job, JobError>;

    /// The owner's jobs, in the order in which they were started.
    fn list(&self, owner: &JobOwner) -> Vec<Job>;

    /// What a reader has not read yet of a job's output, and how the job stands (decisions DR4). It takes
    /// nothing from other readers. It may read a file, so call it where blocking is allowed.
    ///
    /// # Errors
    /// [`JobError::Unknown`].
    fn read(&self, owner: &JobOwner, id: &JobId, reader: &JobReader) -> Result<JobRead, JobError>;

    /// Waits until a job has ended, at most for `at_most`; gives how it stands then. Dropping the future ends
    /// the waiting and nothing else.
    ///
    /// # Errors
    /// [`JobError::Unknown`].
    fn wait<'a>(
        &'a self,
        owner: &'a JobOwner,
        id: &'a JobId,
        reader: &'a JobReader,
        at_most: Duration,
    ) -> BoxFuture<'a, Result<Job, JobError>>;

    /// Asks a job to end, with a reason for its record; the second time changes nothing. Its end gives no
    /// notice.
    ///
    /// # Errors
    /// [`JobError::Unknown`], [`JobError::Cancel`] when its hook panicked, which leaves it as it was.
    fn kill(&self, owner: &JobOwner, id: &JobId, reason: Option<&str>)
    -> Result<JobKill, JobError>;

    /// The ends of jobs that the model has not seen yet, all in one; each is given once. `None` when there
    /// are none.
    fn take_notice(&self, owner: &JobOwner) -> Option<JobNotice>;

    /// Waits until [`take_notice`](Self::take_notice) has something for the owner.
    fn noticed<'a>(&'a self, owner: &'a JobOwner) -> BoxFuture<'a, ()>;

    /// Counts the changes of all jobs: a start, a step towards the end, a removal. Waits until it is no longer
    /// `seen`; gives what it is then.
    fn changed(&self, seen: u64) -> BoxFuture<'_, u64>;

    /// Ends all jobs of an owner, waits until they are gone, however long that takes, and forgets them. They
    /// give no notices.
    fn end<'a>(&'a self, owner: &'a JobOwner) -> BoxFuture<'a, ()>;
}
