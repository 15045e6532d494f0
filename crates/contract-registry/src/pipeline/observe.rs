//! Stage 9: observers see the final result and change nothing (contract P14).

use crate::call::CallHead;
use crate::contain::contained;
use crate::outcome::Outcome;
use crate::registry::Scope;

pub(super) fn run(scope: &Scope, head: &CallHead, outcome: &Outcome) {
    let Some(policy) = &scope.core().policy else { return };
    let _stage = tracing::debug_span!("observe").entered();
    if let Err(panic) = contained(|| policy.observe(head, outcome)) {
        tracing::warn!(tool = head.name(), panic, "an observer panicked");
    }
}
