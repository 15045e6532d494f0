//! Full dispatch against `serde_json` on the same value, in one run.
//!
//! `to_vec` is the unit of the ratios that `cargo xtask bench` prints; `floor` is `serde_json::to_value`
//! plus the validator on the tree. The body hands over a value made beforehand; dropping it counts.

#![allow(
    clippy::unwrap_used,
    clippy::wildcard_imports,
    reason = "a benchmark stops on any failure"
)]

#[allow(dead_code, reason = "each benchmark uses a part")]
mod support;

use std::sync::{Arc, Mutex};

use contract_registry::{CallEnv, CallId, CallRequest, Registry};
use contract_schema::{Json, output_schema};
use divan::{Bencher, black_box};
use futures_util::FutureExt as _;
use support::{Returns, Shape, large, medium, small};

fn main() {
    divan::main();
}

macro_rules! shapes {
    ($bench:ident) => {
        #[divan::bench(name = "small")]
        fn on_small(bencher: Bencher<'_, '_>) {
            super::$bench(bencher, super::small());
        }
        #[divan::bench(name = "medium")]
        fn on_medium(bencher: Bencher<'_, '_>) {
            super::$bench(bencher, super::medium());
        }
        #[divan::bench(name = "large")]
        fn on_large(bencher: Bencher<'_, '_>) {
            super::$bench(bencher, super::large(10_000));
        }
    };
}

mod to_vec {
    use divan::Bencher;
    shapes!(to_vec);
}
mod floor {
    use divan::Bencher;
    shapes!(floor);
}
mod snapshot {
    use divan::Bencher;
    shapes!(snapshot);
}
mod validate {
    use divan::Bencher;
    shapes!(validate);
}
mod read_back {
    use divan::Bencher;
    shapes!(read_back);
}
mod dispatch {
    use divan::Bencher;
    shapes!(dispatch);
}
mod dispatch_meta {
    use divan::Bencher;
    shapes!(dispatch_meta);
}

fn to_vec<V: Shape>(bencher: Bencher<'_, '_>, value: V) {
    bencher.bench_local(|| serde_json::to_vec(black_box(&value)));
}

fn floor<V: Shape>(bencher: Bencher<'_, '_>, value: V) {
    let schema = output_schema::<V>();
    let validator = jsonschema::validator_for(&schema).unwrap();
    bencher.bench_local(|| {
        let tree = serde_json::to_value(black_box(&value)).unwrap();
        assert!(validator.is_valid(&tree));
    });
}

fn snapshot<V: Shape>(bencher: Bencher<'_, '_>, value: V) {
    bencher.bench_local(|| drop(Json::snapshot(black_box(&value)).unwrap()));
}

fn validate<V: Shape>(bencher: Bencher<'_, '_>, value: V) {
    let schema = contract_schema::Schema::compile(&output_schema::<V>()).unwrap();
    let json = Json::snapshot(&value).unwrap();
    bencher.bench_local(|| schema.canonicalize(black_box(&json).clone()).unwrap());
}

fn read_back<V: Shape>(bencher: Bencher<'_, '_>, value: V) {
    let json = Json::snapshot(&value).unwrap();
    bencher.bench_local(|| drop(black_box(&json).to_typed::<V>().unwrap()));
}

fn dispatch<V: Shape>(bencher: Bencher<'_, '_>, value: V) {
    dispatching::<V, false>(bencher, &value);
}

fn dispatch_meta<V: Shape>(bencher: Bencher<'_, '_>, value: V) {
    dispatching::<V, true>(bencher, &value);
}

fn dispatching<V: Shape, const META: bool>(bencher: Bencher<'_, '_>, value: &V) {
    let slot = Arc::new(Mutex::new(None));
    let registry = Registry::new();
    registry.register(Returns::<V, META>(Arc::clone(&slot))).unwrap().keep();
    let env = Arc::new(CallEnv::default());
    let arguments = Json::parse(r#"{"pattern":"fn main"}"#).unwrap();
    let call_id = CallId::new("call-0");
    bencher.with_inputs(|| *slot.lock().unwrap() = Some(value.clone())).bench_local_values(|()| {
        let request = CallRequest::new(V::NAME, arguments.clone())
            .with_call_id(call_id.clone())
            .with_env(Arc::clone(&env));
        // Nothing here waits, so one poll is the whole call.
        let outcome = registry.dispatch(request).now_or_never().unwrap();
        assert!(!outcome.is_error());
        outcome
    });
}
