//! What is known of a job in public.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The id of a job: its kind and a number. Knowing one gives no access; only the owner has that.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct JobId(String);

impl JobId {
    /// Takes an id as a caller has it.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// The docs of this type are model text: tools return it.
/// A background job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// What kind of job, such as `bash`.
    pub kind: String,
    /// What it does, such as the command.
    pub label: String,
    /// How it stands.
    pub status: JobStatus,
    /// More on how it ended, such as the exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// When it was started, in milliseconds since 1970.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub started_at: u64,
    /// When it ended, in milliseconds since 1970; absent before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub finished_at: Option<u64>,
}

/// How a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum JobStatus {
    /// It runs.
    Running,
    /// It was asked to end and has not yet.
    Stopping,
    /// It came to its end, whatever that was for it.
    Completed,
    /// It was ended.
    Killed,
    /// It could not be run to its end.
    Failed,
}

impl JobStatus {
    /// Whether it has ended.
    #[must_use]
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Killed | Self::Failed)
    }

    /// The status as a word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Completed => "completed",
            Self::Killed => "killed",
            Self::Failed => "failed",
        }
    }
}

/// What a reader had not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRead {
    /// The output; a gap in it is marked inside.
    pub text: String,
    /// How the job stood before the output was read: of one that had ended, this is all.
    pub job: Job,
}

/// What came of asking a job to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobKill {
    /// Whether there was anything to ask.
    pub outcome: KillOutcome,
    /// How it stands now.
    pub job: Job,
}

/// Whether a job could still be asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KillOutcome {
    /// It was asked to, now or before.
    CancellationRequested,
    /// It had ended before.
    AlreadyFinished,
}

/// The ends of jobs that the model has not seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobNotice {
    /// The jobs, in the order in which they ended.
    pub jobs: Vec<Job>,
    /// The same as text for the model, within the service's limit.
    pub text: String,
}
