//! Example calls of `job_kill`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;
use tool_seams::{JobStatus, KillOutcome};

use super::{JobKill, JobKillValue};
use crate::jobs::samples::job;

impl ToolSamples for JobKill {
    fn samples(&self) -> Vec<Sample<JobKillValue>> {
        vec![
            Sample {
                name: "a job that ran",
                args: json!({ "job_id": "bash-1", "reason": "wrong port" }),
                value: JobKillValue {
                    outcome: KillOutcome::CancellationRequested,
                    job: job("bash-1", "npm run dev", JobStatus::Stopping, None),
                },
            },
            Sample {
                name: "a job that had ended",
                args: json!({ "job_id": "bash-2" }),
                value: JobKillValue {
                    outcome: KillOutcome::AlreadyFinished,
                    job: job("bash-2", "make", JobStatus::Completed, Some("exit code 0")),
                },
            },
        ]
    }
}
