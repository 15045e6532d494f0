//! All jobs, by owner.

use std::collections::BTreeMap;
use std::sync::Arc;

use tool_seams::{Cancel, Job, JobId, JobOwner};

use super::record::Record;

/// What the service keeps.
#[derive(Debug, Default)]
pub(super) struct State {
    held: BTreeMap<JobOwner, Held>,
    /// The last number given out of each kind.
    numbers: BTreeMap<String, u64>,
    /// How many jobs have ended.
    ended: u64,
}

/// The jobs of one owner, in the order in which they were started.
#[derive(Debug, Default)]
struct Held {
    records: Vec<Record>,
    /// Jobs that are about to begin.
    beginning: usize,
}

impl State {
    /// An id that no job of this service has or had.
    pub(super) fn next_id(&mut self, kind: &str) -> JobId {
        let number = self.numbers.entry(kind.to_owned()).or_default();
        *number += 1;
        JobId::new(format!("{kind}-{number}"))
    }

    pub(super) fn next_order(&mut self) -> u64 {
        self.ended += 1;
        self.ended
    }

    /// Reserves a place for an unfinished job, if there is one.
    pub(super) fn take_room(&mut self, owner: &JobOwner, max_unfinished: usize) -> bool {
        let held = self.held.entry(owner.clone()).or_default();
        let unfinished = held.records.iter().filter(|record| !record.has_ended()).count();
        let has_room = unfinished + held.beginning < max_unfinished;
        held.beginning += usize::from(has_room);
        has_room
    }

    pub(super) fn give_room(&mut self, owner: &JobOwner) {
        if let Some(held) = self.held.get_mut(owner) {
            held.beginning = held.beginning.saturating_sub(1);
            if held.beginning == 0 && held.records.is_empty() {
                self.held.remove(owner);
            }
        }
    }

    pub(super) fn add(&mut self, owner: &JobOwner, record: Record) {
        self.held.entry(owner.clone()).or_default().records.push(record);
    }

    pub(super) fn owners(&self) -> Vec<JobOwner> {
        self.held.keys().cloned().collect()
    }

    fn records(&self, owner: &JobOwner) -> &[Record] {
        self.held.get(owner).map_or(&[], |held| &held.records)
    }

    fn records_mut(&mut self, owner: &JobOwner) -> &mut [Record] {
        self.held.get_mut(owner).map_or(&mut [], |held| &mut held.records)
    }

    pub(super) fn record(&mut self, owner: &JobOwner, id: &JobId) -> Option<&mut Record> {
        self.records_mut(owner).iter_mut().find(|record| record.job.id == *id)
    }

    pub(super) fn jobs(&self, owner: &JobOwner) -> Vec<Job> {
        self.records(owner).iter().map(|record| record.job.clone()).collect()
    }

    pub(super) fn has_unfinished(&self, owner: &JobOwner) -> bool {
        self.records(owner).iter().any(|record| !record.has_ended())
    }

    pub(super) fn has_unseen(&self, owner: &JobOwner) -> bool {
        self.records(owner).iter().any(Record::is_due)
    }

    /// The jobs whose end the model should be told of, in the order of their ends; once each.
    pub(super) fn take_unseen(&mut self, owner: &JobOwner) -> Vec<Job> {
        let due = self.records_mut(owner).iter_mut().filter(|record| record.is_due());
        let mut due: Vec<&mut Record> = due.collect();
        due.sort_by_key(|record| record.order);
        let take = |record: &mut Record| {
            record.silence();
            record.job.clone()
        };
        due.into_iter().map(take).collect()
    }

    /// Has no end of an owner's job be told; gives the hooks of those to be asked to end.
    pub(super) fn silence(&mut self, owner: &JobOwner) -> Vec<(JobId, Arc<Cancel>)> {
        let ask = |record: &mut Record| {
            let cancel = record.cancel_unless_asked();
            record.stop(None);
            Some((record.job.id.clone(), cancel?))
        };
        self.records_mut(owner).iter_mut().filter_map(ask).collect()
    }

    /// Takes out the finished jobs that are over the cap: oldest first, those that the model does not know
    /// of last.
    pub(super) fn forget_over(&mut self, owner: &JobOwner, max_finished: usize) -> Vec<Record> {
        let Some(held) = self.held.get_mut(owner) else { return Vec::new() };
        let mut forgotten = Vec::new();
        loop {
            let finished = held.records.iter().enumerate().filter(|(_, record)| record.has_ended());
            if finished.clone().count() <= max_finished {
                return forgotten;
            }
            let oldest = finished.min_by_key(|(_, record)| (!record.is_seen(), record.order));
            let Some((at, _)) = oldest else { return forgotten };
            forgotten.push(held.records.remove(at));
        }
    }

    /// Takes out all of an owner's jobs.
    pub(super) fn forget(&mut self, owner: &JobOwner) -> Vec<Record> {
        self.held.remove(owner).map(|held| held.records).unwrap_or_default()
    }
}
