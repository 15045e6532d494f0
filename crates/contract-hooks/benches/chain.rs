//! A call through ten hooks that pass it on, beside the same call without any.
#![allow(clippy::unwrap_used, reason = "a benchmark stops on any failure")]

use std::sync::Arc;

use contract_hooks::{
    AroundExecute, AroundNext, HookError, Hooks, PostExecute, PostNext, PreExecute, PreNext,
    PreReply, PreVerdict,
};
use contract_registry::{
    Call, CallEnv, CallId, CallRequest, Completed, ExecuteReply, PostDecision, RawTool, Registry,
    Returned,
};
use contract_schema::{ContentBlock, Json};
use divan::Bencher;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;

fn main() {
    divan::main();
}

struct Pass;

impl PreExecute for Pass {
    fn pre_execute<'a>(
        &'a self,
        _: &'a Call,
        next: PreNext<'a>,
    ) -> BoxFuture<'a, Result<PreReply, HookError>> {
        Box::pin(async {
            next.run().await?;
            Ok(PreVerdict::Allow.into())
        })
    }
}

impl AroundExecute for Pass {
    fn execute<'a>(&'a self, _: &'a Call, next: AroundNext<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async { next.run().await.into() })
    }
}

impl PostExecute for Pass {
    fn post_execute<'a>(
        &'a self,
        _: Completed<'a>,
        next: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        Box::pin(async {
            next.run().await?;
            Ok(PostDecision::accept())
        })
    }
}

/// A page of a file: what a call commonly returns.
fn page() -> serde_json::Value {
    let lines: Vec<_> = (1..=128)
        .map(|number| json!({ "number": number, "text": "    let some = line(of, ordinary, length);" }))
        .collect();
    json!({ "path": "src/main.rs", "offset": 1, "lines": lines, "totalLines": 128 })
}

fn bench(bencher: Bencher<'_, '_>, hooks: Option<Hooks>) {
    let mut builder = Registry::builder();
    if let Some(hooks) = hooks {
        builder = builder.policy(Arc::new(hooks));
    }
    let registry = builder.build();
    let value = Json::snapshot(&page()).unwrap();
    let tool = RawTool::new("page", "bench")
        .parameters(json!({ "type": "object" }))
        .output(json!({ "type": "object" }))
        .run(move |_, _| {
            let value = value.clone();
            async move { Ok(Returned::json(value)) }
        })
        .render(|_, value| {
            let lines = value.root().get("lines").into_iter().flat_map(|lines| lines.elements());
            let texts = lines.filter_map(|line| line.get("text")?.as_str());
            vec![ContentBlock::text(texts.collect::<Vec<_>>().join("\n"))]
        });
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    let (env, id) = (Arc::new(CallEnv::default()), CallId::new("call-0"));
    let arguments = Json::parse("{}").unwrap();
    bencher.bench_local(|| {
        let request = CallRequest::new("page", arguments.clone())
            .with_call_id(id.clone())
            .with_env(Arc::clone(&env));
        registry.dispatch(request).now_or_never().unwrap()
    });
}

#[divan::bench]
fn without(bencher: Bencher<'_, '_>) {
    bench(bencher, None);
}

#[divan::bench]
fn ten_pre(bencher: Bencher<'_, '_>) {
    let hooks = Hooks::new();
    (0..10).for_each(|_| hooks.pre_execute("pass", Pass).keep());
    bench(bencher, Some(hooks));
}

#[divan::bench]
fn ten_around(bencher: Bencher<'_, '_>) {
    let hooks = Hooks::new();
    (0..10).for_each(|_| hooks.around("pass", Pass).keep());
    bench(bencher, Some(hooks));
}

#[divan::bench]
fn ten_post(bencher: Bencher<'_, '_>) {
    let hooks = Hooks::new();
    (0..10).for_each(|_| hooks.post_execute("pass", Pass).keep());
    bench(bencher, Some(hooks));
}
