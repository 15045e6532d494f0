//! Places in a lane.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::select;
use tokio::sync::Notify;

use crate::call::CallHead;
use crate::cancel::CancelSignal;

/// Where a call in the lane stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Waits for its turn.
    Queued,
    /// In its argument check or pre-execute stage.
    Judging { exclusive: bool },
    /// In its body.
    Running { exclusive: bool },
    /// Its body is done; waits for, or is in, its post-execute stage.
    Committing { exclusive: bool },
}

impl Stage {
    fn is_before_the_body(self) -> bool {
        matches!(self, Self::Queued | Self::Judging { .. })
    }
}

/// The calls of a lane, by number.
#[derive(Debug)]
pub(crate) struct Line {
    limit: usize,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    next: u64,
    taken: BTreeMap<u64, Place>,
}

/// Where a call stands, and what wakes it there.
#[derive(Debug)]
struct Place {
    stage: Stage,
    moved: Arc<Notify>,
}

impl Line {
    pub(super) fn new(limit: NonZeroUsize) -> Self {
        Self { limit: limit.get(), places: Mutex::default() }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    fn earlier(&self, number: u64) -> impl Iterator<Item = Stage> {
        self.taken.range(..number).map(|(_, place)| place.stage)
    }

    /// Wakes the calls whose condition a move can have met: the first of all, which may commit, and the
    /// first before its body, which may be judged or start. Every other one waits for one of these two.
    fn wake(&self) {
        let first = self.taken.values().next();
        let next = self.taken.values().find(|place| place.stage.is_before_the_body());
        first.into_iter().chain(next).for_each(|place| place.moved.notify_one());
    }
}

/// Told that a call starts.
pub type OnStart = Box<dyn FnOnce(&CallHead) + Send>;

/// One call's place. Dropping it lets the others move up.
pub(crate) struct Ticket {
    line: Arc<Line>,
    number: u64,
    moved: Arc<Notify>,
    on_start: Mutex<Option<OnStart>>,
}

impl Ticket {
    pub(super) fn take(line: &Arc<Line>, on_start: OnStart) -> Self {
        let mut places = line.places();
        let number = places.next;
        places.next += 1;
        let moved = Arc::new(Notify::new());
        places.taken.insert(number, Place { stage: Stage::Queued, moved: Arc::clone(&moved) });
        drop(places);
        Self { line: Arc::clone(line), number, moved, on_start: Mutex::new(Some(on_start)) }
    }

    /// The call starts.
    pub(crate) fn starts(&self, head: &CallHead) {
        let on_start = self.on_start.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(on_start) = on_start {
            on_start(head);
        }
    }

    /// Waits until every earlier call is past its pre-execute stage and none of them is exclusive.
    pub(crate) async fn turn(&self, cancel: &CancelSignal) {
        self.wait(cancel, |places, number| {
            places.earlier(number).all(|stage| match stage {
                Stage::Queued | Stage::Judging { .. } => false,
                Stage::Running { exclusive } | Stage::Committing { exclusive } => !exclusive,
            })
        })
        .await;
        self.enter(Stage::Judging { exclusive: false });
    }

    /// Waits for a free body among the parallel-safe calls, or until this call is alone.
    pub(crate) async fn admit(&self, parallel_safe: bool, cancel: &CancelSignal) {
        self.enter(Stage::Judging { exclusive: !parallel_safe });
        let limit = self.line.limit;
        self.wait(cancel, |places, number| {
            if parallel_safe {
                let running = |stage: &Stage| matches!(stage, Stage::Running { .. });
                places.earlier(number).filter(running).count() < limit
            } else {
                places.earlier(number).next().is_none()
            }
        })
        .await;
    }

    /// The call enters its body.
    pub(crate) fn started(&self) {
        let exclusive = self.exclusive();
        self.enter(Stage::Running { exclusive });
    }

    /// Leaves the body and waits until every earlier call has ended. Its result is there already, so a
    /// cancellation does not cut this short.
    pub(crate) async fn commit(&self) {
        let exclusive = self.exclusive();
        self.enter(Stage::Committing { exclusive });
        self.wait(&CancelSignal::never(), |places, number| places.earlier(number).next().is_none())
            .await;
    }

    fn exclusive(&self) -> bool {
        match self.line.places().taken.get(&self.number).map(|place| place.stage) {
            None | Some(Stage::Queued) => false,
            Some(
                Stage::Judging { exclusive }
                | Stage::Running { exclusive }
                | Stage::Committing { exclusive },
            ) => exclusive,
        }
    }

    fn enter(&self, stage: Stage) {
        let mut places = self.line.places();
        if let Some(place) = places.taken.get_mut(&self.number) {
            place.stage = stage;
        }
        places.wake();
    }

    /// Waits for a condition on the places, or until the call is cancelled.
    async fn wait(&self, cancel: &CancelSignal, ready: impl Fn(&Places, u64) -> bool) {
        loop {
            if ready(&self.line.places(), self.number) || cancel.is_cancelled() {
                return;
            }
            // A move since the look has left its permit.
            select(pin!(self.moved.notified()), pin!(cancel.cancelled())).await;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut places = self.line.places();
        places.taken.remove(&self.number);
        places.wake();
    }
}
