//! H1 to H8.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contract_hooks::{
    Answer, Approver, Guard, HookError, HookScope, Hooks, InnerPost, InnerPre, LifecycleDecision,
    LifecycleEvent, LifecycleHead, LifecycleNext, LogCopy, LogCopyNext, MAX_STOP_ROUNDS,
    NestedResult, Observe, Place, Position, PreVerdict, Question, StopRounds,
};
use contract_registry::{AgentId, Call, CallEnv, CallHead, Denial, Outcome, PostDecision};
use contract_schema::ContentBlock;
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::support::{
    Log, Noting, Post, PostAlone, Pre, PreAlone, block, call, code, content, context, contexts,
    message, note, registry, replacement, request, text, value,
};

struct Refuses;

impl Guard for Refuses {
    fn guard(&self, call: &Call) -> Option<Denial> {
        Some(Denial::new(format!("{} is guarded", call.name())))
    }
}

struct Sees(Log);

impl Observe for Sees {
    fn observe(&self, call: &CallHead, outcome: &Outcome) {
        note(&self.0, format!("saw {} {}", call.name(), outcome.is_error()));
    }
}

#[tokio::test]
async fn h1_three_chains_guards_and_observers_each_do_their_part() {
    let (hooks, log) = (Hooks::new(), Log::default());
    let noted = Arc::clone(&log);
    let _pre = hooks.pre_execute(
        "pre",
        Pre(move |_| {
            note(&noted, "pre");
            Ok(PreVerdict::Allow.into())
        }),
    );
    let _around = hooks.around("around", Noting("around", Arc::clone(&log)));
    let noted = Arc::clone(&log);
    let _post = hooks.post_execute(
        "post",
        Post(move |_| {
            note(&noted, "post");
            Ok(PostDecision::accept())
        }),
    );
    let _observer = hooks.observer("observer", Sees(Arc::clone(&log)));
    assert_eq!(text(&call(&hooks).await), "count is 1");
    assert_eq!(
        *log.lock().unwrap(),
        ["pre", "around begins", "around ends", "post", "saw c false"]
    );

    log.lock().unwrap().clear();
    let _guard = hooks.guard("guard", Refuses);
    let refused = call(&hooks).await;
    assert_eq!((code(&refused), message(&refused)), ("TOOL_DENIED", "c is guarded"));
    assert_eq!(*log.lock().unwrap(), ["pre", "post", "saw c true"]);
}

/// Keeps at most `max` characters of the log copy.
struct Shortens(usize);

impl LogCopy for Shortens {
    fn log_copy<'a>(
        &'a self,
        _: &'a CallHead,
        _: &'a NestedResult,
        next: LogCopyNext<'a>,
    ) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>> {
        Box::pin(async {
            let inner = next.run().await;
            let texts = inner.iter().filter_map(ContentBlock::as_text);
            Ok(texts
                .map(|text| ContentBlock::text(text.chars().take(self.0).collect::<String>()))
                .collect())
        })
    }
}

#[tokio::test]
async fn h1_the_log_copy_of_a_nested_result_has_a_chain_of_its_own() {
    struct Fails;
    impl LogCopy for Fails {
        fn log_copy<'a>(
            &'a self,
            _: &'a CallHead,
            _: &'a NestedResult,
            _: LogCopyNext<'a>,
        ) -> BoxFuture<'a, Result<Vec<ContentBlock>, HookError>> {
            Box::pin(async { Err(HookError::new("no")) })
        }
    }
    /// Shapes a log copy while the call ends, as the bridge of a program does.
    struct Copies(Hooks, Log);
    impl Observe for Copies {
        fn observe(&self, call: &CallHead, outcome: &Outcome) {
            let result = NestedResult { content: outcome.content().to_vec(), is_error: false };
            let copy = futures_util::FutureExt::now_or_never(self.0.shape_log_copy(call, &result));
            note(&self.1, copy.unwrap()[0].as_text().unwrap());
        }
    }
    let (hooks, copies, log) = (Hooks::new(), Hooks::new(), Log::default());
    let _observer = hooks.observer("copies", Copies(copies.clone(), Arc::clone(&log)));
    let _outer = copies.log_copy("outer", Shortens(5));
    let _inner = copies.log_copy("inner", Shortens(7));
    call(&hooks).await;
    let _fails = copies.log_copy("fails", Fails);
    call(&hooks).await;
    // One that fails is passed over.
    assert_eq!(*log.lock().unwrap(), ["count", "count"]);
}

#[tokio::test]
async fn h2_listeners_append_prepend_and_leave_with_their_handle() {
    let (hooks, log) = (Hooks::new(), Log::default());
    let _a = hooks.around("a", Noting("a", Arc::clone(&log)));
    let _b = hooks.around("b", Noting("b", Arc::clone(&log)));
    let front = hooks.at(Place::Ordinary, Position::Prepend);
    let c = front.around("c", Noting("c", Arc::clone(&log)));
    let inside = hooks.at(Place::Innermost, Position::Append);
    let _d = inside.around("d", Noting("d", Arc::clone(&log)));
    let outside = hooks.at(Place::Outermost, Position::Append);
    let _e = outside.around("e", Noting("e", Arc::clone(&log)));
    let begun = |log: &Log| {
        let log = std::mem::take(&mut *log.lock().unwrap());
        let begins =
            log.iter().filter_map(|entry| entry.strip_suffix(" begins").map(str::to_owned));
        begins.collect::<String>()
    };
    call(&hooks).await;
    assert_eq!(begun(&log), "ecabd");
    drop(c);
    call(&hooks).await;
    assert_eq!(begun(&log), "eabd");
}

#[tokio::test]
async fn h2_a_scoped_listener_sees_the_calls_of_its_agent_only() {
    let hooks = Hooks::new();
    let scope = HookScope::Agent(AgentId::new("helper"));
    let _pre = hooks
        .for_scope(scope)
        .pre_execute("deny", PreAlone(|| PreVerdict::Deny(Denial::new("not you"))));
    let registry = registry(&hooks);
    assert!(!registry.dispatch(request("c")).await.is_error());
    let env = CallEnv::default().with_agent(AgentId::new("helper"));
    let outcome = registry.dispatch(request("c").with_env(Arc::new(env))).await;
    assert_eq!(message(&outcome), "not you");
}

#[tokio::test]
async fn h2_dropping_a_handle_during_a_call_does_not_change_that_call() {
    let (hooks, log) = (Hooks::new(), Log::default());
    let handle = Arc::new(std::sync::Mutex::new(None));
    let held = Arc::clone(&handle);
    let _outer = hooks.post_execute(
        "outer",
        Post(move |_| {
            drop(held.lock().unwrap().take());
            Ok(PostDecision::accept())
        }),
    );
    let noted = Arc::clone(&log);
    let inner = hooks.post_execute(
        "inner",
        Post(move |_| {
            note(&noted, "inner");
            Ok(PostDecision::accept())
        }),
    );
    *handle.lock().unwrap() = Some(inner);
    call(&hooks).await;
    call(&hooks).await;
    assert_eq!(log.lock().unwrap().len(), 1);
}

/// Gives this answer.
struct Says(Answer);

impl Approver for Says {
    fn ask<'a>(&'a self, call: &'a Call, question: &'a Question) -> BoxFuture<'a, Answer> {
        assert_eq!((call.name(), question.reason.as_str()), ("c", "it counts"));
        Box::pin(async { self.0.clone() })
    }
}

#[tokio::test]
async fn h3_ask_goes_to_the_approver_and_denies_without_one() {
    let asking = || {
        let hooks = Hooks::new();
        hooks
            .pre_execute(
                "ask",
                PreAlone(|| PreVerdict::Ask(Question { reason: "it counts".to_owned() })),
            )
            .keep();
        hooks
    };
    let hooks = asking();
    assert_eq!(code(&call(&hooks).await), "APPROVAL_UNAVAILABLE");
    for (answer, expected, part) in [
        (Answer::Approved, "", ""),
        (Answer::Rejected(None), "APPROVAL_REJECTED", "did not approve"),
        (Answer::Rejected(Some("too slow".to_owned())), "APPROVAL_REJECTED", "too slow"),
        (Answer::Cancelled, "APPROVAL_CANCELLED", "not answered"),
        (Answer::Unavailable("no terminal".to_owned()), "APPROVAL_UNAVAILABLE", "no terminal"),
    ] {
        let hooks = asking();
        hooks.mount_approver(Arc::new(Says(answer)));
        let outcome = call(&hooks).await;
        assert_eq!(code(&outcome), expected);
        assert!(message(&outcome).contains(part), "{}", message(&outcome));
    }
}

#[tokio::test]
async fn h3_a_refusal_beside_a_question_asks_nobody() {
    struct Nobody;
    impl Approver for Nobody {
        fn ask<'a>(&'a self, _: &'a Call, _: &'a Question) -> BoxFuture<'a, Answer> {
            panic!("asked")
        }
    }
    for deny_first in [true, false] {
        let hooks = Hooks::new();
        hooks.mount_approver(Arc::new(Nobody));
        let deny = PreAlone(|| PreVerdict::Deny(Denial::new("never")));
        let ask = PreAlone(|| PreVerdict::Ask(Question { reason: "it counts".to_owned() }));
        let _handles = if deny_first {
            (hooks.pre_execute("deny", deny), hooks.pre_execute("ask", ask))
        } else {
            (hooks.pre_execute("ask", ask), hooks.pre_execute("deny", deny))
        };
        assert_eq!(message(&call(&hooks).await), "never");
    }
}

#[tokio::test]
async fn h4_each_decision_may_attach_messages_and_holds_one_answer() {
    for (decision, expected) in [
        (PostDecision::accept as fn() -> PostDecision, "count is 1"),
        (|| content("other"), "other"),
        (|| replacement(2), "count is 2"),
        (|| block("no"), "no"),
    ] {
        let hooks = Hooks::new();
        let _post =
            hooks.post_execute("post", Post(move |_| Ok(decision().with_contexts(context("why")))));
        let outcome = call(&hooks).await;
        assert_eq!(text(&outcome), expected);
        assert_eq!(contexts(&outcome), ["why"]);
    }
}

#[tokio::test]
async fn h5_replacing_content_keeps_the_value() {
    let hooks = Hooks::new();
    let _post = hooks.post_execute("post", PostAlone(|| content("other")));
    let outcome = call(&hooks).await;
    assert_eq!((text(&outcome).as_str(), value(&outcome)), ("other", json!({ "count": 1 })));
    assert_eq!(outcome.meta().unwrap().to_string(), r#"{"count":1}"#);
}

#[tokio::test]
async fn h5_replacing_the_value_recomputes_and_a_block_removes() {
    let hooks = Hooks::new();
    let post = hooks.post_execute("post", PostAlone(|| replacement(7)));
    let outcome = call(&hooks).await;
    assert_eq!((text(&outcome).as_str(), value(&outcome)), ("count is 7", json!({ "count": 7 })));
    assert_eq!(outcome.meta().unwrap().to_string(), r#"{"count":7}"#);
    drop(post);
    let _post = hooks.post_execute("post", PostAlone(|| block("not this")));
    let outcome = call(&hooks).await;
    assert_eq!((code(&outcome), text(&outcome).as_str()), ("TOOL_BLOCKED", "not this"));
    assert!(outcome.value().is_none() && outcome.meta().is_none());
}

#[tokio::test]
async fn h6_a_program_still_gets_a_value_whose_content_was_replaced() {
    let hooks = Hooks::new();
    let _post = hooks.post_execute("post", PostAlone(|| content("[hidden]")));
    let registry = registry(&hooks);
    let outer = crate::support::counter("outer").run(|_, cx| async move {
        let request = cx.nested("c", contract_schema::Json::parse("{}").unwrap());
        let nested = cx.call_nested(request).await;
        assert_eq!(nested.content()[0].as_text(), Some("[hidden]"));
        Ok(contract_registry::Returned::json(nested.value().unwrap().json().clone()))
    });
    registry.register_dyn(outer.build().unwrap()).unwrap().keep();
    assert_eq!(value(&registry.dispatch(request("outer")).await), json!({ "count": 1 }));
}

#[tokio::test]
async fn h7_a_hook_that_fails_or_panics_fails_the_call_with_its_message() {
    let hooks = Hooks::new();
    let pre = hooks.pre_execute("pre", Pre(|_| Err(HookError::new("rules unreadable"))));
    assert!(message(&call(&hooks).await).contains("rules unreadable"));
    drop(pre);
    let pre = hooks.pre_execute("pre", Pre(|_| panic!("rules exploded")));
    assert!(message(&call(&hooks).await).contains("rules exploded"));
    drop(pre);
    let post = hooks.post_execute("post", Post(|_| Err(HookError::new("judge asleep"))));
    let outcome = call(&hooks).await;
    assert!(message(&outcome).contains("judge asleep") && outcome.value().is_none());
    drop(post);
    let _post = hooks.post_execute("post", Post(|_| panic!("judge fell over")));
    let outcome = call(&hooks).await;
    assert_eq!(code(&outcome), "POLICY_FAILED");
}

#[tokio::test]
async fn h7_an_outer_hook_cannot_swallow_the_failure_of_an_inner_one() {
    use contract_hooks::{PostExecute, PostNext, PreExecute, PreNext, PreReply};
    use contract_registry::Completed;
    struct Swallows;
    impl PreExecute for Swallows {
        fn pre_execute<'a>(
            &'a self,
            _: &'a Call,
            next: PreNext<'a>,
        ) -> BoxFuture<'a, Result<PreReply, HookError>> {
            Box::pin(async {
                assert!(next.run().await.is_err());
                Ok(PreVerdict::Allow.into())
            })
        }
    }
    impl PostExecute for Swallows {
        fn post_execute<'a>(
            &'a self,
            _: Completed<'a>,
            next: PostNext<'a>,
        ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
            Box::pin(async {
                assert!(next.run().await.is_err());
                Ok(PostDecision::accept())
            })
        }
    }
    let asked = Arc::new(AtomicUsize::new(0));
    let hooks = Hooks::new();
    let _outer = hooks.pre_execute("outer", Swallows);
    let count = Arc::clone(&asked);
    let inner = hooks.pre_execute(
        "inner",
        Pre(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            Err(HookError::new("inner failed"))
        }),
    );
    assert!(message(&call(&hooks).await).contains("inner failed"));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    drop(inner);
    let _outer = hooks.post_execute("outer", Swallows);
    let _inner = hooks.post_execute("inner", Post(|_| Err(HookError::new("inner failed"))));
    assert!(message(&call(&hooks).await).contains("inner failed"));
}

/// Blocks with its name.
struct Blocks(Option<&'static str>, Log);

impl contract_hooks::Lifecycle for Blocks {
    fn on_event<'a>(
        &'a self,
        _: &'a LifecycleHead,
        event: &'a LifecycleEvent,
        _: LifecycleNext<'a>,
    ) -> BoxFuture<'a, Result<LifecycleDecision, HookError>> {
        note(&self.1, format!("{event:?}"));
        let block = self.0.map(str::to_owned);
        Box::pin(async { Ok(LifecycleDecision { block, contexts: context("note") }) })
    }
}

fn head() -> LifecycleHead {
    LifecycleHead { session_id: None, agent_id: AgentId::default() }
}

#[tokio::test]
async fn h7_lifecycle_events_have_chains_of_the_same_form() {
    let (hooks, log) = (Hooks::new(), Log::default());
    let _a = hooks.lifecycle("a", Blocks(None, Arc::clone(&log)));
    let _b = hooks.lifecycle("b", Blocks(Some("not yet"), Arc::clone(&log)));
    let event = LifecycleEvent::UserPromptSubmit { prompt: "hi".to_owned() };
    let decision = hooks.on_event(&head(), &event).await.unwrap();
    assert_eq!(decision.block.as_deref(), Some("not yet"));
    assert_eq!((decision.contexts.len(), log.lock().unwrap().len()), (2, 2));
}

#[test]
fn h7_a_stop_hook_that_always_blocks_is_ended() {
    let block = LifecycleDecision { block: Some("go on".to_owned()), ..Default::default() };
    let mut rounds = StopRounds::default();
    assert!(!rounds.stop_hook_active());
    let worked_on = (0..20).take_while(|_| rounds.works_on(&block)).count();
    assert_eq!(worked_on, MAX_STOP_ROUNDS as usize);
    assert!(rounds.stop_hook_active());
    assert!(!StopRounds::default().works_on(&LifecycleDecision::default()));
}

/// Name, decision, and how strong it is.
type Decision = (&'static str, fn() -> PostDecision, u8);

const DECISIONS: [Decision; 4] = [
    ("accept", PostDecision::accept, 0),
    ("content", || content("content"), 1),
    ("value", || replacement(9), 2),
    ("block", || block("block"), 3),
];

#[tokio::test]
async fn h8_the_strongest_decision_wins_in_every_pair_and_order() {
    for (outer_name, outer, outer_strength) in DECISIONS {
        for (inner_name, inner, inner_strength) in DECISIONS {
            for delegates in [true, false] {
                let hooks = Hooks::new();
                let outer_handle = if delegates {
                    hooks.post_execute("outer", Post(move |_| Ok(outer())))
                } else {
                    hooks.post_execute("outer", PostAlone(outer))
                };
                let inner_handle = hooks.post_execute("inner", PostAlone(inner));
                let expected = match outer_strength.max(inner_strength) {
                    0 => "count is 1",
                    1 => "content",
                    2 => "count is 9",
                    _ => "block",
                };
                let shown = text(&call(&hooks).await);
                assert_eq!(shown, expected, "{outer_name} around {inner_name}");
                drop((outer_handle, inner_handle));
            }
        }
    }
}

#[tokio::test]
async fn h8_between_equals_the_outermost_wins_and_sees_the_inner_one() {
    let hooks = Hooks::new();
    let _outer = hooks.post_execute(
        "outer",
        Post(|inner| match &inner {
            InnerPost::ReplaceContent(blocks) => {
                Ok(content(&format!("outer of {}", blocks[0].as_text().unwrap())))
            }
            InnerPost::Accept | InnerPost::ReplaceValue | InnerPost::Block => panic!("{inner:?}"),
        }),
    );
    let _inner = hooks.post_execute("inner", PostAlone(|| content("inner")));
    assert_eq!(text(&call(&hooks).await), "outer of inner");
}

#[tokio::test]
async fn h8_a_listener_sees_what_the_inner_ones_decided() {
    let hooks = Hooks::new();
    let _outer = hooks.pre_execute(
        "outer",
        Pre(|inner| {
            assert_eq!(inner, InnerPre::Ask);
            Ok(PreVerdict::Deny(Denial::new("no need to ask")).into())
        }),
    );
    let _inner = hooks.pre_execute(
        "inner",
        PreAlone(|| PreVerdict::Ask(Question { reason: "it counts".to_owned() })),
    );
    assert_eq!(message(&call(&hooks).await), "no need to ask");
}

#[tokio::test]
async fn h8_messages_keep_order_and_a_block_keeps_its_own() {
    let hooks = Hooks::new();
    let _outer = hooks.post_execute(
        "outer",
        Post(|_| Ok(PostDecision::accept().with_contexts(context("outer")))),
    );
    let inner =
        hooks.post_execute("inner", Post(|_| Ok(content("x").with_contexts(context("inner")))));
    assert_eq!(contexts(&call(&hooks).await), ["outer", "inner"]);
    drop(inner);
    let _inner =
        hooks.post_execute("inner", Post(|_| Ok(block("no").with_contexts(context("inner")))));
    assert_eq!(contexts(&call(&hooks).await), ["inner"]);
}
