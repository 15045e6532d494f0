//! Nested calls under policy (contract C1, C2).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use contract_registry::{
    Call, CallHead, CallRequest, Completed, Denial, ExecuteReply, Next, Outcome, Policy,
    PolicyError, PostDecision, PreDecision, Returned,
};
use contract_schema::ContentBlock;
use futures_util::future::BoxFuture;
use serde_json::json;

use super::support::{Bench, echo, text, tool};

/// Judges by the name of the tool.
struct ByName;

impl Policy for ByName {
    fn pre_execute<'a>(
        &'a self,
        call: &'a Call,
    ) -> BoxFuture<'a, Result<PreDecision, PolicyError>> {
        let denied = call.name() == "denied";
        let denial = || PreDecision::deny(Denial::new("not today"));
        Box::pin(async move { Ok(if denied { denial() } else { PreDecision::allow() }) })
    }

    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, PolicyError>> {
        let block = || vec![ContentBlock::text("[by policy]")];
        let decision = match completed.call().name() {
            "changed" => PostDecision::replace_value(Returned::tree(json!("changed by policy"))),
            "hidden" | "run_code" => PostDecision::replace_content_not_value(block()),
            "blocked" => PostDecision::block(block()),
            _ => PostDecision::accept(),
        };
        Box::pin(async { Ok(decision) })
    }
}

fn constant(name: &'static str) -> contract_registry::RawTool {
    tool(name, |_, _| async { Ok(json!("its own")) })
}

#[tokio::test(flavor = "multi_thread")]
async fn c1_a_program_gets_the_value_after_policy_or_an_error_of_name_and_message_alone() {
    let names = ["changed", "hidden", "denied", "blocked"];
    let bench = Bench::under(ByName, names.map(constant));
    let program = "const seen = {};
        for (const name of ['changed', 'hidden', 'denied', 'blocked']) {
            try { seen[name] = await tools[name]({}) } catch (e) {
                const own = Object.getOwnPropertyNames(e).filter((key) => key !== 'stack').sort();
                seen[name] = [e instanceof ToolCallError, e.name, e.toolName, e.message, own];
            }
        }
        return seen";
    let outcome = bench.run(program).await;
    let error = |name: &str, message: &str| {
        json!([true, "ToolCallError", name, message, ["message", "toolName"]])
    };
    let seen = json!({
        "changed": "changed by policy",
        "hidden": "its own",
        "denied": error("denied", "not today"),
        "blocked": error("blocked", "[by policy]"),
    });
    assert_eq!(outcome.value().unwrap().json().to_value()["result"], seen);
    assert_eq!(text(&outcome), "[by policy]", "the outer text is what policy says last");
}

/// Counts stages by tool and writes down what observers see.
#[derive(Default)]
struct Counts {
    stages: Mutex<BTreeMap<String, [u32; 4]>>,
    seen: Mutex<Vec<(String, bool, bool)>>,
}

impl Counts {
    fn count(&self, name: &str, stage: usize) {
        self.stages.lock().unwrap().entry(name.to_owned()).or_default()[stage] += 1;
    }
}

struct Counting(Arc<Counts>);

impl Policy for Counting {
    fn pre_execute<'a>(
        &'a self,
        call: &'a Call,
    ) -> BoxFuture<'a, Result<PreDecision, PolicyError>> {
        self.0.count(call.name(), 0);
        Box::pin(async { Ok(PreDecision::allow()) })
    }

    fn execute<'a>(&'a self, call: &'a Call, next: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
        self.0.count(call.name(), 1);
        Box::pin(async { next.run().await.into() })
    }

    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, PolicyError>> {
        self.0.count(completed.call().name(), 2);
        Box::pin(async { Ok(PostDecision::accept()) })
    }

    fn observe(&self, call: &CallHead, outcome: &Outcome) {
        self.0.count(call.name(), 3);
        let seen = (call.name().to_owned(), call.is_nested(), outcome.meta().is_some());
        self.0.seen.lock().unwrap().push(seen);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_nested_calls_have_the_hooks_of_direct_ones_and_no_meta() {
    let counts: Arc<Counts> = Arc::default();
    let bench = Bench::under(Counting(Arc::clone(&counts)), [echo()]);
    bench.registry.dispatch(CallRequest::from_text("echo", "{}")).await;
    let direct = std::mem::take(&mut *counts.stages.lock().unwrap());
    let outcome = bench.run("await tools.echo({})").await;
    assert!(!outcome.is_error());
    let nested = counts.stages.lock().unwrap().clone();
    assert_eq!(nested["echo"], direct["echo"]);
    assert_eq!(nested["echo"], [1; 4]);
    let seen = counts.seen.lock().unwrap().clone();
    let row = |name: &str, nested, meta| (name.to_owned(), nested, meta);
    assert_eq!(
        seen,
        [row("echo", false, true), row("echo", true, false), row("run_code", false, false)]
    );
}
