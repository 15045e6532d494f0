//! The policy: what stands in the chains, and what it makes of a result.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;

use contract_hooks::{
    Bound, HookError, HookHandle, Hooks, InnerPost, LogCopy, LogCopyNext, NestedResult, Place,
    Position, PostExecute, PostNext,
};
use contract_registry::{CallHead, Completed, Overflow, PostDecision, Runtime, ThreadRuntime};
use contract_schema::ContentBlock;
use futures_util::future::{BoxFuture, Either, select};

use crate::config::{SpillCap, SpillConfig};
use crate::contain::{caught, caught_async};
use crate::error::SpillError;
use crate::notice::{self, Ending};
use crate::preview::preview;
use crate::store::{Label, Plan, SpillSource, SpillStore};
use crate::text::{SpillText, length};

/// The name of its listeners.
const NAME: &str = "spill";

/// What a panic came from.
const STORE: &str = "the spill store";
const PAGE: &str = "the tool's page";

/// Line feeds that a printed result has beyond its blocks: between preview and notice, and at the end.
const LINE_FEEDS: usize = 2;

/// Bounds what a model reads. Clones share store and configuration.
///
/// A tool that declares an overflow has its full text saved and its page shown; content that is still over
/// the cap is saved whole and replaced by a preview and a notice. Canonical values, metadata and
/// additional contexts are never touched.
#[derive(Clone)]
pub struct Spill(Arc<Core>);

struct Core {
    store: Arc<dyn SpillStore>,
    config: SpillConfig,
    runtime: Arc<dyn Runtime>,
}

/// The listeners of a mounted [`Spill`]: they leave the chains when this drops.
#[derive(Debug)]
#[must_use = "dropping it unmounts at once; call `keep` to leave it mounted"]
pub struct Mounted {
    handles: [HookHandle; 3],
}

impl Mounted {
    /// Leaves the listeners registered for as long as their hooks live.
    pub fn keep(self) {
        self.handles.into_iter().for_each(HookHandle::keep);
    }
}

impl Spill {
    /// A policy that saves in `store`; [`NoStore`](crate::NoStore) where the host has none.
    #[must_use]
    pub fn new(store: Arc<dyn SpillStore>, config: SpillConfig) -> Self {
        Self(Arc::new(Core { store, config, runtime: Arc::new(ThreadRuntime) }))
    }

    /// Measures the time that a store takes by `runtime`. The default is one shared timer thread.
    #[must_use]
    pub fn with_runtime(self, runtime: Arc<dyn Runtime>) -> Self {
        let Core { store, config, .. } = &*self.0;
        Self(Arc::new(Core { store: Arc::clone(store), config: config.clone(), runtime }))
    }

    /// Puts it around everything else in the chains, whatever the order of registration (contract S3).
    ///
    /// One of them is enough for a call: a second one, of another cap, would save the first one's preview.
    pub fn mount(&self, hooks: &Hooks) -> Mounted {
        let outermost = hooks.at(Place::Outermost, Position::Prepend);
        let listener = || Listener(Arc::clone(&self.0));
        Mounted {
            handles: [
                outermost.post_execute(NAME, listener()),
                outermost.bound(NAME, listener()),
                outermost.log_copy(NAME, listener()),
            ],
        }
    }
}

impl fmt::Debug for Spill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spill").field("config", &self.0.config).finish_non_exhaustive()
    }
}

struct Listener(Arc<Core>);

impl PostExecute for Listener {
    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
        next: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        Box::pin(async move {
            let shown = match next.run().await? {
                InnerPost::Accept => self.0.settle(completed, Shown::Own).await,
                InnerPost::ReplaceContent(blocks) if blocks == completed.outcome().content() => {
                    self.0.settle(completed, Shown::Own).await
                }
                InnerPost::ReplaceContent(blocks) => {
                    self.0.settle(completed, Shown::Replaced(&blocks)).await
                }
                // What recomputing gives is bounded then; feedback is policy's own.
                InnerPost::ReplaceValue | InnerPost::Block => None,
            };
            Ok(shown.map_or_else(PostDecision::accept, PostDecision::replace_content_not_value))
        })
    }
}

impl Bound for Listener {
    fn bound<'a>(
        &'a self,
        completed: Completed<'a>,
        blocks: Option<&'a [ContentBlock]>,
    ) -> BoxFuture<'a, Option<Vec<ContentBlock>>> {
        Box::pin(self.0.settle(completed, blocks.map_or(Shown::Recomputed, Shown::Replaced)))
    }
}

impl LogCopy for Listener {
    fn log_copy<'a>(
        &'a self,
        call: &'a CallHead,
        result: &'a NestedResult,
        next: LogCopyNext<'a>,
    ) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>> {
        Box::pin(async move {
            let blocks = next.run().await;
            let ending = Ending::of(result.is_error);
            let bounded = self.0.bound(call, Label::Dispatch, ending, &blocks, None).await;
            Ok(bounded.unwrap_or(blocks))
        })
    }
}

/// What is to be shown of a direct result, and whose it is.
#[derive(Clone, Copy)]
enum Shown<'a> {
    /// What the tool made of the value it returned: within the tool's own limits.
    Own,
    /// What the tool made of a value that policy put in place.
    Recomputed,
    /// What policy shows instead.
    Replaced(&'a [ContentBlock]),
}

/// The page a tool shows in place of its overflow.
struct Page {
    blocks: Vec<ContentBlock>,
    saved: Option<Plan>,
}

impl Core {
    /// What is shown of a direct result: the tool's own page if nobody replaced its content, then the cap
    /// (contract S3, S7). All policy has settled by now, so that nothing it withholds is written.
    async fn settle(
        &self,
        completed: Completed<'_>,
        shown: Shown<'_>,
    ) -> Option<Vec<ContentBlock>> {
        let call = completed.call();
        if call.is_nested() {
            return None;
        }
        let own = completed.outcome().content();
        let keeps_limits = matches!(shown, Shown::Own);
        let (page, shown) = match shown {
            Shown::Own | Shown::Recomputed => (self.page(completed).await, own),
            Shown::Replaced(blocks) => (None, blocks),
        };
        let shown = page.as_ref().map_or(shown, |page| &page.blocks);
        let bounded = if keeps_limits && self.config.is_exempt(call.name()) {
            None
        } else {
            let ending = Ending::of(completed.outcome().is_error());
            let saved = page.as_ref().and_then(|page| page.saved.as_ref());
            self.bound(call, Label::Result, ending, shown, saved).await
        };
        bounded.or(page.map(|page| page.blocks))
    }

    /// The page of a tool that declares an overflow (contract P17, S4), with the place of the full text
    /// if that could be saved.
    async fn page(&self, completed: Completed<'_>) -> Option<Page> {
        let call = completed.call();
        let Overflow { suggested_name, full_text, page } = completed.overflow()?;
        let source = SpillSource::of(call, Label::Overflow, &suggested_name);
        let planned = self.plan(&source).and_then(|plan| {
            let blocks = caught(PAGE, || page(Some(plan.locator())))?;
            Ok((blocks, plan))
        });
        let saved = match planned {
            Ok((blocks, plan)) => {
                let saved = self.save(call, &plan, &SpillText::from(&*full_text)).await;
                saved.map(|()| Page { blocks, saved: Some(plan) })
            }
            Err(error) => Err(error),
        };
        let unsaved = |error: SpillError| {
            warn_unsaved(call, &error);
            let blocks = caught(PAGE, || page(None));
            blocks.inspect_err(|error| warn_unsaved(call, error)).ok()
        };
        match saved {
            Ok(page) => Some(page),
            Err(error) => unsaved(error).map(|blocks| Page { blocks, saved: None }),
        }
    }

    /// What is shown instead of blocks whose text is over the cap (contract S1, S2). `saved` is where
    /// all that the blocks stand for is already.
    async fn bound(
        &self,
        call: &CallHead,
        label: Label,
        ending: Ending,
        blocks: &[ContentBlock],
        saved: Option<&Plan>,
    ) -> Option<Vec<ContentBlock>> {
        let cap = self.config.max_inline_bytes?;
        let text = SpillText::of_blocks(blocks);
        if text.bytes() <= cap.bytes() {
            return None;
        }
        let bounded = match saved {
            Some(plan) => Ok(replacement(cap, blocks, &text, notice::page(text.bytes(), plan))),
            None => self.saved_whole(cap, call, label, ending, (blocks, &text)).await,
        };
        match bounded {
            Ok(Some(blocks)) => Some(blocks),
            Ok(None) => {
                let (tool, cap) = (call.name(), cap.bytes());
                tracing::warn!(tool, cap, "the cap has no room for a notice; the content stays");
                None
            }
            Err(error) => {
                warn_unsaved(call, &error);
                None
            }
        }
    }

    /// Saves the text and gives its replacement; `None`, and nothing saved, if that would be over the cap.
    async fn saved_whole(
        &self,
        cap: SpillCap,
        call: &CallHead,
        label: Label,
        ending: Ending,
        (blocks, text): (&[ContentBlock], &SpillText<'_>),
    ) -> Result<Option<Vec<ContentBlock>>, SpillError> {
        let name = format!("{}.txt", call.name());
        let plan = self.plan(&SpillSource::of(call, label, &name))?;
        let notice = notice::saved(ending, text.bytes(), &plan);
        let Some(blocks) = replacement(cap, blocks, text, notice) else { return Ok(None) };
        self.save(call, &plan, text).await?;
        Ok(Some(blocks))
    }

    fn plan(&self, source: &SpillSource<'_>) -> Result<Plan, SpillError> {
        caught(STORE, || self.store.plan(source))?
    }

    /// Whatever the store is, it is waited for up to the deadline only, and shorter once the call is
    /// cancelled: what it does never fails a call (contract S2). It may panic while it makes its future, too.
    async fn save(
        &self,
        call: &CallHead,
        plan: &Plan,
        text: &SpillText<'_>,
    ) -> Result<(), SpillError> {
        let saving = pin!(caught_async(STORE, async { self.store.save(plan, text).await }));
        let saved = match select(saving, pin!(self.given_up(call))).await {
            Either::Left((saved, _)) => saved??,
            Either::Right((error, _)) => return Err(error),
        };
        if saved.bytes == text.bytes() {
            return Ok(());
        }
        Err(SpillError::WrongSize { saved: saved.bytes, expected: text.bytes() })
    }

    /// Ends when a text is no longer to be waited for, with the reason.
    async fn given_up(&self, call: &CallHead) -> SpillError {
        let after = self.config.save_deadline();
        let deadline = self.runtime.sleep(after);
        let cancelled = pin!(call.caller_cancel().cancelled());
        let deadline = match select(deadline, cancelled).await {
            Either::Left(_) => return SpillError::TimedOut { after },
            Either::Right(((), deadline)) => deadline,
        };
        let grace = self.config.cancel_grace();
        match select(deadline, self.runtime.sleep(grace)).await {
            Either::Left(_) => SpillError::TimedOut { after },
            Either::Right(_) => SpillError::Cancelled { after: grace },
        }
    }
}

/// Preview, the blocks that are no text in their order, and the notice as a block of its own; `None` if
/// the notice alone is over the cap.
fn replacement(
    cap: SpillCap,
    blocks: &[ContentBlock],
    text: &SpillText<'_>,
    notice: String,
) -> Option<Vec<ContentBlock>> {
    if length(&notice) > cap.bytes() {
        return None;
    }
    let room = cap.length().checked_sub(notice.len() + LINE_FEEDS);
    let preview = room.and_then(|room| preview(text, room));
    let preview = preview.map(|preview| ContentBlock::text(preview.text));
    let others = blocks.iter().filter(|block| block.as_text().is_none()).cloned();
    Some(preview.into_iter().chain(others).chain([ContentBlock::text(notice)]).collect())
}

fn warn_unsaved(call: &CallHead, error: &SpillError) {
    let (tool, call_id) = (call.name(), call.call_id().as_str());
    tracing::warn!(tool, call_id, error = error.line(), "long text could not be saved");
}
