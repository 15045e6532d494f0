//! Cost of a call in a lane over the number of calls that wait in it.
#![allow(clippy::unwrap_used, reason = "a benchmark stops on any failure")]

use std::num::NonZeroUsize;

use contract_registry::{CallRequest, Lane, RawTool, Registry, Returned};
use contract_schema::{ContentBlock, Json};
use divan::Bencher;
use divan::counter::ItemsCount;
use serde_json::json;

const CALLS: [usize; 3] = [100, 1_000, 4_000];

fn main() {
    divan::main();
}

fn bench(bencher: Bencher<'_, '_>, calls: usize, parallel_safe: bool) {
    let registry = Registry::new();
    let tool = RawTool::new("nothing", "bench")
        .parameters(json!({ "type": "object" }))
        .output(json!({ "type": "object" }))
        .run(|_, _| async {
            // As a body that waits for something: the calls behind it get to wait for their turn.
            tokio::task::yield_now().await;
            Ok(Returned::tree(json!({})))
        })
        .render(|_, _| vec![ContentBlock::text("done")])
        .parallel_safe(move |_| parallel_safe);
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let arguments = Json::parse("{}").unwrap();
    bencher.counter(ItemsCount::new(calls)).bench_local(|| {
        let lane = Lane::new(registry.root().clone(), NonZeroUsize::new(8).unwrap());
        let requests = (0..calls).map(|_| CallRequest::new("nothing", arguments.clone()));
        let all = lane.run_all(requests.collect::<Vec<_>>());
        runtime.block_on(all)
    });
}

#[divan::bench(args = CALLS, sample_count = 10)]
fn exclusive(bencher: Bencher<'_, '_>, calls: usize) {
    bench(bencher, calls, false);
}

#[divan::bench(args = CALLS, sample_count = 10)]
fn parallel(bencher: Bencher<'_, '_>, calls: usize) {
    bench(bencher, calls, true);
}
