//! What a producer hands over when its job has begun.

use std::fmt;
use std::sync::Arc;

use contract_registry::ToolError;
use futures_util::future::BoxFuture;

use super::job::JobId;

/// Begins a job under the id that it will have.
pub type Begin<'a> = Box<dyn FnOnce(&JobId) -> Result<JobRun, ToolError> + 'a>;

/// Asks a job to end, with a reason if there is one. Returns at once, and may be called again.
pub type Cancel = Box<dyn Fn(Option<&str>) + Send + Sync>;

/// A job that has begun.
pub struct JobRun {
    /// Asks it to end.
    pub cancel: Cancel,
    /// Completes once it has ended and nothing that it held is left. It is polled on a thread of the service,
    /// under no particular async runtime. A panic counts as [`JobEnd::Failed`].
    pub done: BoxFuture<'static, JobOutcome>,
    /// Its output while it runs. Without it, the output is what [`JobOutcome::output`] says in the end.
    pub output: Option<Arc<dyn JobOutput>>,
}

impl fmt::Debug for JobRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobRun").field("has_output", &self.output.is_some()).finish_non_exhaustive()
    }
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobOutcome {
    /// In which way.
    pub end: JobEnd,
    /// More on it, such as the exit code.
    pub detail: Option<String>,
    /// Its output, when it has none before its end: every reader gets it, every time.
    pub output: Option<String>,
}

/// In which way a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// It came to its end, whatever that was for it.
    Completed,
    /// It was ended.
    Killed,
    /// It could not be run to its end.
    Failed,
}

/// The output of a job, for any number of readers.
pub trait JobOutput: Send + Sync {
    /// A new reader's place, at the beginning of the output. Moving it moves no other.
    fn reader(&self) -> Box<dyn JobTail>;
}

/// One reader's place in a job's output.
pub trait JobTail: Send {
    /// What came since the last read: at most about `max_bytes` of text, and what is left out is said in it.
    /// It may read a file.
    fn read(&mut self, max_bytes: usize) -> String;
}
