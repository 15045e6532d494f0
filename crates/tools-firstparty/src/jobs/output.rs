//! `job_output`: what came of a background job since the model last asked.
//!
//! Reading takes nothing from others (decisions DR4): a program has a place of its own. `page_max_bytes`
//! bounds what one read gives; what is left out is counted inside the text, where it is missing.

use std::sync::Arc;
use std::time::Duration;

use contract_registry::{Annotations, CallContext, SchemaAdjuster, Tool, ToolError};
use contract_schema::ContentBlock;
use futures_util::future::{Either, select};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::{Job, JobId, JobOwner, JobReader, Jobs};

use super::{error, rows};
use crate::config::{ConfigError, JobsCaps};

/// Arguments of `job_output`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct JobOutputArgs {
    /// The job, such as `bash-1`.
    #[schemars(length(min = 1, max = 200))]
    pub job_id: String,
    /// Wait until the job has ended before reading. Default false.
    pub wait: Option<bool>,
    /// With `wait`: how many milliseconds to wait at most.
    #[schemars(range(min = 1, max = 2_147_483_647_u64))]
    pub timeout_ms: Option<u64>,
}

/// What a read gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobOutputValue {
    /// Output since this reader's last read; a gap in it is marked inside.
    pub text: String,
    /// The job. Once it has ended, `text` was the rest of its output.
    pub job: Job,
}

/// The tool `job_output`.
#[derive(Clone, Debug)]
pub struct JobOutput {
    jobs: Arc<dyn Jobs>,
    caps: Arc<JobsCaps>,
}

impl JobOutput {
    /// Builds the tool over a service.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(jobs: Arc<dyn Jobs>, caps: JobsCaps) -> Result<Self, ConfigError> {
        caps.validate()?;
        Ok(Self { jobs, caps: Arc::new(caps) })
    }
}

impl Tool for JobOutput {
    const NAME: &'static str = "job_output";
    const FAMILY: &'static str = "jobs";
    type Args = JobOutputArgs;
    type Value = JobOutputValue;
    type Caps = JobsCaps;

    fn description(&self) -> String {
        format!(
            "Read what a background job has written since you last read it.\n\
             The last row is the job's status. With `wait` it is read once the job has ended, or when the \
             time is up; it goes on all the same. One read gives at most {} bytes; what it leaves out is counted where it is missing.",
            self.caps.page_max_bytes,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { read_only: true, ..Annotations::default() }
    }

    fn caps(&self) -> &JobsCaps {
        &self.caps
    }

    async fn run(
        &self,
        args: &JobOutputArgs,
        cx: &CallContext,
    ) -> Result<JobOutputValue, ToolError> {
        let (owner, reader) = (JobOwner::of(cx), JobReader::of(cx));
        let id = JobId::new(args.job_id.as_str());
        match (args.wait.unwrap_or(false), args.timeout_ms) {
            (true, timeout_ms) => {
                let at_most =
                    Duration::from_millis(timeout_ms.unwrap_or(self.caps.wait_default_ms));
                let waited = self.jobs.wait(&owner, &id, &reader, at_most);
                match select(waited, std::pin::pin!(cx.cancel().cancelled())).await {
                    Either::Left((waited, _)) => waited.map_err(error::failure)?,
                    Either::Right(_) => return Err(error::aborted()),
                };
            }
            (false, Some(_)) => return Err(error::timeout_without_wait()),
            (false, None) => {}
        }
        let jobs = Arc::clone(&self.jobs);
        let read = cx.blocking(move |_| jobs.read(&owner, &id, &reader)).await?;
        let read = read.map_err(error::failure)?;
        Ok(JobOutputValue { text: read.text, job: read.job })
    }

    fn render(_: &JobsCaps, _: &JobOutputArgs, value: &JobOutputValue) -> Vec<ContentBlock> {
        vec![ContentBlock::text(text(value))]
    }

    fn adjust_schema(&self, schema: &mut SchemaAdjuster<'_>) {
        let (default, max) = (self.caps.wait_default_ms, self.caps.wait_max_ms);
        schema.maximum("timeout_ms", max);
        let text = format!(
            "With `wait`: how many milliseconds to wait at most, up to {max}. Default {default}."
        );
        schema.describe("timeout_ms", text);
    }
}

fn text(value: &JobOutputValue) -> String {
    let body = if value.text.is_empty() { "(no new output)" } else { &value.text };
    let line_break = if body.ends_with('\n') { "" } else { "\n" };
    format!("{body}{line_break}[status: {}]", rows::standing(&value.job))
}

#[cfg(feature = "samples")]
mod samples;
