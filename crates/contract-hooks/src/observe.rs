//! Observers: they see the final result and change nothing (contract P14).

use std::panic::{AssertUnwindSafe, catch_unwind};

use contract_registry::{CallHead, Outcome};

use crate::chain::Listeners;

/// Sees final results.
pub trait Observe: Send + Sync + 'static {
    /// Called once for every outcome, whatever stage it ended in.
    fn observe(&self, call: &CallHead, outcome: &Outcome);
}

/// One observer that panics does not keep the others from seeing.
pub(crate) fn run(listeners: &Listeners<dyn Observe>, call: &CallHead, outcome: &Outcome) {
    for entry in listeners.iter().filter(|entry| entry.covers(call)) {
        let seen = catch_unwind(AssertUnwindSafe(|| entry.listener.observe(call, outcome)));
        if seen.is_err() {
            tracing::warn!(observer = &*entry.name, tool = call.name(), "an observer panicked");
        }
    }
}
