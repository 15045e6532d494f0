//! `job_kill`: asks a background job to end. What it has written stays to be read.

use std::sync::Arc;

use contract_registry::{Annotations, CallContext, Tool, ToolError};
use contract_schema::ContentBlock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::{Job, JobId, JobOwner, Jobs, KillOutcome};

use super::{error, rows};
use crate::config::{ConfigError, JobsCaps};
use crate::text::escape::one_row;

/// Arguments of `job_kill`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct JobKillArgs {
    /// The job, such as `bash-1`.
    #[schemars(length(min = 1, max = 200))]
    pub job_id: String,
    /// Why, for the job's record.
    #[schemars(length(max = 200))]
    pub reason: Option<String>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobKillValue {
    /// Whether the job could still be asked.
    pub outcome: KillOutcome,
    /// How it stands now.
    pub job: Job,
}

/// The tool `job_kill`.
#[derive(Clone, Debug)]
pub struct JobKill {
    jobs: Arc<dyn Jobs>,
    caps: Arc<JobsCaps>,
}

impl JobKill {
    /// Builds the tool over a service.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(jobs: Arc<dyn Jobs>, caps: JobsCaps) -> Result<Self, ConfigError> {
        caps.validate()?;
        Ok(Self { jobs, caps: Arc::new(caps) })
    }
}

impl Tool for JobKill {
    const NAME: &'static str = "job_kill";
    const FAMILY: &'static str = "jobs";
    type Args = JobKillArgs;
    type Value = JobKillValue;
    type Caps = JobsCaps;

    fn description(&self) -> String {
        "End a background job.\n\
         It is asked to end, and made to after a moment. What it has written stays: read it with job_output."
            .to_owned()
    }

    fn annotations(&self) -> Annotations {
        Annotations { destructive: true, idempotent: true, ..Annotations::default() }
    }

    fn caps(&self) -> &JobsCaps {
        &self.caps
    }

    async fn run(&self, args: &JobKillArgs, cx: &CallContext) -> Result<JobKillValue, ToolError> {
        let id = JobId::new(args.job_id.as_str());
        let killed = self.jobs.kill(&JobOwner::of(cx), &id, args.reason.as_deref());
        let killed = killed.map_err(error::failure)?;
        Ok(JobKillValue { outcome: killed.outcome, job: killed.job })
    }

    fn render(_: &JobsCaps, _: &JobKillArgs, value: &JobKillValue) -> Vec<ContentBlock> {
        let id = one_row(value.job.id.as_str());
        vec![ContentBlock::text(match value.outcome {
            KillOutcome::CancellationRequested => format!("Asked {id} to end."),
            KillOutcome::AlreadyFinished => {
                format!("{id} had ended before. [status: {}]", rows::standing(&value.job))
            }
        })]
    }
}

#[cfg(feature = "samples")]
mod samples;
