//! Limits of background jobs and of the tools that show them.

use super::{BYTES_MAX, ConfigError, TIMER_MAX_MS, as_u64, within};

/// Limits of the job service and of `job_output`, `job_list` and `job_kill`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobsCaps {
    /// Unfinished jobs that one owner may have; the next one is refused.
    pub max_unfinished: usize,
    /// Finished jobs that are kept for one owner, with their output; the oldest are forgotten first.
    pub max_finished: usize,
    /// Readers of one job whose place is kept; who read longest ago begins anew.
    pub max_readers: usize,
    /// Bytes of output that one read gives; what is left out between its ends is counted in it.
    pub page_max_bytes: usize,
    /// Bytes of a job's label that are kept.
    pub label_max_bytes: usize,
    /// Characters of a label that a row shows.
    pub row_label_max_chars: usize,
    /// Bytes of the text of a notice.
    pub notice_max_bytes: usize,
    /// Milliseconds that a waiting `job_output` waits when `timeout_ms` is left out.
    pub wait_default_ms: u64,
    /// Most milliseconds that it can be asked to wait.
    pub wait_max_ms: u64,
}

impl Default for JobsCaps {
    fn default() -> Self {
        Self {
            max_unfinished: 10,
            max_finished: 50,
            max_readers: 16,
            page_max_bytes: 64_000,
            label_max_bytes: 4_096,
            row_label_max_chars: 120,
            notice_max_bytes: 2_000,
            wait_default_ms: 30_000,
            wait_max_ms: 600_000,
        }
    }
}

impl JobsCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        within("jobs.max_unfinished", as_u64(self.max_unfinished), 1, 10_000)?;
        within("jobs.max_finished", as_u64(self.max_finished), 1, 10_000)?;
        within("jobs.max_readers", as_u64(self.max_readers), 2, 10_000)?;
        within("jobs.page_max_bytes", as_u64(self.page_max_bytes), 256, BYTES_MAX)?;
        within("jobs.label_max_bytes", as_u64(self.label_max_bytes), 16, BYTES_MAX)?;
        within("jobs.row_label_max_chars", as_u64(self.row_label_max_chars), 16, BYTES_MAX)?;
        within("jobs.notice_max_bytes", as_u64(self.notice_max_bytes), 256, BYTES_MAX)?;
        within("jobs.wait_max_ms", self.wait_max_ms, 1, TIMER_MAX_MS)?;
        within("jobs.wait_default_ms", self.wait_default_ms, 1, self.wait_max_ms)
    }
}
