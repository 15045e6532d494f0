//! Stage 7: policy judges the result (contract H4, H5, P16).

use contract_schema::ContentBlock;
use tracing::Instrument as _;

use super::{Bound, Settled, normalize, policy_failed, with_grace};
use crate::contain::contained_async;
use crate::erased::Returned;
use crate::error::{ErrorInfo, code};
use crate::outcome::{Failure, Outcome, Success};
use crate::policy::{Completed, Policy, PostDecision, PostVerdict};

pub(super) async fn run(bound: &Bound, settled: Settled) -> Settled {
    let Some(policy) = &bound.scope.core().policy else { return settled };
    async {
        let outcome = settled.into_outcome(bound);
        let completed = completed(bound, &outcome);
        let deciding = contained_async(async { policy.post_execute(completed).await });
        let decision = with_grace(bound, deciding)
            .await
            .unwrap_or_else(|| Err("it did not answer after the call was cancelled".to_owned()));
        let settled = Settled::from(outcome);
        match decision {
            Ok(Ok(decision)) => apply(bound, &**policy, settled, decision).await,
            Ok(Err(error)) => settled.with(Err(policy_failed(&error.to_string()))),
            Err(panic) => settled.with(Err(policy_failed(&panic))),
        }
    }
    .instrument(tracing::debug_span!("post_execute"))
    .await
}

fn completed<'a>(bound: &'a Bound, outcome: &'a Outcome) -> Completed<'a> {
    Completed { call: &bound.call, outcome, prepared: &*bound.prepared }
}

async fn apply(
    bound: &Bound,
    policy: &dyn Policy,
    settled: Settled,
    decision: PostDecision,
) -> Settled {
    let PostDecision { verdict, contexts } = decision;
    let mut settled = match verdict {
        PostVerdict::Accept => settled,
        PostVerdict::ReplaceContentNotValue(blocks) => settled.showing(blocks),
        PostVerdict::ReplaceValue(value) => {
            let replaced = replace_value(bound, settled.result.is_ok(), value).await;
            rebound(bound, policy, settled.with(replaced)).await
        }
        // A block discards what was to follow the result, but for its own messages.
        PostVerdict::Block(feedback) => {
            return Settled { result: Err(blocked(feedback)), contexts };
        }
    };
    settled.contexts.extend(contexts);
    settled
}

async fn replace_value(
    bound: &Bound,
    has_value: bool,
    value: Returned,
) -> Result<Success, Failure> {
    if has_value {
        normalize::run(bound, value).await
    } else {
        Err(policy_failed("it replaced the value of a call that failed and has none"))
    }
}

/// Content that a replaced value gave anew is bounded like any other (contract S7). Bounding is best
/// effort: where it fails, the content stays.
async fn rebound(bound: &Bound, policy: &dyn Policy, settled: Settled) -> Settled {
    if settled.result.is_err() {
        return settled;
    }
    let outcome = settled.into_outcome(bound);
    let completed = completed(bound, &outcome);
    let bounding = contained_async(async { policy.bound_recomputed(completed).await });
    let bounding = with_grace(bound, bounding).await.unwrap_or(Ok(None));
    let settled = Settled::from(outcome);
    match bounding {
        Ok(Some(blocks)) => settled.showing(blocks),
        Ok(None) => settled,
        Err(panic) => {
            tracing::warn!(tool = bound.call.name(), panic, "bounding panicked");
            settled
        }
    }
}

fn blocked(feedback: Vec<ContentBlock>) -> Failure {
    let texts: Vec<&str> = feedback.iter().filter_map(ContentBlock::as_text).collect();
    let message = match texts.is_empty() {
        true => "the result was blocked by policy".to_owned(),
        false => texts.join("\n"),
    };
    let info = ErrorInfo::new("ToolBlockedError", code::TOOL_BLOCKED);
    Failure { message, info: Some(info), content: feedback, meta: None }
}

impl From<Outcome> for Settled {
    fn from(outcome: Outcome) -> Self {
        let (_, result, contexts) = outcome.into_parts();
        Self { result, contexts }
    }
}

impl Settled {
    fn into_outcome(self, bound: &Bound) -> Outcome {
        let mut outcome = Outcome::new(bound.call.token(), self.result);
        *outcome.contexts_mut() = self.contexts;
        outcome
    }

    fn with(self, result: Result<Success, Failure>) -> Self {
        Self { result, contexts: self.contexts }
    }

    fn showing(mut self, blocks: Vec<ContentBlock>) -> Self {
        match &mut self.result {
            Ok(success) => success.content = blocks,
            Err(failure) => failure.content = blocks,
        }
        self
    }
}
