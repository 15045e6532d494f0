//! The pipeline of one call. Each stage is one file; this one is their order.
//!
//! ```text
//! arguments -> pre-execute -> guards -> execute (around) -> body -> normalize
//!           -> post-execute -> finalize content -> observers
//! ```

mod arguments;
mod body;
mod execute;
mod finalize;
mod guards;
mod normalize;
mod observe;
mod post_execute;
mod pre_execute;

use std::pin::pin;
use std::sync::Arc;

use contract_schema::AdditionalContext;
use futures_util::future::{Either, select};
use tracing::Instrument as _;

pub(crate) use body::Body;

use crate::call::{Call, CallEnv, CallHead, CallRequest, Effects};
use crate::contain::{contained, contained_async, dropped};
use crate::erased::{DynTool, PreparedCall};
use crate::error::code;
use crate::outcome::{Failure, Outcome, Success};
use crate::registry::Scope;
use crate::scheduler::Ticket;
use crate::token::Token;

/// Deepest nesting of calls within calls. Each level takes a part of the stack that polls it (contract V5).
pub(crate) const MAX_NESTING: u32 = 8;

/// A call past its argument check, with all that its later stages need.
pub(crate) struct Bound {
    call: Arc<Call>,
    tool: Arc<dyn DynTool>,
    prepared: Box<dyn PreparedCall>,
    effects: Arc<Effects>,
    scope: Scope,
}

/// A call that ended before its tool was bound: the failure, and the tool if its name was known.
struct Unbound {
    failure: Failure,
    tool: Option<Arc<dyn DynTool>>,
}

/// What the stages from pre-execute to post-execute leave.
struct Settled {
    result: Result<Success, Failure>,
    contexts: Vec<AdditionalContext>,
}

/// Runs one call. A ticket keeps the stages in the order of a [`Lane`](crate::Lane).
pub(crate) async fn dispatch(
    scope: &Scope,
    request: CallRequest,
    ticket: Option<&Ticket>,
) -> Outcome {
    let span =
        tracing::debug_span!("call", tool = request.name, call_id = request.call_id.as_str());
    let token = Token::fresh();
    // Every stage contains what it runs; this is the net under them all (contract P3).
    contained_async(stages(scope, request, token, ticket).instrument(span)).await.unwrap_or_else(
        |panic| {
            let message = format!("the call panicked: {panic}");
            Outcome::new(token, Err(Failure::coded("ToolPanicError", code::TOOL_PANICKED, message)))
        },
    )
}

async fn stages(
    scope: &Scope,
    request: CallRequest,
    token: Token,
    ticket: Option<&Ticket>,
) -> Outcome {
    let CallRequest { name, arguments, call_id, parent, env, cancel } = request;
    let env = env.unwrap_or_else(|| Arc::new(CallEnv::default()));
    let head = CallHead { name, call_id, token, parent, env, cancel };
    if let Some(ticket) = ticket {
        ticket.turn(&head.cancel).await;
    }
    if head.cancel.is_cancelled() {
        return end(scope, &head, None, Settled::early(aborted_before()));
    }
    if head.nesting() > MAX_NESTING {
        return end(scope, &head, None, Settled::early(nested_too_deep()));
    }
    match arguments::bind(scope, head, arguments) {
        Ok(bound) => {
            let settled = judged(&bound, ticket).await;
            let outcome = end(scope, &bound.call, Some(&bound.tool), settled);
            dropped(bound);
            outcome
        }
        Err(ended) => {
            let (head, unbound) = *ended;
            if let Some(ticket) = ticket {
                ticket.starts(&head);
                ticket.commit().await;
            }
            end(scope, &head, unbound.tool.as_ref(), Settled::early(unbound.failure))
        }
    }
}

/// From pre-execute to post-execute.
async fn judged(bound: &Bound, ticket: Option<&Ticket>) -> Settled {
    if let Some(ticket) = ticket {
        let parallel_safe = contained(|| bound.prepared.is_parallel_safe()).unwrap_or(false);
        ticket.admit(parallel_safe, &bound.call.head.cancel).await;
    }
    if bound.call.head.cancel.is_cancelled() {
        return Settled::early(aborted_before());
    }
    if let Some(ticket) = ticket {
        ticket.starts(&bound.call);
    }
    let mut contexts = Vec::new();
    let allowed = match pre_execute::run(bound, &mut contexts).await {
        Ok(()) => guards::run(bound),
        Err(failure) => Err(failure),
    };
    if bound.call.head.cancel.is_cancelled() {
        return Settled { result: Err(aborted_before()), contexts };
    }
    if let Some(ticket) = ticket {
        ticket.started();
    }
    let result = match allowed {
        Ok(()) => execute::run(bound, &mut contexts).await,
        Err(failure) => Err(failure),
    };
    if let Some(ticket) = ticket {
        ticket.commit().await;
    }
    post_execute::run(bound, Settled { result, contexts }).await
}

/// Finalize and observe: the part that every call reaches.
fn end(
    scope: &Scope,
    head: &CallHead,
    tool: Option<&Arc<dyn DynTool>>,
    settled: Settled,
) -> Outcome {
    let mut outcome = Outcome::new(head.token(), settled.result);
    *outcome.contexts_mut() = settled.contexts;
    if let Some(tool) = tool {
        finalize::run(&**tool, &mut outcome);
    }
    observe::run(scope, head, &outcome);
    outcome
}

impl Settled {
    fn early(failure: Failure) -> Self {
        Self { result: Err(failure), contexts: Vec::new() }
    }
}

fn aborted_before() -> Failure {
    let message = "the call was cancelled before it started".to_owned();
    Failure::coded("AbortError", code::ABORTED_BEFORE_DISPATCH, message)
}

fn aborted() -> Failure {
    let message = "the call was cancelled; what it had done by then stays done".to_owned();
    Failure::coded("AbortError", code::ABORTED, message)
}

fn nested_too_deep() -> Failure {
    let message = format!("calls are nested deeper than {MAX_NESTING} levels");
    Failure::coded("NestingError", code::NESTED_TOO_DEEP, message)
}

/// Waits for a stage of the policy. Once the call is cancelled it gets twice the grace of a body, which it
/// may have had to wait for; then it is dropped, so that it cannot keep a cancelled call for ever.
async fn with_grace<T>(bound: &Bound, stage: impl Future<Output = T>) -> Option<T> {
    let core = bound.scope.core();
    match select(pin!(stage), pin!(bound.call.head.cancel.cancelled())).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(((), stage)) => {
            match select(stage, core.runtime.sleep(core.cancel_grace * 2)).await {
                Either::Left((done, _)) => Some(done),
                Either::Right(_) => None,
            }
        }
    }
}

fn policy_failed(what: &str) -> Failure {
    let message = format!("a policy failed, so the call fails with it: {what}");
    Failure::coded("PolicyError", code::POLICY_FAILED, message)
}
