//! Observers: they see the final result and change nothing (contract P14).

use contract_registry::{CallHead, Outcome};

use crate::chain::Listeners;
use crate::contain::contained;

/// Sees final results.
pub trait Observe: Send + Sync + 'static {
    /// Called once for every outcome, whatever stage it ended in.
    fn observe(&self, call: &CallHead, outcome: &Outcome);
}

/// One observer that panics does not keep the others from seeing.
pub(crate) fn run(listeners: &Listeners<dyn Observe>, call: &CallHead, outcome: &Outcome) {
    for entry in listeners.iter().filter(|entry| entry.covers(call)) {
        if let Err(panic) = contained(|| entry.listener.observe(call, outcome)) {
            let (observer, tool) = (&*entry.name, call.name());
            tracing::warn!(observer, tool, panic, "an observer panicked");
        }
    }
}
