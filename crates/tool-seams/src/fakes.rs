//! Implementations for tests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::jobs::{
    Begin, Job, JobEnd, JobError, JobId, JobKill, JobNotice, JobOutcome, JobOwner, JobRead,
    JobReader, JobRequest, JobRun, JobStatus, JobTail, Jobs, KillOutcome,
};

/// Jobs that run nothing: each stands as the test says.
///
/// `wait` gives at once how the job stands, and `done` of a job is polled by nobody unless the test takes the
/// run.
#[derive(Debug, Default)]
pub struct FakeJobs {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    jobs: Vec<Entry>,
    refusal: Option<JobError>,
    panics: bool,
    notices: Vec<(JobOwner, JobNotice)>,
}

struct Entry {
    owner: JobOwner,
    job: Job,
    run: Option<JobRun>,
    output: Option<String>,
    readers: BTreeMap<JobReader, Box<dyn JobTail>>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("job", &self.job).finish_non_exhaustive()
    }
}

impl FakeJobs {
    /// The next start is refused with this.
    pub fn refuse(&self, error: JobError) {
        self.state().refusal = Some(error);
    }

    /// The next start panics once the job has begun.
    ///
    /// # Panics
    /// Not here: in the start.
    pub fn panic_after_begin(&self) {
        self.state().panics = true;
    }

    /// What the producer handed over for a job, to be polled and called by the test.
    pub fn take_run(&self, id: &JobId) -> Option<JobRun> {
        self.state().jobs.iter_mut().find(|entry| entry.job.id == *id)?.run.take()
    }

    /// Ends a job.
    pub fn settle(&self, id: &JobId, outcome: JobOutcome) {
        let mut state = self.state();
        let found = state.jobs.iter_mut().find(|entry| entry.job.id == *id);
        if let Some(entry) = found {
            entry.job.status = match outcome.end {
                JobEnd::Completed => JobStatus::Completed,
                JobEnd::Killed => JobStatus::Killed,
                JobEnd::Failed => JobStatus::Failed,
            };
            entry.job.detail = outcome.detail;
            entry.job.finished_at = Some(entry.job.started_at);
            entry.output = outcome.output;
        }
    }

    /// Has [`take_notice`](Jobs::take_notice) give this, after what it has to give already.
    pub fn push_notice(&self, owner: JobOwner, notice: JobNotice) {
        self.state().notices.push((owner, notice));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn entry(&mut self, owner: &JobOwner, id: &JobId) -> Result<&mut Entry, JobError> {
        let found = self.jobs.iter_mut().find(|entry| entry.owner == *owner && entry.job.id == *id);
        found.ok_or_else(|| JobError::Unknown(id.clone()))
    }
}

impl Jobs for FakeJobs {
    fn start(&self, request: JobRequest, begin: Begin<'_>) -> Result<Job, JobError> {
        let mut state = self.state();
        if let Some(refusal) = state.refusal.take() {
            return Err(refusal);
        }
        let number = state.jobs.iter().filter(|entry| entry.job.kind == request.kind).count() + 1;
        let id = JobId::new(format!("{}-{number}", request.kind));
        let run = Some(begin(&id)?);
        assert!(!state.panics, "a start that a test has panic");
        let (started_at, status) = (1_000, JobStatus::Running);
        let JobRequest { owner, kind, label, .. } = request;
        let job = Job { id, kind, label, status, detail: None, started_at, finished_at: None };
        let readers = BTreeMap::new();
        state.jobs.push(Entry { owner, job: job.clone(), run, output: None, readers });
        Ok(job)
    }

    fn list(&self, owner: &JobOwner) -> Vec<Job> {
        let state = self.state();
        let own = state.jobs.iter().filter(|entry| entry.owner == *owner);
        own.map(|entry| entry.job.clone()).collect()
    }

    fn read(&self, owner: &JobOwner, id: &JobId, reader: &JobReader) -> Result<JobRead, JobError> {
        let mut state = self.state();
        let entry = state.entry(owner, id)?;
        let output = entry.run.as_ref().and_then(|run| run.output.clone());
        let text = match output {
            Some(output) => {
                let tail = entry.readers.entry(reader.clone()).or_insert_with(|| output.reader());
                tail.read(usize::MAX)
            }
            None => entry.output.clone().unwrap_or_default(),
        };
        Ok(JobRead { text, job: entry.job.clone() })
    }

    fn wait<'a>(
        &'a self,
        owner: &'a JobOwner,
        id: &'a JobId,
        _: &'a JobReader,
        _: Duration,
    ) -> BoxFuture<'a, Result<Job, JobError>> {
        Box::pin(async move { Ok(self.state().entry(owner, id)?.job.clone()) })
    }

    fn kill(
        &self,
        owner: &JobOwner,
        id: &JobId,
        reason: Option<&str>,
    ) -> Result<JobKill, JobError> {
        let mut state = self.state();
        let entry = state.entry(owner, id)?;
        let ended = entry.job.status.has_ended();
        if !ended {
            if let Some(run) = &entry.run {
                (run.cancel)(reason);
            }
            entry.job.status = JobStatus::Stopping;
        }
        let outcome =
            if ended { KillOutcome::AlreadyFinished } else { KillOutcome::CancellationRequested };
        Ok(JobKill { outcome, job: entry.job.clone() })
    }

    fn take_notice(&self, owner: &JobOwner) -> Option<JobNotice> {
        let mut state = self.state();
        let at = state.notices.iter().position(|(whose, _)| whose == owner)?;
        Some(state.notices.remove(at).1)
    }

    fn noticed<'a>(&'a self, owner: &'a JobOwner) -> BoxFuture<'a, ()> {
        let has_one = self.state().notices.iter().any(|(whose, _)| whose == owner);
        if has_one { Box::pin(std::future::ready(())) } else { Box::pin(std::future::pending()) }
    }

    fn changed(&self, _: u64) -> BoxFuture<'_, u64> {
        Box::pin(std::future::pending())
    }

    fn end<'a>(&'a self, owner: &'a JobOwner) -> BoxFuture<'a, ()> {
        self.state().jobs.retain(|entry| entry.owner != *owner);
        Box::pin(std::future::ready(()))
    }
}
