//! `job_list`: the caller's background jobs.
//!
//! The value keeps labels as far as the service does; a row shows the first `row_label_max_chars`.

use std::sync::Arc;

use contract_registry::{Annotations, CallContext, Tool, ToolError};
use contract_schema::ContentBlock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::{Job, JobOwner, Jobs};

use super::rows;
use crate::config::{ConfigError, JobsCaps};

/// Arguments of `job_list`: none.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct JobListArgs {}

/// The caller's jobs, in the order in which they were started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct JobListValue(pub Vec<Job>);

/// The tool `job_list`.
#[derive(Clone, Debug)]
pub struct JobList {
    jobs: Arc<dyn Jobs>,
    caps: Arc<JobsCaps>,
}

impl JobList {
    /// Builds the tool over a service.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(jobs: Arc<dyn Jobs>, caps: JobsCaps) -> Result<Self, ConfigError> {
        caps.validate()?;
        Ok(Self { jobs, caps: Arc::new(caps) })
    }
}

impl Tool for JobList {
    const NAME: &'static str = "job_list";
    const FAMILY: &'static str = "jobs";
    type Args = JobListArgs;
    type Value = JobListValue;
    type Caps = JobsCaps;

    fn description(&self) -> String {
        format!(
            "List your background jobs and how they stand.\n\
             The last {} that have ended are kept.",
            self.caps.max_finished,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { read_only: true, idempotent: true, ..Annotations::default() }
    }

    fn caps(&self) -> &JobsCaps {
        &self.caps
    }

    async fn run(&self, _: &JobListArgs, cx: &CallContext) -> Result<JobListValue, ToolError> {
        Ok(JobListValue(self.jobs.list(&JobOwner::of(cx))))
    }

    fn render(caps: &JobsCaps, _: &JobListArgs, value: &JobListValue) -> Vec<ContentBlock> {
        if value.0.is_empty() {
            return vec![ContentBlock::text("(no background jobs)")];
        }
        let rows = value.0.iter().map(|job| rows::row(job, caps.row_label_max_chars, usize::MAX));
        vec![ContentBlock::text(rows.collect::<Vec<_>>().join("\n"))]
    }
}

#[cfg(feature = "samples")]
mod samples;
