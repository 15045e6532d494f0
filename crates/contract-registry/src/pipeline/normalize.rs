//! Stage 6: normalize. The one place that makes a success: snapshot, validate, freeze, render, meta
//! (contract P2, P3). Body results, wrapper results and replaced values all come through here.

use contract_schema::{Canonical, ContentBlock, Json};
use futures_util::FutureExt as _;
use futures_util::future::{Either, select};
use tracing::Instrument as _;

use super::Bound;
use crate::contain::{contained, contained_async};
use crate::erased::{Audience, Projected, Projection, Returned};
use crate::error::{ProjectError, ToolError, code};
use crate::outcome::{Failure, Success};

pub(super) async fn run(bound: &Bound, returned: Returned) -> Result<Success, Failure> {
    async {
        let value = canonical(bound, returned)?;
        let (content, meta) = project(bound, &value).await?;
        let concludes_turn = bound.effects.concludes_turn();
        Ok(Success { value, content, meta, concludes_turn })
    }
    .instrument(tracing::debug_span!("normalize"))
    .await
}

fn canonical(bound: &Bound, returned: Returned) -> Result<Canonical, Failure> {
    let checked = contained(|| {
        let json = returned.snapshot().map_err(|error| error.to_string())?;
        bound.tool.definition().output().canonicalize(json).map_err(|error| error.to_string())
    });
    match checked {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(what)) => Err(invalid(bound, &format!("returned an invalid value: {what}"))),
        Err(panic) => Err(invalid(bound, &format!("panicked while its value was taken: {panic}"))),
    }
}

async fn project(
    bound: &Bound,
    value: &Canonical,
) -> Result<(Vec<ContentBlock>, Option<Json>), Failure> {
    let audience = if bound.call.is_nested() { Audience::Nested } else { Audience::Direct };
    let projected = match contained(|| bound.prepared.project(value, audience)) {
        Ok(projected) => in_time(bound, projected).await,
        Err(panic) => Err(panic),
    };
    let projection = match projected {
        Ok(Ok(projection)) => projection,
        Ok(Err(error)) => return Err(invalid(bound, &format!("could not be shown: {error}"))),
        Err(panic) => return Err(invalid(bound, &format!("panicked while it was shown: {panic}"))),
    };
    let meta = projection.meta.map(contract_schema::Meta::into_json).transpose();
    let meta = meta.map_err(ProjectError::Meta);
    match meta {
        Ok(meta) => Ok((projection.content, meta)),
        Err(error) => Err(invalid(bound, &format!("could not be shown: {error}"))),
    }
}

/// A projection that is ready costs no timer; one that runs elsewhere has a deadline.
async fn in_time(
    bound: &Bound,
    projected: Projected<'_>,
) -> Result<Result<Projection, ProjectError>, String> {
    let elsewhere = match projected {
        Either::Left(ready) => return Ok(ready.into_inner()),
        Either::Right(elsewhere) => contained_async(elsewhere).boxed(),
    };
    let core = bound.scope.core();
    match select(elsewhere, core.runtime.sleep(core.projection_deadline)).await {
        Either::Left((projected, _)) => projected,
        Either::Right(_) => {
            let limit = core.projection_deadline.as_millis();
            Ok(Err(ProjectError::Renderer(format!("no answer within {limit} ms"))))
        }
    }
}

/// The failure of a body, or of a wrapper, as it stands. Its metadata passes the same snapshot.
pub(super) fn failure(bound: &Bound, error: ToolError) -> Failure {
    let (message, info, meta) = error.into_parts();
    let mut failure = Failure::new(message, info);
    match meta.map(contract_schema::Meta::into_json).transpose() {
        Ok(meta) => failure.meta = meta.filter(|_| !bound.call.is_nested()),
        Err(error) => tracing::warn!(tool = bound.call.name(), %error, "metadata of a failure"),
    }
    failure
}

/// Never the value; and a reminder that the call itself ran (decisions DG7).
fn invalid(bound: &Bound, what: &str) -> Failure {
    let name = bound.call.name();
    let message =
        format!("the tool {name} {what}. The call itself ran, so it may have had its effect.");
    Failure::coded("ToolOutputError", code::INVALID_TOOL_OUTPUT, message)
}
