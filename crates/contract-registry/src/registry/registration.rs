//! Handles: what is registered lives as long as its handle.

use std::fmt;
use std::sync::{Arc, Weak};

use super::Core;
use super::layer::{EntryId, Layer};

/// Unregisters a tool, a restriction, a presentation or a guard when dropped (contract P11).
#[must_use = "dropping the handle unregisters at once; call `keep` to leave it registered"]
pub struct Registration {
    layer: Weak<Layer>,
    core: Arc<Core>,
    id: Option<EntryId>,
}

impl Registration {
    pub(super) fn new(layer: &Arc<Layer>, core: &Arc<Core>, id: EntryId) -> Self {
        core.notifier.notify();
        Self { layer: Arc::downgrade(layer), core: Arc::clone(core), id: Some(id) }
    }

    /// Leaves the entry registered for as long as its layer lives.
    pub fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        if let Some(layer) = self.layer.upgrade() {
            layer.remove(&id);
            self.core.notifier.notify();
        }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").field("entry", &self.id).finish_non_exhaustive()
    }
}
