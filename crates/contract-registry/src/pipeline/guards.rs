//! Stage 3: guards of every layer. A guard can deny and nothing else (contract P11).

use super::pre_execute::denied;
use super::{Bound, policy_failed};
use crate::contain::contained;
use crate::outcome::Failure;

pub(super) fn run(bound: &Bound) -> Result<(), Failure> {
    let _stage = tracing::debug_span!("guards").entered();
    bound.scope.each_guard(|guard| match contained(|| guard(&bound.call)) {
        Ok(None) => Ok(()),
        Ok(Some(denial)) => Err(denied(denial)),
        Err(panic) => Err(policy_failed(&panic)),
    })
}
