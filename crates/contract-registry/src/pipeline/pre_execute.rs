//! Stage 2: policy judges the call before anything runs.

use std::pin::pin;

use contract_schema::AdditionalContext;
use futures_util::future::{Either, select};
use tracing::Instrument as _;

use super::{Bound, aborted_before, policy_failed};
use crate::contain::contained_async;
use crate::outcome::Failure;
use crate::policy::Denial;

pub(super) async fn run(
    bound: &Bound,
    contexts: &mut Vec<AdditionalContext>,
) -> Result<(), Failure> {
    let Some(policy) = &bound.scope.core().policy else { return Ok(()) };
    let judging = contained_async(async { policy.pre_execute(&bound.call).await })
        .instrument(tracing::debug_span!("pre_execute"));
    // An approval may wait for a person; the caller need not.
    let cancelled = bound.call.head.cancel.cancelled();
    let decision = match select(pin!(judging), pin!(cancelled)).await {
        Either::Left((decision, _)) => decision,
        Either::Right(_) => return Err(aborted_before()),
    };
    match decision {
        Ok(Ok(decision)) => {
            contexts.extend(decision.contexts);
            decision.denial.map_or(Ok(()), |denial| Err(denied(denial)))
        }
        Ok(Err(error)) => Err(policy_failed(&error.to_string())),
        Err(panic) => Err(policy_failed(&panic)),
    }
}

pub(super) fn denied(denial: Denial) -> Failure {
    let mut failure = Failure::new(denial.message, Some(denial.info));
    if let Some(feedback) = denial.feedback {
        failure.content = feedback;
    }
    failure
}
