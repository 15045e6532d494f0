//! The policy slot: one answer at a time, and what each answer does.

use std::sync::{Arc, Mutex};

use contract_registry::{
    Call, CallHead, Completed, Denial, ExecuteReply, Next, Outcome, Policy, PolicyError,
    PostDecision, PreDecision, Registry, Returned, ToolError,
};
use contract_schema::{AdditionalContext, ContentBlock, Meta};
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::support::{code, constant, counting, governed, message, request, text};

type Pre = fn(&Call) -> Result<PreDecision, PolicyError>;
type Post = fn(&Call, &Outcome) -> Result<PostDecision, PolicyError>;

/// A policy made of functions.
struct Scripted {
    pre: Pre,
    post: Post,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Default for Scripted {
    fn default() -> Self {
        Self {
            pre: |_| Ok(PreDecision::allow()),
            post: |_, _| Ok(PostDecision::accept()),
            seen: Arc::default(),
        }
    }
}

impl Policy for Scripted {
    fn pre_execute<'a>(
        &'a self,
        call: &'a Call,
    ) -> BoxFuture<'a, Result<PreDecision, PolicyError>> {
        Box::pin(async move { (self.pre)(call) })
    }

    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, PolicyError>> {
        Box::pin(async move { (self.post)(completed.call(), completed.outcome()) })
    }

    fn observe(&self, call: &CallHead, outcome: &Outcome) {
        self.seen.lock().unwrap().push(format!("{} {}", call.name(), outcome.is_error()));
    }
}

fn context(text: &str) -> AdditionalContext {
    AdditionalContext::text("test", "policy", text)
}

fn context_texts(outcome: &Outcome) -> Vec<&str> {
    outcome.contexts().iter().filter_map(|context| context.content[0].as_text()).collect()
}

async fn post(post: Post) -> Outcome {
    let policy = Scripted { post, ..Scripted::default() };
    governed(policy, [constant("c", 1)]).dispatch(request("c")).await
}

#[tokio::test]
async fn replacing_content_keeps_value_and_meta() {
    let outcome = post(|_, _| {
        let blocks = vec![ContentBlock::text("other")];
        Ok(PostDecision::replace_content_not_value(blocks).with_contexts(vec![context("why")]))
    })
    .await;
    assert_eq!(text(&outcome), "other");
    assert_eq!(outcome.value().unwrap().to_string(), r#"{"count":1}"#);
    assert_eq!(outcome.meta().unwrap().to_string(), r#"{"count":1}"#);
    assert_eq!(context_texts(&outcome), ["why"]);
}

#[tokio::test]
async fn replacing_the_value_recomputes_both_projections() {
    let outcome =
        post(|_, _| Ok(PostDecision::replace_value(Returned::tree(json!({ "count": 2 }))))).await;
    assert_eq!(outcome.value().unwrap().to_string(), r#"{"count":2}"#);
    assert_eq!(text(&outcome), "count is 2");
    assert_eq!(outcome.meta().unwrap().to_string(), r#"{"count":2}"#);
}

#[tokio::test]
async fn content_recomputed_after_a_value_replacement_can_be_bounded() {
    struct Bounds(bool);
    impl Policy for Bounds {
        fn post_execute<'a>(
            &'a self,
            _: Completed<'a>,
        ) -> BoxFuture<'a, Result<PostDecision, PolicyError>> {
            let value = Returned::tree(json!({ "count": 2 }));
            Box::pin(async { Ok(PostDecision::replace_value(value)) })
        }
        fn bound_recomputed<'a>(
            &'a self,
            completed: Completed<'a>,
        ) -> BoxFuture<'a, Option<Vec<ContentBlock>>> {
            assert!(self.0, "bounding fell over");
            let shown = completed.outcome().content()[0].as_text().unwrap().to_uppercase();
            Box::pin(async { Some(vec![ContentBlock::text(shown)]) })
        }
    }
    for (works, shown) in [(true, "COUNT IS 2"), (false, "count is 2")] {
        let outcome = governed(Bounds(works), [constant("c", 1)]).dispatch(request("c")).await;
        assert_eq!(text(&outcome), shown);
        assert_eq!(outcome.value().unwrap().to_string(), r#"{"count":2}"#);
    }
}

#[tokio::test]
async fn a_replaced_value_must_pass_the_schema() {
    let outcome =
        post(|_, _| Ok(PostDecision::replace_value(Returned::tree(json!({ "count": "2" }))))).await;
    assert_eq!(code(&outcome), "INVALID_TOOL_OUTPUT");
    assert!(outcome.value().is_none());
}

#[tokio::test]
async fn a_block_removes_the_value_and_shows_the_feedback() {
    let outcome = post(|_, _| {
        let feedback = vec![ContentBlock::text("not this"), ContentBlock::text("try that")];
        Ok(PostDecision::block(feedback).with_contexts(vec![context("own")]))
    })
    .await;
    assert_eq!(code(&outcome), "TOOL_BLOCKED");
    assert_eq!(message(&outcome), "not this\ntry that");
    assert_eq!(outcome.content().len(), 2);
    assert!(outcome.value().is_none() && outcome.meta().is_none());
    assert_eq!(context_texts(&outcome), ["own"]);
}

#[tokio::test]
async fn replacing_the_value_of_a_failure_is_the_policys_failure() {
    let policy = Scripted {
        post: |_, _| Ok(PostDecision::replace_value(Returned::tree(json!({ "count": 2 })))),
        ..Scripted::default()
    };
    let failing = counting("f", |_, _| async { Err(ToolError::new("no luck")) });
    let outcome = governed(policy, [failing.build().unwrap()]).dispatch(request("f")).await;
    assert_eq!(code(&outcome), "POLICY_FAILED");
}

#[tokio::test]
async fn a_policy_that_fails_or_panics_fails_the_call_closed() {
    let pre_fails: Pre = |_| Err(PolicyError("rules unreadable".to_owned()));
    let pre_panics: Pre = |_| panic!("rules exploded");
    for pre in [pre_fails, pre_panics] {
        let registry = governed(Scripted { pre, ..Scripted::default() }, [constant("c", 1)]);
        let outcome = registry.dispatch(request("c")).await;
        assert_eq!(code(&outcome), "POLICY_FAILED");
        assert!(message(&outcome).contains("rules "), "{}", message(&outcome));
    }
    for outcome in [
        post(|_, _| Err(PolicyError("judge asleep".to_owned()))).await,
        post(|_, _| panic!("judge fell over")).await,
    ] {
        assert_eq!(code(&outcome), "POLICY_FAILED");
        assert!(outcome.value().is_none());
    }
}

#[tokio::test]
async fn a_denial_reaches_no_body_and_keeps_its_contexts() {
    let policy = Scripted {
        pre: |call| {
            let denial = Denial::new(format!("{} is not allowed here", call.name()));
            Ok(PreDecision::deny(denial).with_contexts(vec![context("ask first")]))
        },
        ..Scripted::default()
    };
    let seen = Arc::clone(&policy.seen);
    let body = counting("c", |_, _| async { panic!("reached") });
    let outcome = governed(policy, [body.build().unwrap()]).dispatch(request("c")).await;
    assert_eq!(code(&outcome), "TOOL_DENIED");
    assert_eq!(text(&outcome), "Error: c is not allowed here");
    assert_eq!(context_texts(&outcome), ["ask first"]);
    assert_eq!(*seen.lock().unwrap(), ["c true"]);
}

#[tokio::test]
async fn contexts_keep_order_body_wrapper_post() {
    struct Wraps;
    impl Policy for Wraps {
        fn execute<'a>(&'a self, _: &'a Call, next: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
            Box::pin(async {
                let reply = ExecuteReply::from(next.run().await);
                reply.with_contexts(vec![context("wrapper")])
            })
        }
        fn post_execute<'a>(
            &'a self,
            completed: Completed<'a>,
        ) -> BoxFuture<'a, Result<PostDecision, PolicyError>> {
            assert_eq!(completed.outcome().contexts().len(), 2);
            Box::pin(async { Ok(PostDecision::accept().with_contexts(vec![context("post")])) })
        }
    }
    for fails in [false, true] {
        let tool = counting("c", move |_, cx| async move {
            cx.defer_context(context("body"));
            if fails { Err(ToolError::new("no")) } else { Ok(json!({ "count": 1 })) }
        });
        let outcome = governed(Wraps, [tool.build().unwrap()]).dispatch(request("c")).await;
        assert_eq!(context_texts(&outcome), ["body", "wrapper", "post"]);
        assert_eq!(outcome.is_error(), fails);
    }
}

/// Answers with whatever it holds instead of running the body.
struct Answers(Mutex<Option<ExecuteReply>>);

impl Policy for Answers {
    fn execute<'a>(&'a self, _: &'a Call, _next: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
        Box::pin(async { self.0.lock().unwrap().take().unwrap() })
    }
}

async fn answered(reply: ExecuteReply) -> Outcome {
    governed(Answers(Mutex::new(Some(reply))), [constant("c", 1)]).dispatch(request("c")).await
}

#[tokio::test]
async fn a_wrappers_own_value_is_normalized_under_the_tool() {
    let good = answered(ExecuteReply::value(Returned::tree(json!({ "count": 5 })))).await;
    assert_eq!(text(&good), "count is 5");
    let bad = answered(ExecuteReply::value(Returned::tree(json!({ "n": 5 })))).await;
    assert_eq!(code(&bad), "INVALID_TOOL_OUTPUT");
    let error = ToolError::coded("CacheError", "CACHE_MISS", "not cached");
    let failed = answered(ExecuteReply::failure(error.with_meta(Meta::of(&1)))).await;
    assert_eq!(code(&failed), "CACHE_MISS");
    assert_eq!(failed.meta().unwrap().to_string(), "1");
}

#[tokio::test]
async fn an_outcome_of_another_call_is_normalized_again() {
    let registry = Registry::new();
    let other = counting("other", |_, _| async { Ok(json!({ "count": 9 })) })
        .render(|_, _| vec![ContentBlock::text("text of the other tool")]);
    registry.register_dyn(other.build().unwrap()).unwrap().keep();
    let foreign = registry.dispatch(request("other")).await;
    assert_eq!(text(&foreign), "text of the other tool");
    let adopted = answered(foreign.into()).await;
    assert_eq!(text(&adopted), "count is 9");

    let loose = contract_registry::RawTool::new("loose", "test")
        .parameters(json!(true))
        .output(json!(true))
        .run(|_, _| async { Ok(Returned::tree(json!("a string"))) })
        .render(|_, _| vec![ContentBlock::text("fine there")]);
    registry.register_dyn(loose.build().unwrap()).unwrap().keep();
    let foreign = registry.dispatch(request("loose")).await;
    assert_eq!(code(&answered(foreign.into()).await), "INVALID_TOOL_OUTPUT");
}

#[tokio::test]
async fn a_wrapper_that_panics_fails_the_call() {
    struct Panics;
    impl Policy for Panics {
        fn execute<'a>(&'a self, _: &'a Call, _: Next<'a>) -> BoxFuture<'a, ExecuteReply> {
            Box::pin(async { panic!("wrapper fell over") })
        }
    }
    let outcome = governed(Panics, [constant("c", 1)]).dispatch(request("c")).await;
    assert_eq!(code(&outcome), "POLICY_FAILED");
}

#[tokio::test]
async fn an_observer_that_panics_changes_nothing() {
    struct Panics;
    impl Policy for Panics {
        fn observe(&self, _: &CallHead, _: &Outcome) {
            panic!("observer fell over");
        }
    }
    let outcome = governed(Panics, [constant("c", 1)]).dispatch(request("c")).await;
    assert_eq!(text(&outcome), "count is 1");
}

#[tokio::test]
async fn observers_see_every_outcome_whatever_stage_it_ended_in() {
    let policy = Scripted::default();
    let seen = Arc::clone(&policy.seen);
    let registry = governed(policy, [constant("c", 1)]);
    registry.dispatch(request("c")).await;
    registry.dispatch(request("missing")).await;
    registry.dispatch(contract_registry::CallRequest::from_text("c", "[")).await;
    assert_eq!(*seen.lock().unwrap(), ["c false", "missing true", "c true"]);
}
