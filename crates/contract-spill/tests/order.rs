//! The final content does not depend on the order of registration (contract S3, S7, H8).

use std::sync::Arc;

use contract_hooks::{
    Bound, HookError, HookHandle, Hooks, InnerPost, Place, Position, PostExecute, PostNext,
};
use contract_registry::{Completed, Outcome, PostDecision, Returned};
use contract_schema::{AdditionalContext, ContentBlock};
use contract_spill::{MemoryStore, Mounted, Spill};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::support::{Post, World, config, items, printed, rows, texts};

/// A projection as a plugin may write it: the first lines of what `say` shows, and a footer.
struct Projection;

fn project(blocks: &[ContentBlock]) -> Vec<ContentBlock> {
    let text = blocks[0].as_text().unwrap();
    let page = text.lines().take(400).collect::<Vec<_>>().join("\n");
    vec![ContentBlock::text(format!("{page}\n(projected)"))]
}

impl PostExecute for Projection {
    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
        next: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        Box::pin(async move {
            Ok(match (completed.call().name(), next.run().await?) {
                ("say", InnerPost::Accept) => {
                    PostDecision::replace_content_not_value(project(completed.outcome().content()))
                }
                _ => PostDecision::accept(),
            })
        })
    }
}

impl Bound for Projection {
    fn bound<'a>(
        &'a self,
        completed: Completed<'a>,
        blocks: Option<&'a [ContentBlock]>,
    ) -> BoxFuture<'a, Option<Vec<ContentBlock>>> {
        let is_own = completed.call().name() == "say" && blocks.is_none();
        let page = is_own.then(|| project(completed.outcome().content()));
        Box::pin(async { page })
    }
}

/// What can be registered. Registering gives what keeps it registered.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Spill,
    Projection,
    Context,
    Content,
    Redaction,
}

enum Kept {
    Mounted(#[expect(dead_code, reason = "dropping it would unmount")] Mounted),
    Hooks(#[expect(dead_code, reason = "dropping them would unregister")] Vec<HookHandle>),
}

fn register(part: Part, hooks: &Hooks, store: &Arc<MemoryStore>) -> Kept {
    match part {
        Part::Spill => Kept::Mounted(Spill::new(store.clone(), config(600)).mount(hooks)),
        Part::Projection => {
            let innermost = hooks.at(Place::Innermost, Position::Append);
            Kept::Hooks(vec![
                innermost.post_execute("projection", Projection),
                innermost.bound("projection", Projection),
            ])
        }
        Part::Context => {
            let context = || vec![AdditionalContext::text("test", "hook", "remember")];
            let judge = move |_| PostDecision::accept().with_contexts(context());
            Kept::Hooks(vec![hooks.post_execute("context", Post(judge))])
        }
        Part::Content => {
            let blocks = || vec![ContentBlock::text(format!("hook\n{}", rows(200)))];
            let judge = move |_| PostDecision::replace_content_not_value(blocks());
            Kept::Hooks(vec![hooks.post_execute("content", Post(judge))])
        }
        Part::Redaction => {
            let redacted = || {
                let shown = format!("redacted\n{}", rows(300));
                json!({ "blocks": [shown], "items": items(40, 100).items })
            };
            let judge = Post(move |_| PostDecision::replace_value(Returned::tree(redacted())));
            Kept::Hooks(vec![hooks.post_execute("redaction", judge)])
        }
    }
}

fn permutations(parts: &[Part]) -> Vec<Vec<Part>> {
    let Some((&first, rest)) = parts.split_first() else { return vec![Vec::new()] };
    let all = permutations(rest).into_iter();
    all.flat_map(|shorter| {
        (0..=shorter.len()).map(move |at| {
            let mut longer = shorter.clone();
            longer.insert(at, first);
            longer
        })
    })
    .collect()
}

/// The outcome of a call for each order of registration, which must be the same for all.
fn same_for_all(parts: &[Part], tool: &str, arguments: &Value) -> Outcome {
    let outcomes = permutations(parts).into_iter().map(|order| {
        let (store, hooks) = (Arc::new(MemoryStore::new()), Hooks::new());
        let kept: Vec<Kept> = order.iter().map(|&part| register(part, &hooks, &store)).collect();
        let outcome = World::new(&hooks).call_now(tool, arguments.clone());
        drop(kept);
        (order, outcome)
    });
    let mut outcomes: Vec<_> = outcomes.collect();
    let (_, last) = outcomes.pop().unwrap();
    for (order, outcome) in outcomes {
        assert_eq!(outcome.content(), last.content(), "{order:?}");
        assert_eq!(outcome.value(), last.value(), "{order:?}");
    }
    last
}

#[test]
fn s3_a_projection_settles_before_the_cap_in_every_order() {
    let parts = [Part::Spill, Part::Projection, Part::Context];
    let outcome = same_for_all(&parts, "say", &json!({ "blocks": [rows(1000)] }));
    assert!(texts(&outcome)[0].ends_with("row 400\n(projected)"));
    assert!(printed(&outcome) <= 600);
    assert_eq!(outcome.contexts().len(), 1);
}

#[test]
fn s3_replaced_content_settles_before_the_cap_in_every_order() {
    let parts = [Part::Spill, Part::Projection, Part::Context, Part::Content];
    let outcome = same_for_all(&parts, "say", &json!({ "blocks": [rows(1000)] }));
    assert!(texts(&outcome)[0].starts_with("hook\n") && texts(&outcome)[0].ends_with("row 200\n"));
    assert!(printed(&outcome) <= 600);
}

#[test]
fn s3_a_redaction_survives_every_order() {
    let parts = [Part::Spill, Part::Projection, Part::Context, Part::Content, Part::Redaction];
    let outcome = same_for_all(&parts, "say", &json!({ "blocks": [rows(1000)] }));
    assert!(texts(&outcome)[0].starts_with("redacted\n"));
    assert!(texts(&outcome)[0].ends_with("row 300\n(projected)"));
    assert!(printed(&outcome) <= 600);
    let blocks = outcome.value().unwrap().root().get("blocks").unwrap();
    assert!(blocks.at(0).unwrap().as_str().unwrap().starts_with("redacted\n"));
}

#[test]
fn s3_a_declared_overflow_settles_before_the_cap_in_every_order() {
    let parts = [Part::Spill, Part::Projection, Part::Context];
    let outcome = same_for_all(&parts, "list", &json!({ "count": 99, "width": 100 }));
    assert!(texts(&outcome)[1].contains("the whole result is in\nmemory/overflow/1/list.txt"));
    assert!(printed(&outcome) <= 600);
}
