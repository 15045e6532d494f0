//! One layer: the tools it registered, what it masks of the layers below, and its guards.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::ToolDefinition;
use crate::call::Call;
use crate::erased::DynTool;
use crate::error::RegisterError;
use crate::policy::Denial;

/// A monotonic guard: it can deny, and nothing else (contract P11).
pub type Guard = Arc<dyn Fn(&Call) -> Option<Denial> + Send + Sync>;

/// Masks what a scope inherits, never what it registered itself (contract P11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restriction {
    /// Only these names are inherited.
    Allow(BTreeSet<String>),
    /// These names are not inherited.
    Deny(BTreeSet<String>),
}

impl Restriction {
    /// Only these names are inherited.
    pub fn allow<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Allow(names.into_iter().map(Into::into).collect())
    }

    /// These names are not inherited.
    pub fn deny<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Deny(names.into_iter().map(Into::into).collect())
    }

    fn lets_through(&self, name: &str) -> bool {
        match self {
            Self::Allow(names) => names.contains(name),
            Self::Deny(names) => !names.contains(name),
        }
    }
}

/// What a model may call directly in a scope (contract C5). Calls from within a call are not concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Presentation {
    /// Every tool but those with reserved names.
    Native,
    /// Only tools with reserved names: others are called from the programs these run.
    Code,
    /// Every tool.
    #[default]
    Both,
}

impl Presentation {
    /// Whether a tool may be called directly.
    #[must_use]
    pub fn offers(self, tool: &ToolDefinition) -> bool {
        match self {
            Self::Native => !tool.is_reserved(),
            Self::Code => tool.is_reserved(),
            Self::Both => true,
        }
    }
}

/// What a registration handle removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryId {
    Tool { name: String, id: u64 },
    Restriction(u64),
    Presentation(u64),
    Guard(u64),
}

#[derive(Default)]
pub(super) struct Layer {
    entries: RwLock<Entries>,
    next_id: AtomicU64,
}

#[derive(Default)]
struct Entries {
    tools: HashMap<String, (u64, Arc<dyn DynTool>)>,
    restrictions: Vec<(u64, Restriction)>,
    presentations: Vec<(u64, Presentation)>,
    guards: Vec<(u64, Guard)>,
}

impl Layer {
    // No code of others runs under the lock, so poison says nothing about the data.
    fn read(&self) -> RwLockReadGuard<'_, Entries> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn add_tool(&self, tool: Arc<dyn DynTool>) -> Result<EntryId, RegisterError> {
        let name = tool.definition().name().to_owned();
        let id = self.fresh_id();
        let mut entries = self.write();
        if entries.tools.contains_key(&name) {
            return Err(RegisterError::DuplicateName(name));
        }
        entries.tools.insert(name.clone(), (id, tool));
        Ok(EntryId::Tool { name, id })
    }

    pub(super) fn add_restriction(&self, restriction: Restriction) -> EntryId {
        let id = self.fresh_id();
        self.write().restrictions.push((id, restriction));
        EntryId::Restriction(id)
    }

    pub(super) fn add_presentation(&self, presentation: Presentation) -> EntryId {
        let id = self.fresh_id();
        self.write().presentations.push((id, presentation));
        EntryId::Presentation(id)
    }

    /// The presentation that was set last.
    pub(super) fn presentation(&self) -> Option<Presentation> {
        self.read().presentations.last().map(|(_, presentation)| *presentation)
    }

    pub(super) fn add_guard(&self, guard: Guard) -> EntryId {
        let id = self.fresh_id();
        self.write().guards.push((id, guard));
        EntryId::Guard(id)
    }

    /// What is removed is dropped outside the lock: its own drop may come back here.
    pub(super) fn remove(&self, entry: &EntryId) {
        let mut entries = self.write();
        match entry {
            EntryId::Tool { name, id } => {
                let tool = entries.tools.get(name).filter(|(current, _)| current == id);
                let removed = tool.is_some().then(|| entries.tools.remove(name));
                drop(entries);
                drop(removed);
            }
            EntryId::Restriction(id) => entries.restrictions.retain(|(other, _)| other != id),
            EntryId::Presentation(id) => entries.presentations.retain(|(other, _)| other != id),
            EntryId::Guard(id) => {
                let at = entries.guards.iter().position(|(other, _)| other == id);
                let removed = at.map(|at| entries.guards.remove(at));
                drop(entries);
                drop(removed);
            }
        }
    }

    pub(super) fn tool(&self, name: &str) -> Option<Arc<dyn DynTool>> {
        self.read().tools.get(name).map(|(_, tool)| Arc::clone(tool))
    }

    pub(super) fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let mut tools: Vec<_> =
            self.read().tools.values().map(|(_, tool)| Arc::clone(tool)).collect();
        tools.sort_by(|a, b| a.definition().name().cmp(b.definition().name()));
        tools
    }

    /// Whether this layer lets an inherited tool of that name through.
    pub(super) fn inherits(&self, name: &str) -> bool {
        self.read().restrictions.iter().all(|(_, restriction)| restriction.lets_through(name))
    }

    pub(super) fn guards(&self) -> Vec<Guard> {
        let entries = self.read();
        entries.guards.iter().map(|(_, guard)| Arc::clone(guard)).collect()
    }
}

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layer").field("tools", &self.read().tools.len()).finish_non_exhaustive()
    }
}
