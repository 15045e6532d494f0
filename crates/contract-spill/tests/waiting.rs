//! A store that never answers: the call does not wait for ever, and does not fail.

use std::sync::{Arc, Mutex};

use contract_hooks::Hooks;
use contract_registry::{CallRequest, CancelSource, Outcome};
use contract_schema::{ContentBlock, Json};
use contract_spill::{
    Plan, Saved, Spill, SpillConfig, SpillError, SpillSource, SpillStore, SpillText,
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{LogsCopies, World, config, env, rows, texts};

/// Saves nothing and says nothing; tells when it is asked and when it is given up.
#[derive(Default)]
struct Silent {
    asked: Notify,
    given_up: Mutex<u32>,
}

struct GivenUp<'a>(&'a Silent);

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        *self.0.given_up.lock().unwrap() += 1;
    }
}

impl SpillStore for Silent {
    fn plan(&self, _: &SpillSource<'_>) -> Result<Plan, SpillError> {
        Ok(Plan::new("silent/place", "No way."))
    }

    fn save<'a>(
        &'a self,
        _: &'a Plan,
        _: &'a SpillText<'a>,
    ) -> BoxFuture<'a, Result<Saved, SpillError>> {
        self.asked.notify_one();
        let given_up = GivenUp(self);
        Box::pin(async move {
            let _given_up = given_up;
            std::future::pending().await
        })
    }
}

fn silent(config: SpillConfig) -> (Arc<Silent>, Hooks) {
    let (store, hooks) = (Arc::new(Silent::default()), Hooks::new());
    Spill::new(Arc::<Silent>::clone(&store), config).mount(&hooks).keep();
    (store, hooks)
}

fn soon() -> SpillConfig {
    SpillConfig { save_deadline_ms: 20, ..config(400) }
}

#[tokio::test]
async fn s2_a_store_that_never_answers_leaves_the_content_inline() {
    let (store, hooks) = silent(soon());
    let world = World::new(&hooks);
    let outcome = world.call("say", json!({ "blocks": [rows(1000)] })).await;
    assert!(!outcome.is_error());
    assert_eq!(outcome.content(), [ContentBlock::text(rows(1000))]);
    assert_eq!(*store.given_up.lock().unwrap(), 1);
    let listed = world.call("list", json!({ "count": 50, "width": 5 })).await;
    assert!(texts(&listed)[0].ends_with("(10 of 50; all in nowhere)"));
    assert_eq!(*store.given_up.lock().unwrap(), 2);
}

#[tokio::test]
async fn c2_nor_does_a_log_copy_wait_for_it() {
    let (store, hooks) = silent(soon());
    let copies = Arc::<Mutex<Vec<Vec<ContentBlock>>>>::default();
    let logs = LogsCopies { hooks: hooks.clone(), copies: Arc::clone(&copies) };
    hooks.around("log", logs).keep();
    World::new(&hooks).call("outer", json!({ "blocks": [rows(500)] })).await;
    assert_eq!(copies.lock().unwrap()[0], [ContentBlock::text(rows(500))]);
    assert_eq!(*store.given_up.lock().unwrap(), 1);
}

async fn cancelled_while_saving(store: &Silent, world: &World, tool: &str, args: Value) -> Outcome {
    let source = CancelSource::new();
    let request = CallRequest::new(tool, Json::snapshot(&args).unwrap())
        .with_env(env("demo"))
        .with_cancel(source.signal());
    let (outcome, ()) = tokio::join!(world.registry.dispatch(request), async {
        store.asked.notified().await;
        source.cancel();
    });
    outcome
}

#[tokio::test]
async fn s2_a_cancellation_while_a_text_is_saved_does_not_fail_the_call() {
    let (store, hooks) = silent(SpillConfig { cancel_grace_ms: 20, ..config(400) });
    let world = World::new(&hooks);
    let said = json!({ "blocks": [rows(1000)] });
    let outcome = cancelled_while_saving(&store, &world, "say", said).await;
    assert!(!outcome.is_error(), "{:?}", outcome.error());
    assert_eq!(outcome.content(), [ContentBlock::text(rows(1000))]);
    // A page over the cap is two texts, one after the other.
    let listed = json!({ "count": 50, "width": 300 });
    let outcome = cancelled_while_saving(&store, &world, "list", listed).await;
    assert!(!outcome.is_error(), "{:?}", outcome.error());
    assert!(texts(&outcome)[0].ends_with("(10 of 50; all in nowhere)"));
    assert_eq!(*store.given_up.lock().unwrap(), 3);
}
