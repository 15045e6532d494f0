//! Ordered lists of listeners (contract H2).

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

use contract_registry::{AgentId, CallHead};

/// Which calls a listener is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HookScope {
    /// Every call.
    #[default]
    Everywhere,
    /// The calls of one agent.
    Agent(AgentId),
}

impl HookScope {
    pub(crate) fn covers(&self, call: &CallHead) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Agent(agent) => agent == call.agent_id(),
        }
    }
}

/// Where in the chain a listener stands, whatever the order of registration. Bounding of content needs
/// fixed places (contract S3); everything else is ordinary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Place {
    /// Around all others: generic bounding.
    Outermost,
    /// In the order of registration.
    #[default]
    Ordinary,
    /// Inside all others: what must settle before any judge looks.
    Innermost,
}

/// Which end of its place a listener joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Position {
    /// Inside those registered before.
    #[default]
    Append,
    /// Around those registered before.
    Prepend,
}

/// One listener with its place.
pub(crate) struct Entry<L: ?Sized> {
    id: u64,
    place: Place,
    scope: HookScope,
    pub(crate) name: Arc<str>,
    pub(crate) listener: Arc<L>,
}

impl<L: ?Sized> Clone for Entry<L> {
    fn clone(&self) -> Self {
        Self {
            id: self.id,
            place: self.place,
            scope: self.scope.clone(),
            name: Arc::clone(&self.name),
            listener: Arc::clone(&self.listener),
        }
    }
}

impl<L: ?Sized> Entry<L> {
    pub(crate) fn scope(&self) -> &HookScope {
        &self.scope
    }

    pub(crate) fn covers(&self, call: &CallHead) -> bool {
        self.scope.covers(call)
    }
}

impl<L: ?Sized> fmt::Debug for Entry<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The listeners at one moment: what is registered or dropped later does not change a call on its way.
pub(crate) type Listeners<L> = Arc<[Entry<L>]>;

/// An ordered list of listeners, outermost first.
pub(crate) struct Chain<L: ?Sized> {
    entries: RwLock<Listeners<L>>,
    next_id: AtomicU64,
}

impl<L: ?Sized> Default for Chain<L> {
    fn default() -> Self {
        Self { entries: RwLock::new(Arc::new([])), next_id: AtomicU64::new(0) }
    }
}

/// How a listener is registered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seat {
    pub(crate) scope: HookScope,
    pub(crate) place: Place,
    pub(crate) position: Position,
}

impl<L: ?Sized + Send + Sync + 'static> Chain<L> {
    pub(crate) fn listeners(&self) -> Listeners<L> {
        Arc::clone(&self.entries.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn add(self: &Arc<Self>, name: &str, seat: Seat, listener: Arc<L>) -> HookHandle {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let Seat { scope, place, position } = seat;
        let entry = Entry { id, place, scope, name: name.into(), listener };
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let at = match position {
            Position::Append => entries.partition_point(|other| other.place <= place),
            Position::Prepend => entries.partition_point(|other| other.place < place),
        };
        let (before, after) = entries.split_at(at);
        *entries = before.iter().cloned().chain([entry]).chain(after.iter().cloned()).collect();
        HookHandle { list: Arc::<Self>::downgrade(self) as Weak<dyn Remove>, id: Some(id) }
    }
}

/// Lets a handle remove an entry without knowing the listener's type.
trait Remove: Send + Sync {
    fn remove(&self, id: u64);
}

impl<L: ?Sized + Send + Sync> Remove for Chain<L> {
    fn remove(&self, id: u64) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let kept = entries.iter().filter(|entry| entry.id != id).cloned().collect();
        let old = std::mem::replace(&mut *entries, kept);
        // The listener's own drop runs outside the lock.
        drop(entries);
        drop(old);
    }
}

/// Unregisters a listener when dropped.
#[must_use = "dropping the handle unregisters at once; call `keep` to leave it registered"]
pub struct HookHandle {
    list: Weak<dyn Remove>,
    id: Option<u64>,
}

impl HookHandle {
    /// Leaves the listener registered for as long as its hooks live.
    pub fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for HookHandle {
    fn drop(&mut self) {
        if let (Some(id), Some(list)) = (self.id.take(), self.list.upgrade()) {
            list.remove(id);
        }
    }
}

impl fmt::Debug for HookHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookHandle").field("id", &self.id).finish_non_exhaustive()
    }
}
