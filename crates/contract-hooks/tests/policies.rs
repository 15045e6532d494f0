//! Ready-made policies.

use std::sync::Arc;
use std::time::Duration;

use contract_hooks::Hooks;
use contract_hooks::policies::{
    Deadline, Permissions, ReminderConfig, ReminderError, RepeatReminder,
};
use contract_registry::{
    AccessMode, Annotations, CallEnv, CallRequest, CancelSource, Outcome, RawTool, Registry,
    Returned, ThreadRuntime, ToolError,
};
use contract_schema::Json;
use serde_json::{Value, json};

use crate::support::{code, contexts, counter, message, registry, request, text};

/// Takes `takes_ms`, and says so early when told to stop.
fn slow(takes_ms: u64, limit: Option<u64>) -> RawTool {
    let tool = counter("slow").run(move |args, cx| async move {
        let ends = async {
            tokio::time::sleep(Duration::from_millis(takes_ms)).await;
            Ok(Returned::tree(json!({ "count": 1 })))
        };
        tokio::select! {
            ended = ends => ended,
            () = cx.cancel().cancelled() => match args.root().get("own") {
                Some(_) => Err(ToolError::coded("X", "OWN", "three of ten done")),
                None => Ok(Returned::tree(json!({ "count": 0 }))),
            },
        }
    });
    match limit {
        Some(limit) => tool.timeout(Duration::from_millis(limit)),
        None => tool,
    }
}

fn with_deadline(tool: RawTool) -> Registry {
    let hooks = Hooks::new();
    hooks.around("deadline", Deadline::new(Arc::new(ThreadRuntime))).keep();
    let registry = Registry::builder().policy(Arc::new(hooks)).build();
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    registry
}

#[tokio::test]
async fn a_deadline_tells_the_body_and_then_fails_the_call() {
    let outcome = with_deadline(slow(60_000, Some(2))).dispatch(request("slow")).await;
    assert_eq!(
        (code(&outcome), message(&outcome)),
        ("TOOL_TIMEOUT", "slow was stopped after 2 ms")
    );
    let own = CallRequest::from_text("slow", r#"{"own":1}"#);
    let outcome = with_deadline(slow(60_000, Some(2))).dispatch(own).await;
    assert_eq!(message(&outcome), "slow was stopped after 2 ms: three of ten done");
}

#[tokio::test]
async fn in_time_or_without_a_deadline_the_result_stays() {
    for limit in [None, Some(50_000)] {
        let outcome = with_deadline(slow(1, limit)).dispatch(request("slow")).await;
        assert_eq!(text(&outcome), "count is 1");
    }
}

#[tokio::test]
async fn a_caller_who_cancels_first_gets_an_abort() {
    let source = CancelSource::new();
    let registry = with_deadline(slow(60_000, Some(50_000)));
    let call = registry.dispatch(request("slow").with_cancel(source.signal()));
    let (outcome, ()) = tokio::join!(call, async {
        tokio::time::sleep(Duration::from_millis(2)).await;
        source.cancel();
    });
    assert_eq!(code(&outcome), "ABORTED");
}

async fn remind(registry: &Registry, arguments: &str) -> Vec<String> {
    let outcome = registry.dispatch(CallRequest::from_text("c", arguments)).await;
    contexts(&outcome).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn repeated_calls_are_pointed_out_at_the_thresholds() {
    let hooks = Hooks::new();
    let config = ReminderConfig { arguments_preview_chars: 12, ..ReminderConfig::default() };
    hooks.post_execute("repeat", RepeatReminder::new(config).unwrap()).keep();
    let registry = registry(&hooks);
    let mut said = Vec::new();
    for n in 0..10 {
        // The order of keys does not matter.
        let arguments = if n % 2 == 0 {
            r#"{"a":{"x":1,"y":2},"b":3}"#
        } else {
            r#"{"b":3,"a":{"y":2,"x":1}}"#
        };
        said.push(remind(&registry, arguments).await);
    }
    let at: Vec<_> =
        (1..).zip(&said).filter(|(_, said)| !said.is_empty()).map(|(n, _)| n).collect();
    assert_eq!(at, [3, 5, 8]);
    assert_eq!(
        said[2],
        [
            "This is call 3 in a row of `c` with the same arguments. If the result does not help, try something else."
        ]
    );
    assert_eq!(
        said[4],
        [
            "The same call keeps repeating.\ntool: c\nconsecutive_calls: 5\narguments: {\"a\":{\"x\":1,… (+13 more characters)\nIts result will not change. Change the arguments, use another tool, or say what is in the way."
        ]
    );
    assert!(remind(&registry, "{}").await.is_empty());
    assert!(remind(&registry, "{}").await.is_empty());
    assert_eq!(remind(&registry, "{}").await.len(), 1);
}

#[tokio::test]
async fn a_message_of_the_user_another_tool_or_an_exclusion_changes_the_count() {
    let reminder = Arc::new(
        RepeatReminder::new(ReminderConfig {
            thresholds: vec![2],
            exclude: vec!["quiet*".to_owned()],
            ..ReminderConfig::default()
        })
        .unwrap(),
    );
    struct Shared(Arc<RepeatReminder>);
    impl contract_hooks::PostExecute for Shared {
        fn post_execute<'a>(
            &'a self,
            completed: contract_registry::Completed<'a>,
            next: contract_hooks::PostNext<'a>,
        ) -> futures_util::future::BoxFuture<
            'a,
            Result<contract_registry::PostDecision, contract_hooks::HookError>,
        > {
            self.0.post_execute(completed, next)
        }
    }
    let hooks = Hooks::new();
    hooks.post_execute("repeat", Shared(Arc::clone(&reminder))).keep();
    let registry = registry(&hooks);
    registry.register_dyn(counter("quiet_one").build().unwrap()).unwrap().keep();
    registry.register_dyn(counter("d").build().unwrap()).unwrap().keep();
    assert!(remind(&registry, "{}").await.is_empty());
    reminder.reset(&contract_registry::AgentId::default());
    assert!(remind(&registry, "{}").await.is_empty());
    registry.dispatch(request("d")).await;
    assert!(remind(&registry, "{}").await.is_empty());
    registry.dispatch(request("quiet_one")).await;
    assert_eq!(remind(&registry, "{}").await.len(), 1);
}

#[tokio::test]
async fn calls_made_before_count_when_the_reminder_is_told_of_them() {
    let config = ReminderConfig { exclude: vec!["quiet".to_owned()], ..ReminderConfig::default() };
    let reminder = RepeatReminder::new(config).unwrap();
    let agent = contract_registry::AgentId::default();
    for (name, arguments) in [
        ("c", r#"{"b":2}"#),
        ("c", r#"{"a":1,"b":[2]}"#),
        ("quiet", "{}"),
        ("c", r#"{"b":[2],"a":1}"#),
    ] {
        reminder.seed(&agent, name, Json::parse(arguments).unwrap().root());
    }
    let hooks = Hooks::new();
    hooks.post_execute("repeat", reminder).keep();
    let said = remind(&registry(&hooks), r#"{"a":1,"b":[2]}"#).await;
    assert!(said[0].starts_with("This is call 3 in a row of `c`"), "{said:?}");
}

#[test]
fn a_reminder_refuses_a_configuration_that_makes_no_sense() {
    for thresholds in [vec![], vec![1], vec![3, 3], vec![5, 3]] {
        let config = ReminderConfig { thresholds, ..ReminderConfig::default() };
        assert_eq!(RepeatReminder::new(config).unwrap_err(), ReminderError::Thresholds);
    }
    let config = ReminderConfig { arguments_preview_chars: 0, ..ReminderConfig::default() };
    assert_eq!(RepeatReminder::new(config).unwrap_err(), ReminderError::Preview);
}

fn rules<const N: usize>(texts: [&str; N]) -> Vec<contract_hooks::policies::Rule> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

async fn permitted(
    permissions: Permissions,
    mode: AccessMode,
    tool: &str,
    arguments: Value,
) -> Outcome {
    let hooks = Hooks::new();
    hooks.pre_execute("permissions", permissions).keep();
    let registry = Registry::builder().policy(Arc::new(hooks)).build();
    let reads = Annotations { read_only: true, ..Annotations::default() };
    registry.register_dyn(counter("read").annotations(reads).build().unwrap()).unwrap().keep();
    registry.register_dyn(counter("write").build().unwrap()).unwrap().keep();
    let env = CallEnv::new("/some/space").with_access_mode(mode);
    let arguments = Json::snapshot(&arguments).unwrap();
    registry.dispatch(CallRequest::new(tool, arguments).with_env(Arc::new(env))).await
}

#[tokio::test]
async fn deny_beats_ask_beats_allow() {
    let all = || {
        Permissions::new()
            .allow(rules(["write"]))
            .ask(rules(["write(file_path=src/*)"]))
            .deny(rules(["write(file_path=src/secret*)"]))
    };
    for (path, expected) in [
        ("a.txt", ""),
        ("src/a.rs", "APPROVAL_UNAVAILABLE"),
        ("src/secret.rs", "PERMISSION_DENIED"),
    ] {
        let outcome =
            permitted(all(), AccessMode::WorkspaceWrite, "write", json!({ "file_path": path }))
                .await;
        assert_eq!(code(&outcome), expected, "{path}");
    }
}

#[tokio::test]
async fn another_spelling_of_a_path_does_not_pass_a_refusal() {
    let deny = || Permissions::new().deny(rules(["read(file_path=secrets/*)"]));
    for path in [
        "secrets/key",
        "./secrets/key",
        "src/../secrets/key",
        "/some/space/secrets/key",
        "/some/space/./src/../secrets/key",
    ] {
        let outcome =
            permitted(deny(), AccessMode::Full, "read", json!({ "file_path": path })).await;
        assert_eq!(code(&outcome), "PERMISSION_DENIED", "{path}");
    }
    let outcome =
        permitted(deny(), AccessMode::Full, "read", json!({ "file_path": "secret" })).await;
    assert!(!outcome.is_error());
}

#[tokio::test]
async fn a_permission_is_for_what_the_path_really_names() {
    let allow = || Permissions::new().allow(rules(["write(file_path=src/*)"]));
    for (path, allowed) in
        [("src/a", true), ("./src/a", true), ("src/../../etc/passwd", false), ("other", false)]
    {
        let outcome =
            permitted(allow(), AccessMode::ReadOnly, "write", json!({ "file_path": path })).await;
        assert_eq!(!outcome.is_error(), allowed, "{path}");
    }
}

#[tokio::test]
async fn without_a_rule_the_access_mode_decides() {
    for (mode, tool, expected) in [
        (AccessMode::ReadOnly, "read", ""),
        (AccessMode::ReadOnly, "write", "PERMISSION_DENIED"),
        (AccessMode::WorkspaceWrite, "write", ""),
        (AccessMode::Full, "write", ""),
    ] {
        let outcome = permitted(Permissions::new(), mode, tool, json!({})).await;
        assert_eq!(code(&outcome), expected, "{mode:?} {tool}");
    }
}

#[tokio::test]
async fn numbers_are_compared_by_value_however_they_are_spelled() {
    let judged = async |permissions: Permissions, mode, arguments: &str| {
        let hooks = Hooks::new();
        hooks.pre_execute("permissions", permissions).keep();
        let registry = Registry::builder().policy(Arc::new(hooks)).build();
        registry.register_dyn(counter("write").build().unwrap()).unwrap().keep();
        let env = CallEnv::new("/some/space").with_access_mode(mode);
        let arguments = Json::parse(arguments).unwrap();
        let request = CallRequest::new("write", arguments).with_env(Arc::new(env));
        code(&registry.dispatch(request).await).to_owned()
    };
    for (rule, arguments, matches) in [
        ("write(limit=7)", r#"{"limit":7}"#, true),
        ("write(limit=7)", r#"{"limit":7.0}"#, true),
        ("write(limit=7)", r#"{"limit":70e-1}"#, true),
        ("write(limit=7.0)", r#"{"limit":7}"#, true),
        ("write(limit=0)", r#"{"limit":0.0}"#, true),
        ("write(limit=1*)", r#"{"limit":1e3}"#, true),
        ("write(limit=*7)", r#"{"limit":70e-1}"#, true),
        ("write(/range/0=7)", r#"{"range":[7.0]}"#, true),
        (r"write(range=[7\,8])", r#"{"range":[7.0,80e-1]}"#, true),
        ("write(limit=7)", r#"{"limit":7.5}"#, false),
        ("write(limit=7)", r#"{"limit":70}"#, false),
        ("write(limit=9007199254740993)", r#"{"limit":9007199254740992.0}"#, false),
        ("write(limit=7)", r#"{"limit":"7"}"#, true),
        ("write(limit=7)", r#"{"limit":"7.0"}"#, false),
    ] {
        let refused = judged(Permissions::new().deny(rules([rule])), AccessMode::Full, arguments);
        let expected = if matches { "PERMISSION_DENIED" } else { "" };
        assert_eq!(refused.await, expected, "{rule} {arguments}");
        let permitted =
            judged(Permissions::new().allow(rules([rule])), AccessMode::ReadOnly, arguments);
        let expected = if matches { "" } else { "PERMISSION_DENIED" };
        assert_eq!(permitted.await, expected, "{rule} {arguments}");
    }
    // What is spelled like a value and is another one does not count.
    let rule = "write(limit=70*)";
    let refused =
        judged(Permissions::new().deny(rules([rule])), AccessMode::Full, r#"{"limit":70e-1}"#);
    let permitted =
        judged(Permissions::new().allow(rules([rule])), AccessMode::ReadOnly, r#"{"limit":70e-1}"#);
    assert_eq!((refused.await, permitted.await), (String::new(), "PERMISSION_DENIED".to_owned()));
}

#[tokio::test]
async fn conditions_look_at_any_argument() {
    let deny = || Permissions::new().deny(rules(["*(/list/1/name=b*, force=true)"]));
    let hit = json!({ "list": [{}, { "name": "bob" }], "force": true });
    let miss = json!({ "list": [{}, { "name": "bob" }] });
    assert_eq!(code(&permitted(deny(), AccessMode::Full, "read", hit).await), "PERMISSION_DENIED");
    assert!(!permitted(deny(), AccessMode::Full, "read", miss).await.is_error());
}
