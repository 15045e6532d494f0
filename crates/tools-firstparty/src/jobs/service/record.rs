//! One job as the service keeps it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tool_seams::{
    Cancel, Job, JobEnd, JobId, JobOutcome, JobOutput, JobRequest, JobRun, JobStatus,
};

use super::readers::{Readers, Source};
use crate::config::JobsCaps;
use crate::text::cut;

/// A job with its bookkeeping.
pub(super) struct Record {
    pub(super) job: Job,
    /// Model's waits for its end that are going on.
    pub(super) waiting: usize,
    /// Its place in the order in which jobs ended.
    pub(super) order: u64,
    /// The model knows how it ended, or nobody wants to.
    is_seen: bool,
    is_asked: bool,
    reason: Option<String>,
    cancel: Arc<Cancel>,
    output: Option<Arc<dyn JobOutput>>,
    whole: Option<Arc<str>>,
    readers: Readers,
    /// Most bytes of one read.
    pub(super) page_max_bytes: usize,
}

impl Record {
    /// A job that runs, and what completes when it does not any more.
    pub(super) fn new(
        caps: &JobsCaps,
        request: JobRequest,
        id: JobId,
        run: JobRun,
        started_at: u64,
    ) -> (Self, BoxFuture<'static, JobOutcome>) {
        let JobRequest { kind, label, page_max_bytes, .. } = request;
        let kept = cut::to_bytes(&label, caps.label_max_bytes);
        let label = if kept.len() < label.len() { format!("{kept}…") } else { label };
        let status = JobStatus::Running;
        let record = Self {
            job: Job { id, kind, label, status, detail: None, started_at, finished_at: None },
            waiting: 0,
            order: 0,
            is_seen: false,
            is_asked: false,
            reason: None,
            cancel: Arc::new(run.cancel),
            output: run.output,
            whole: None,
            readers: Readers::default(),
            page_max_bytes: page_max_bytes
                .map_or(caps.page_max_bytes, |own| own.min(caps.page_max_bytes)),
        };
        (record, run.done)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.job.status.has_ended()
    }

    /// Whether the model should be told of its end.
    pub(super) fn is_due(&self) -> bool {
        self.has_ended() && !self.is_seen && self.waiting == 0
    }

    /// Whether the model knows of its end.
    pub(super) fn is_seen(&self) -> bool {
        self.is_seen
    }

    /// The model sees how it stands; that counts once it has ended.
    pub(super) fn see(&mut self) {
        self.is_seen |= self.has_ended();
    }

    /// Nobody wants to be told of its end.
    pub(super) fn silence(&mut self) {
        self.is_seen = true;
    }

    /// The hook that asks it to end, unless it was asked before or has ended.
    pub(super) fn cancel_unless_asked(&self) -> Option<Arc<Cancel>> {
        (!self.is_asked && !self.has_ended()).then(|| Arc::clone(&self.cancel))
    }

    /// It was asked to end. It may have ended meanwhile.
    pub(super) fn stop(&mut self, reason: Option<&str>) -> Job {
        self.silence();
        if !self.has_ended() {
            self.job.status = JobStatus::Stopping;
            if !self.is_asked {
                self.reason = reason.map(str::to_owned);
            }
            self.is_asked = true;
        }
        self.job.clone()
    }

    /// It has ended; the first time counts.
    pub(super) fn settle(&mut self, outcome: JobOutcome, finished_at: u64, order: u64) {
        if self.has_ended() {
            return;
        }
        self.job.status = match outcome.end {
            JobEnd::Completed => JobStatus::Completed,
            JobEnd::Killed => JobStatus::Killed,
            JobEnd::Failed => JobStatus::Failed,
        };
        let reason = self.reason.take().filter(|_| outcome.end == JobEnd::Killed);
        self.job.detail = match (outcome.detail, reason) {
            (Some(detail), Some(reason)) => Some(format!("{detail}; reason: {reason}")),
            (None, Some(reason)) => Some(format!("reason: {reason}")),
            (detail, None) => detail,
        };
        self.job.finished_at = Some(finished_at.max(self.job.started_at));
        self.whole = outcome.output.map(Arc::from);
        self.order = order;
    }

    /// Its output, to be read outside the lock.
    pub(super) fn source(&self) -> Source {
        match &self.output {
            Some(output) => {
                let (output, readers) = (Arc::clone(output), Arc::clone(&self.readers));
                Source::Growing { output, readers }
            }
            None => Source::Whole(self.whole.clone()),
        }
    }
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("job", &self.job).finish_non_exhaustive()
    }
}
