//! Stage 4: policy around the body, and what becomes of a wrapper's answer (contract P7).

use contract_schema::AdditionalContext;
use tracing::Instrument as _;

use super::{Body, Bound, aborted, normalize, policy_failed, with_grace};
use crate::contain::contained_async;
use crate::erased::Returned;
use crate::outcome::{Failure, Outcome, Success};
use crate::policy::{Answer, ExecuteReply, Next};

pub(super) async fn run(
    bound: &Bound,
    contexts: &mut Vec<AdditionalContext>,
) -> Result<Success, Failure> {
    let body = Body::new(bound);
    let stage = tracing::debug_span!("execute");
    let (result, wrapper_contexts) = match &bound.scope.core().policy {
        None => (body.settle(None).instrument(stage).await, Vec::new()),
        Some(policy) => {
            let wrapping =
                contained_async(async { policy.execute(&bound.call, Next::new(body)).await });
            match with_grace(bound, wrapping.instrument(stage)).await {
                Some(Ok(ExecuteReply { answer, contexts })) => {
                    (adopt(bound, answer).await, contexts)
                }
                Some(Err(panic)) => (Err(policy_failed(&panic)), Vec::new()),
                None => (Err(aborted()), Vec::new()),
            }
        }
    };
    contexts.extend(bound.effects.take_contexts());
    contexts.extend(wrapper_contexts);
    match result {
        // A wrapper may have answered without looking at the caller's signal.
        Ok(_) if bound.call.head.cancel.is_cancelled() => Err(aborted()),
        result => result,
    }
}

pub(super) async fn adopt(bound: &Bound, answer: Answer) -> Result<Success, Failure> {
    match answer {
        Answer::Outcome(outcome) => adopt_outcome(bound, *outcome).await,
        Answer::Value(value) => normalize::run(bound, value).await,
        Answer::Failure(error) => Err(normalize::failure(bound, error)),
    }
}

/// Identity, not trust: only an outcome of this very call passes as it is.
async fn adopt_outcome(bound: &Bound, outcome: Outcome) -> Result<Success, Failure> {
    let (token, result, _) = outcome.into_parts();
    match result {
        result if token == bound.call.token() => result,
        Ok(foreign) => normalize::run(bound, Returned::json(foreign.value.into_json())).await,
        Err(foreign) => Err(Failure::new(foreign.message, foreign.info)),
    }
}
