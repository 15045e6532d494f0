//! Example jobs.

use tool_seams::{Job, JobId, JobStatus};

/// A job with this id, label and status.
pub(super) fn job(id: &str, label: &str, status: JobStatus, detail: Option<&str>) -> Job {
    let kind = id.rsplit_once('-').map_or(id, |(kind, _)| kind).to_owned();
    Job {
        id: JobId::new(id),
        kind,
        label: label.to_owned(),
        status,
        detail: detail.map(str::to_owned),
        started_at: 1_767_225_600_000,
        finished_at: status.has_ended().then_some(1_767_225_601_500),
    }
}
