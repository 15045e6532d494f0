//! Example calls of `job_list`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;
use tool_seams::JobStatus;

use super::{JobList, JobListValue};
use crate::jobs::samples::job;

impl ToolSamples for JobList {
    fn samples(&self) -> Vec<Sample<JobListValue>> {
        let long = format!("python3 - <<'E'\nprint('{}')\nE", "x".repeat(200));
        let mut odd = job("terminal-send-2", "pty-1: make", JobStatus::Running, None);
        odd.kind = "input".to_owned();
        vec![
            Sample { name: "no jobs", args: json!({}), value: JobListValue(Vec::new()) },
            Sample {
                name: "jobs of every status",
                args: json!({}),
                value: JobListValue(vec![
                    job("bash-1", "npm run dev", JobStatus::Running, None),
                    job("bash-2", "sleep 100", JobStatus::Stopping, None),
                    job("bash-3", "cargo test", JobStatus::Completed, Some("exit code 101")),
                    job("bash-4", "yes", JobStatus::Killed, Some("signal SIGTERM")),
                    job("bash-5", &long, JobStatus::Failed, Some("bash could not be started")),
                    odd,
                ]),
            },
        ]
    }
}
