//! The post-execute chain: accept, replace content, replace the value, block (contract H4 to H6, H8).

use std::sync::{Mutex, PoisonError};

use contract_registry::{Completed, PostDecision, PostVerdict};
use contract_schema::ContentBlock;
use futures_util::future::BoxFuture;

use crate::chain::Listeners;
use crate::deep::Deep;
use crate::error::HookError;

/// Judges results. What it answers can strengthen the decision of the listeners inside it and never undo it:
/// block beats value, value beats content, content beats accept; between equals the outermost wins.
pub trait PostExecute: Send + Sync + 'static {
    /// Judges one result; `next` tells what the listeners inside decided. They are asked even if it is not
    /// run. To leave their decision alone, accept.
    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
        next: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>>;
}

/// What the inner listeners decided, as the outer one sees it.
#[derive(Debug)]
pub enum InnerPost {
    /// The result stays.
    Accept,
    /// The model reads these blocks instead.
    ReplaceContent(Vec<ContentBlock>),
    /// Another value takes its place; its content is not known yet.
    ReplaceValue,
    /// The result is blocked.
    Block,
}

/// What the inner listeners answered, once they were asked: a listener that swallows their error does not
/// make it undone.
type Slot = Mutex<Option<Result<PostDecision, HookError>>>;

/// The listeners inside this one: a value that running consumes.
#[derive(Debug)]
#[must_use = "without running it, a listener does not see the inner decision"]
pub struct PostNext<'a> {
    rest: Rest<'a>,
    inner: &'a Slot,
}

#[derive(Clone, Copy)]
struct Rest<'a> {
    listeners: &'a Listeners<dyn PostExecute>,
    from: usize,
    completed: Completed<'a>,
}

impl std::fmt::Debug for Rest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rest").field("from", &self.from).finish_non_exhaustive()
    }
}

impl PostNext<'_> {
    /// Asks the inner listeners.
    ///
    /// # Errors
    ///
    /// [`HookError`] when one of them fails. Passing it on fails the call; so does swallowing it.
    pub async fn run(self) -> Result<InnerPost, HookError> {
        let decision = self.rest.ask().await;
        let seen = decision.as_ref().map_err(HookError::clone).map(|seen| match seen.verdict() {
            PostVerdict::Accept => InnerPost::Accept,
            PostVerdict::ReplaceContentNotValue(blocks) => {
                InnerPost::ReplaceContent(blocks.clone())
            }
            PostVerdict::ReplaceValue(_) => InnerPost::ReplaceValue,
            PostVerdict::Block(_) => InnerPost::Block,
        });
        *self.inner.lock().unwrap_or_else(PoisonError::into_inner) = Some(decision);
        seen
    }
}

impl<'a> Rest<'a> {
    fn ask(self) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        Box::pin(async move {
            let mut at = self.from;
            let entry = loop {
                match self.listeners.get(at) {
                    None => return Ok(PostDecision::accept()),
                    Some(entry) if entry.covers(self.completed.call()) => break entry,
                    Some(_) => at += 1,
                }
            };
            let inside = Rest { from: at + 1, ..self };
            let slot = Slot::default();
            let next = PostNext { rest: inside, inner: &slot };
            let judging = Deep::new(|| entry.listener.post_execute(self.completed, next));
            let outer = judging.await?;
            let seen = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
            let blocks = matches!(outer.verdict(), PostVerdict::Block(_));
            let inner = match seen {
                Some(inner) => inner?,
                // Nothing inside can be stronger than a block.
                None if blocks => return Ok(outer),
                None => inside.ask().await?,
            };
            Ok(stronger(&entry.name, outer, inner))
        })
    }
}

fn strength(verdict: &PostVerdict) -> u8 {
    match verdict {
        PostVerdict::Accept => 0,
        PostVerdict::ReplaceContentNotValue(_) => 1,
        PostVerdict::ReplaceValue(_) => 2,
        PostVerdict::Block(_) => 3,
    }
}

/// The stronger decision (contract H8). A block keeps its own messages and no others (contract P12); else
/// both keep theirs, the outer's first.
fn stronger(outer_name: &str, outer: PostDecision, inner: PostDecision) -> PostDecision {
    let outer_wins = strength(outer.verdict()) >= strength(inner.verdict());
    let (winner, loser) = if outer_wins { (&outer, &inner) } else { (&inner, &outer) };
    if strength(loser.verdict()) > 0 {
        tracing::info!(
            listener = outer_name,
            dropped = strength_name(loser.verdict()),
            kept = strength_name(winner.verdict()),
            "a decision beside a stronger one is dropped"
        );
    }
    if matches!(winner.verdict(), PostVerdict::Block(_)) {
        return if outer_wins { outer } else { inner };
    }
    let (outer_verdict, mut contexts) = outer.into_parts();
    let (inner_verdict, inner_contexts) = inner.into_parts();
    contexts.extend(inner_contexts);
    let verdict = if outer_wins { outer_verdict } else { inner_verdict };
    PostDecision::from_parts(verdict, contexts)
}

fn strength_name(verdict: &PostVerdict) -> &'static str {
    match verdict {
        PostVerdict::Accept => "accept",
        PostVerdict::ReplaceContentNotValue(_) => "content",
        PostVerdict::ReplaceValue(_) => "value",
        PostVerdict::Block(_) => "block",
    }
}

pub(crate) async fn run(
    listeners: &Listeners<dyn PostExecute>,
    completed: Completed<'_>,
) -> Result<PostDecision, HookError> {
    Rest { listeners, from: 0, completed }.ask().await
}
