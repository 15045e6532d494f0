//! Tools that say much, stores that fail, and listeners made of functions.

use std::sync::{Arc, Mutex};

use contract_hooks::{
    AroundExecute, AroundNext, HookError, Hooks, InnerPost, NestedResult, PostExecute, PostNext,
};
use contract_registry::{
    Call, CallContext, CallEnv, CallRequest, Completed, ExecuteReply, Outcome, Overflow,
    PostDecision, RawTool, Registry, Returned, SessionId, Tool, ToolError,
};
use contract_schema::{ContentBlock, Json};
use contract_spill::{
    MemoryStore, NoStore, Plan, Saved, Spill, SpillCap, SpillConfig, SpillError, SpillSource,
    SpillStore, SpillText,
};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Held by tests that start a process or that need every lock released: a process that is being started
/// holds the locks of its parent for a moment.
pub(crate) static LOCKS: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// `count` numbered rows.
pub(crate) fn rows(count: usize) -> String {
    (1..=count).map(|number| format!("row {number}\n")).collect()
}

pub(crate) fn config(cap: u64) -> SpillConfig {
    SpillConfig { max_inline_bytes: Some(SpillCap::new(cap)), ..SpillConfig::default() }
}

pub(crate) fn env(session: &str) -> Arc<CallEnv> {
    Arc::new(CallEnv::default().with_session(SessionId::new(session)))
}

/// A tool that shows the strings of its argument `blocks`, each as a text block; one that begins with
/// `image:` is an image. It fails if told so.
pub(crate) fn say(name: &str) -> RawTool {
    RawTool::new(name, "test")
        .parameters(json!({ "type": "object" }))
        .output(json!({ "type": "object" }))
        .run(|args, _| async move {
            match args.root().get("fail").and_then(|text| text.as_str()) {
                Some(text) => Err(ToolError::new(text)),
                None => Ok(Returned::json(args.json().clone())),
            }
        })
        .render(|_, value| {
            let blocks = value.root().get("blocks").unwrap().elements();
            blocks.map(|text| block(text.as_str().unwrap())).collect()
        })
}

pub(crate) fn block(text: &str) -> ContentBlock {
    match text.strip_prefix("image:") {
        Some(data) => ContentBlock::image("image/png", data),
        None => ContentBlock::text(text),
    }
}

/// A tool that calls `say` with its own arguments, keeps what that gave, and shows nothing of it.
fn outer(seen: &Arc<Mutex<Vec<Outcome>>>, inner: &'static str) -> RawTool {
    let seen = Arc::clone(seen);
    RawTool::new("outer", "test")
        .parameters(json!({ "type": "object" }))
        .output(json!({ "type": "object" }))
        .run(move |args, cx: CallContext| {
            let seen = Arc::clone(&seen);
            async move {
                let outcome = cx.call_nested(cx.nested(inner, args.json().clone())).await;
                seen.lock().unwrap().push(outcome);
                Ok(Returned::tree(json!({})))
            }
        })
        .render(|_, _| vec![ContentBlock::text("done")])
}

/// A tool that declares an overflow: `count` items, of which a page shows the first ten.
pub(crate) struct Listing;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ListArgs {
    pub(crate) count: u64,
    /// Bytes of an item.
    pub(crate) width: usize,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListValue {
    pub(crate) items: Vec<String>,
}

pub(crate) fn items(count: u64, width: usize) -> ListValue {
    ListValue { items: (1..=count).map(|number| format!("{number:0width$}")).collect() }
}

fn list_page(value: &ListValue, saved_at: Option<&str>) -> Vec<ContentBlock> {
    let shown = value.items.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    let place = saved_at.unwrap_or("nowhere");
    vec![ContentBlock::text(format!("{shown}\n(10 of {}; all in {place})", value.items.len()))]
}

impl Tool for Listing {
    const NAME: &'static str = "list";
    const FAMILY: &'static str = "test";
    type Args = ListArgs;
    type Value = ListValue;
    type Caps = ();

    fn description(&self) -> String {
        String::new()
    }

    fn caps(&self) -> &() {
        &()
    }

    async fn run(&self, args: &ListArgs, _: &CallContext) -> Result<ListValue, ToolError> {
        Ok(items(args.count, args.width))
    }

    fn render((): &(), _: &ListArgs, value: &ListValue) -> Vec<ContentBlock> {
        list_page(value, None)
    }

    fn overflow((): &(), _: &ListArgs, value: &ListValue) -> Option<Overflow> {
        let all = value.items.join("\n");
        let value = ListValue { items: value.items.clone() };
        (value.items.len() > 10).then(|| Overflow {
            suggested_name: "list.txt".to_owned(),
            full_text: all,
            page: Box::new(move |saved_at| {
                assert!(value.items[0] != "panic", "this page panics");
                list_page(&value, saved_at)
            }),
        })
    }
}

/// A registry with the tools above, and what its nested calls gave.
pub(crate) struct World {
    pub(crate) registry: Registry,
    pub(crate) nested: Arc<Mutex<Vec<Outcome>>>,
}

impl World {
    pub(crate) fn new(hooks: &Hooks) -> Self {
        Self::nesting(hooks, "say")
    }

    pub(crate) fn nesting(hooks: &Hooks, inner: &'static str) -> Self {
        let registry = Registry::builder().policy(Arc::new(hooks.clone())).build();
        let nested = Arc::default();
        for tool in [say("say"), say("read"), outer(&nested, inner)] {
            registry.register_dyn(tool.build().unwrap()).unwrap().keep();
        }
        registry.register(Listing).unwrap().keep();
        Self { registry, nested }
    }

    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Outcome {
        let arguments = Json::snapshot(&arguments).unwrap();
        let request = CallRequest::new(name, arguments).with_env(env("demo"));
        self.registry.dispatch(request).await
    }

    /// A call in which nothing waits.
    pub(crate) fn call_now(&self, name: &str, arguments: Value) -> Outcome {
        self.call(name, arguments).now_or_never().unwrap()
    }
}

/// A world with a mounted policy over a store in memory.
pub(crate) fn spilling(config: SpillConfig) -> (World, Arc<MemoryStore>, Hooks) {
    let (store, hooks) = (Arc::new(MemoryStore::new()), Hooks::new());
    Spill::new(store.clone(), config).mount(&hooks).keep();
    (World::new(&hooks), store, hooks)
}

pub(crate) fn texts(outcome: &Outcome) -> Vec<&str> {
    outcome.content().iter().filter_map(ContentBlock::as_text).collect()
}

/// Bytes of text as a driver prints them: blocks joined by a line feed, one more at the end.
pub(crate) fn printed(outcome: &Outcome) -> u64 {
    SpillText::of_blocks(outcome.content()).bytes() + 1
}

/// Stores that do not save.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Broken {
    Fails,
    PlanPanics,
    SavePanics,
    FuturePanics,
    SavesLess,
}

pub(crate) const BROKEN: [Broken; 5] = [
    Broken::Fails,
    Broken::PlanPanics,
    Broken::SavePanics,
    Broken::FuturePanics,
    Broken::SavesLess,
];

impl SpillStore for Broken {
    fn plan(&self, _: &SpillSource<'_>) -> Result<Plan, SpillError> {
        assert!(!matches!(self, Self::PlanPanics), "plan panics");
        Ok(Plan::new("broken/place", "No way."))
    }

    fn save<'a>(
        &'a self,
        _: &'a Plan,
        text: &'a SpillText<'a>,
    ) -> BoxFuture<'a, Result<Saved, SpillError>> {
        assert!(!matches!(self, Self::SavePanics), "save panics");
        Box::pin(async move {
            match self {
                Self::Fails => Err(SpillError::Store("out of paper".into())),
                Self::SavesLess => Ok(Saved { bytes: text.bytes() - 1 }),
                Self::PlanPanics | Self::SavePanics | Self::FuturePanics => {
                    panic!("the future panics")
                }
            }
        })
    }
}

/// Every store that does not save.
pub(crate) fn broken_stores() -> Vec<Arc<dyn SpillStore>> {
    let broken = BROKEN.map(|broken| Arc::new(broken) as Arc<dyn SpillStore>);
    broken.into_iter().chain([Arc::new(NoStore) as Arc<dyn SpillStore>]).collect()
}

/// A judge of results that delegates first and then answers by a function of what it saw.
pub(crate) struct Post<F>(pub(crate) F);

impl<F> PostExecute for Post<F>
where
    F: Fn(InnerPost) -> PostDecision + Send + Sync + 'static,
{
    fn post_execute<'a>(
        &'a self,
        _: Completed<'a>,
        next: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        Box::pin(async { Ok((self.0)(next.run().await?)) })
    }
}

/// Has the log copies of nested results shaped, as a driver does, and keeps them.
pub(crate) struct LogsCopies {
    pub(crate) hooks: Hooks,
    pub(crate) copies: Arc<Mutex<Vec<Vec<ContentBlock>>>>,
}

impl AroundExecute for LogsCopies {
    fn execute<'a>(&'a self, call: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async move {
            let outcome = next.run().await;
            if call.is_nested() {
                let is_error = outcome.is_error();
                let result = NestedResult { content: outcome.content().to_vec(), is_error };
                let copy = self.hooks.shape_log_copy(call, &result).await;
                self.copies.lock().unwrap().push(copy);
            }
            outcome.into()
        })
    }
}
