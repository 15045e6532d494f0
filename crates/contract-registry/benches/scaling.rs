//! Cost over size: full dispatch of grep-like values from 1 kB to 100 MB, beside `serde_json::to_vec`.
#![allow(clippy::unwrap_used, reason = "a benchmark stops on any failure")]

#[allow(dead_code, reason = "each benchmark uses a part")]
mod support;

use std::sync::{Arc, Mutex};

use contract_registry::{CallRequest, Registry};
use contract_schema::Json;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use futures_util::FutureExt as _;
use support::{Large, Returns, large};

/// Matches; about 107 bytes of JSON each.
const MATCHES: [u64; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

fn main() {
    divan::main();
}

#[divan::bench(args = MATCHES, sample_count = 10)]
fn to_vec(bencher: Bencher<'_, '_>, matches: u64) {
    let value = large(matches);
    let bytes = serde_json::to_vec(&value).unwrap().len();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| serde_json::to_vec(black_box(&value)));
}

#[divan::bench(args = MATCHES, sample_count = 10)]
fn dispatch(bencher: Bencher<'_, '_>, matches: u64) {
    let value = large(matches);
    let bytes = serde_json::to_vec(&value).unwrap().len();
    let slot = Arc::new(Mutex::new(None));
    let registry = Registry::new();
    registry.register(Returns::<Large, false>(Arc::clone(&slot))).unwrap().keep();
    let arguments = Json::parse(r#"{"pattern":"fn main"}"#).unwrap();
    bencher
        .counter(BytesCount::new(bytes))
        .with_inputs(|| *slot.lock().unwrap() = Some(value.clone()))
        .bench_local_values(|()| {
            let request = CallRequest::new("large", arguments.clone());
            let outcome = registry.dispatch(request).now_or_never().unwrap();
            assert!(!outcome.is_error());
            outcome
        });
}
