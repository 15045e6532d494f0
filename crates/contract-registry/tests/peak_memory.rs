//! What a dispatch holds at most, beyond the typed value itself. A binary of its own, with one test, since
//! the allocator counts every thread.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use std::sync::{Arc, Mutex};

use contract_registry::{CallContext, CallRequest, Registry, Tool, ToolError};
use contract_schema::{ContentBlock, Json};
use contract_testkit::CountingAllocator;
use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[global_allocator]
static MEMORY: CountingAllocator = CountingAllocator::new();

#[derive(Deserialize, JsonSchema)]
struct NoArgs {}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    path: String,
    line_number: u64,
    line: String,
}

/// Hands over a value made beforehand.
struct Hands<V>(Arc<Mutex<Option<V>>>);

impl<V> Tool for Hands<V>
where
    V: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static,
{
    const NAME: &'static str = "hands";
    const FAMILY: &'static str = "test";
    type Args = NoArgs;
    type Value = V;
    type Caps = ();

    fn description(&self) -> String {
        String::new()
    }

    fn caps(&self) -> &() {
        &()
    }

    async fn run(&self, _: &NoArgs, _: &CallContext) -> Result<V, ToolError> {
        self.0.lock().unwrap().take().ok_or_else(|| ToolError::new("no value was handed over"))
    }

    fn render((): &(), _: &NoArgs, _: &V) -> Vec<ContentBlock> {
        vec![ContentBlock::text("done")]
    }
}

/// Peak bytes beyond the value, over the bytes of its JSON.
fn ratio<V>(what: &str, value: V) -> f64
where
    V: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static,
{
    let serialized = serde_json::to_vec(&value).unwrap().len();
    let slot = Arc::new(Mutex::new(Some(value)));
    let registry = Registry::new();
    registry.register(Hands(Arc::clone(&slot))).unwrap().keep();
    registry.get("hands").unwrap().output().force();
    let request = CallRequest::new("hands", Json::parse("{}").unwrap());
    let (outcome, used) = MEMORY.measure(|| registry.dispatch(request).now_or_never().unwrap());
    assert!(!outcome.is_error());
    let ratio = used.peak_bytes as f64 / serialized as f64;
    let kept = used.kept_bytes as f64 / serialized as f64;
    eprintln!("{what}: {serialized} bytes of JSON, peak x{ratio:.2}, kept x{kept:.2}");
    ratio
}

#[test]
fn peak_memory_is_bounded_by_the_size_of_the_json() {
    let found = |n: u64| Match {
        path: format!("crates/some-crate/src/module_{}/file.rs", n / 10),
        line_number: n * 3 % 2000 + 1,
        line: format!("    fn function_number_{n}(argument: &str) -> Result<()> {{"),
    };
    for count in [10_000, 300_000] {
        assert!(ratio("matches", (0..count).map(found).collect::<Vec<_>>()) <= 3.0);
    }
    assert!(ratio("integers", (0..2_000_000_i64).collect::<Vec<_>>()) <= 10.0);
    assert!(ratio("booleans", vec![true; 2_000_000]) <= 10.0);
    let nested: Vec<Vec<i64>> = (0..300_000).map(|n| vec![n, n + 1, n + 2]).collect();
    assert!(ratio("triples", nested) <= 10.0);
}
