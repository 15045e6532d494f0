//! The job service: jobs of this process, in memory.
//!
//! A job's `done` is polled on a thread of its own, so the service needs no async runtime. Dropping the
//! service asks every job to end.

mod drive;
mod notice;
mod readers;
mod record;
mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_timer::Delay;
use futures_util::future::{BoxFuture, Either, FutureExt as _, select};
use tokio::sync::watch;
use tool_seams::{
    Begin, Job, JobError, JobId, JobKill, JobNotice, JobOutcome, JobOwner, JobRead, JobReader,
    JobRequest, Jobs, KillOutcome,
};

use self::drive::{Driver, contained};
use self::record::Record;
use self::state::State;
use crate::config::{ConfigError, JobsCaps};

/// Background jobs of this process. Clones share them.
#[derive(Clone, Debug)]
pub struct JobService {
    shared: Arc<Shared>,
}

/// What the service and the threads of its jobs share; they hold it weakly.
#[derive(Debug)]
struct Shared {
    caps: JobsCaps,
    state: Mutex<State>,
    /// Counts changes; whoever waits for something looks again after each.
    changes: watch::Sender<u64>,
}

impl JobService {
    /// An empty service.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(caps: JobsCaps) -> Result<Self, ConfigError> {
        caps.validate()?;
        let changes = watch::Sender::new(0);
        Ok(Self { shared: Arc::new(Shared { caps, state: Mutex::default(), changes }) })
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something, and tells all who wait.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.state());
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
        changed
    }

    /// Looks at a job.
    fn with<T>(
        &self,
        owner: &JobOwner,
        id: &JobId,
        look: impl FnOnce(&mut Record) -> T,
    ) -> Result<T, JobError> {
        self.state().record(owner, id).map(look).ok_or_else(|| JobError::Unknown(id.clone()))
    }

    /// Records how a job ended. What is forgotten for it is dropped outside the lock.
    fn settle(&self, owner: &JobOwner, id: &JobId, outcome: JobOutcome) {
        let forgotten = self.change(|state| {
            let order = state.next_order();
            if let Some(record) = state.record(owner, id) {
                record.settle(outcome, now_ms(), order);
            }
            state.forget_over(owner, self.caps.max_finished)
        });
        drop(forgotten);
    }
}

impl Jobs for JobService {
    fn start(&self, request: JobRequest, begin: Begin<'_>) -> Result<Job, JobError> {
        if !is_good(&request) {
            return Err(JobError::Request);
        }
        let shared = &self.shared;
        let owner = request.owner.clone();
        let room = Room::take(shared, &owner)?;
        let driver = Driver::spawn().map_err(|source| JobError::Thread { source })?;
        let id = shared.state().next_id(&request.kind);
        let run = begin(&id)?;
        let (record, done) = Record::new(&shared.caps, request, id.clone(), run, now_ms());
        let job = record.job.clone();
        shared.change(|state| state.add(&owner, record));
        drop(room);
        let settled = Arc::downgrade(shared);
        driver.drive(done, move |outcome| {
            if let Some(shared) = settled.upgrade() {
                shared.settle(&owner, &id, outcome);
            }
        });
        Ok(job)
    }

    fn list(&self, owner: &JobOwner) -> Vec<Job> {
        self.shared.state().jobs(owner)
    }

    fn read(&self, owner: &JobOwner, id: &JobId, reader: &JobReader) -> Result<JobRead, JobError> {
        let (job, source, max_bytes) = self.shared.with(owner, id, |record| {
            if *reader == JobReader::Model {
                record.see();
            }
            (record.job.clone(), record.source(), record.page_max_bytes)
        })?;
        let text = source.read(reader, max_bytes, self.shared.caps.max_readers);
        Ok(JobRead { text, job })
    }

    fn wait<'a>(
        &'a self,
        owner: &'a JobOwner,
        id: &'a JobId,
        reader: &'a JobReader,
        at_most: Duration,
    ) -> BoxFuture<'a, Result<Job, JobError>> {
        async move {
            let mut changes = self.shared.changes.subscribe();
            let waiting = Waiting::begin(&self.shared, owner, id, reader)?;
            let mut over = Delay::new(at_most);
            loop {
                changes.mark_unchanged();
                if let Some(job) = waiting.ended()? {
                    return Ok(job);
                }
                let change = std::pin::pin!(changes.changed());
                if let Either::Right(_) = select(change, &mut over).await {
                    return self.shared.with(owner, id, |record| record.job.clone());
                }
            }
        }
        .boxed()
    }

    fn kill(
        &self,
        owner: &JobOwner,
        id: &JobId,
        reason: Option<&str>,
    ) -> Result<JobKill, JobError> {
        let shared = &self.shared;
        let (cancel, job) = shared.with(owner, id, |record| {
            let ended = record.job.status.has_ended();
            if ended {
                record.see();
            }
            (record.cancel_unless_asked(), record.job.clone())
        })?;
        if job.status.has_ended() {
            return Ok(JobKill { outcome: KillOutcome::AlreadyFinished, job });
        }
        if let Some(cancel) = cancel {
            contained(|| cancel(reason))
                .map_err(|panic| JobError::Cancel { id: id.clone(), panic })?;
        }
        let stop = |state: &mut State| state.record(owner, id).map(|record| record.stop(reason));
        let job = shared.change(stop).unwrap_or(job);
        Ok(JobKill { outcome: KillOutcome::CancellationRequested, job })
    }

    fn take_notice(&self, owner: &JobOwner) -> Option<JobNotice> {
        let jobs = self.shared.state().take_unseen(owner);
        if jobs.is_empty() {
            return None;
        }
        let text = notice::text(&self.shared.caps, &jobs);
        Some(JobNotice { jobs, text })
    }

    fn noticed<'a>(&'a self, owner: &'a JobOwner) -> BoxFuture<'a, ()> {
        async move {
            let mut changes = self.shared.changes.subscribe();
            while !self.shared.state().has_unseen(owner) {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        }
        .boxed()
    }

    fn changed(&self, seen: u64) -> BoxFuture<'_, u64> {
        async move {
            let mut changes = self.shared.changes.subscribe();
            changes.wait_for(|count| *count != seen).await.map_or(seen, |count| *count)
        }
        .boxed()
    }

    fn end<'a>(&'a self, owner: &'a JobOwner) -> BoxFuture<'a, ()> {
        async move {
            let mut changes = self.shared.changes.subscribe();
            self.shared.end(owner);
            while self.shared.state().has_unfinished(owner) {
                if changes.changed().await.is_err() {
                    break;
                }
            }
            let forgotten = self.shared.change(|state| state.forget(owner));
            drop(forgotten);
        }
        .boxed()
    }
}

impl Shared {
    /// Asks all of an owner's jobs to end, without notices. One that cannot be asked counts as failed at once.
    fn end(&self, owner: &JobOwner) {
        let asked = self.state().silence(owner);
        for (id, cancel) in asked {
            if let Err(panic) = contained(|| cancel(None)) {
                tracing::warn!(%id, panic, "a job could not be asked to end");
                self.settle(owner, &id, drive::failed(panic));
            }
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for owner in state.owners() {
            for (id, cancel) in state.silence(&owner) {
                if let Err(panic) = contained(|| cancel(None)) {
                    tracing::warn!(%id, panic, "a job could not be asked to end");
                }
            }
        }
    }
}

/// A place among an owner's unfinished jobs, kept while a job begins.
struct Room<'a> {
    shared: &'a Shared,
    owner: &'a JobOwner,
}

impl<'a> Room<'a> {
    fn take(shared: &'a Shared, owner: &'a JobOwner) -> Result<Self, JobError> {
        let max_unfinished = shared.caps.max_unfinished;
        if shared.state().take_room(owner, max_unfinished) {
            return Ok(Self { shared, owner });
        }
        Err(JobError::TooMany { max_unfinished })
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.shared.state().give_room(self.owner);
    }
}

/// A reader that waits for a job. While the model does, the job's end is for it and gives no notice.
struct Waiting<'a> {
    shared: &'a Shared,
    owner: &'a JobOwner,
    id: &'a JobId,
    is_model: bool,
}

impl<'a> Waiting<'a> {
    fn begin(
        shared: &'a Shared,
        owner: &'a JobOwner,
        id: &'a JobId,
        reader: &JobReader,
    ) -> Result<Self, JobError> {
        let is_model = *reader == JobReader::Model;
        shared.with(owner, id, |record| record.waiting += usize::from(is_model))?;
        Ok(Self { shared, owner, id, is_model })
    }

    fn ended(&self) -> Result<Option<Job>, JobError> {
        self.shared.with(self.owner, self.id, |record| {
            let ended = record.job.status.has_ended();
            if ended && self.is_model {
                record.see();
            }
            ended.then(|| record.job.clone())
        })
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        // A notice that was held back for this wait may be due now.
        if self.is_model {
            self.shared.change(|state| {
                if let Some(record) = state.record(self.owner, self.id) {
                    record.waiting = record.waiting.saturating_sub(1);
                }
            });
        }
    }
}

fn is_good(request: &JobRequest) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !request.kind.is_empty()
        && request.kind.len() <= 64
        && request.kind.bytes().all(fits)
        && !request.label.trim().is_empty()
        && request.page_max_bytes != Some(0)
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
