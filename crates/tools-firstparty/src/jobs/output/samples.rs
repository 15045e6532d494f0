//! Example calls of `job_output`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;
use tool_seams::JobStatus;

use super::{JobOutput, JobOutputValue};
use crate::jobs::samples::job;

impl ToolSamples for JobOutput {
    fn samples(&self) -> Vec<Sample<JobOutputValue>> {
        let server = |status, detail| job("bash-1", "npm run dev", status, detail);
        vec![
            Sample {
                name: "new output of a job that runs",
                args: json!({ "job_id": "bash-1" }),
                value: JobOutputValue {
                    text: "listening on 3000\n".to_owned(),
                    job: server(JobStatus::Running, None),
                },
            },
            Sample {
                name: "nothing new",
                args: json!({ "job_id": "bash-1", "wait": true, "timeout_ms": 500 }),
                value: JobOutputValue {
                    text: String::new(),
                    job: server(JobStatus::Stopping, None),
                },
            },
            Sample {
                name: "the rest of a job that has ended",
                args: json!({ "job_id": "bash-1", "wait": true }),
                value: JobOutputValue {
                    text: "1 failed".to_owned(),
                    job: server(JobStatus::Completed, Some("exit code 1")),
                },
            },
            Sample {
                name: "gap in the output",
                args: json!({ "job_id": "bash-1" }),
                value: JobOutputValue {
                    text: "first\n[70000 bytes left out]\nlast\n".to_owned(),
                    job: server(JobStatus::Killed, Some("signal SIGTERM; reason: wrong port")),
                },
            },
        ]
    }
}
