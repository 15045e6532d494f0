//! Hooks that hang, flood, die, or are not there.

use std::time::{Duration, Instant};

use contract_hooks::command::{CommandOptions, Dialect, HookDecided, OnFault, Replacement};
use contract_registry::CancelSource;
use serde_json::{Value, json};

use super::support::{World, alive, file, world, world_with};
use crate::support::{code, contexts, message, text};

/// The ways not to judge, each with what is said of it.
const FAULTS: [(&str, &str); 6] = [
    ("sleep 100", "did not end in time and was stopped after "),
    ("kill -9 $$", "was ended by signal 9"),
    ("./no_such_script.sh", "could not be started (exit code 127)"),
    ("touch plain; ./plain", "could not be started (exit code 126)"),
    ("printf '{\"decision\":'", "wrote a decision that cannot be read: "),
    (
        "printf '{'; head -c 104857600 /dev/zero",
        "wrote a decision of 104857601 bytes; at most 1048576 are read",
    ),
];

fn quick(event: &str, script: &str) -> Value {
    let timeout = if script.starts_with("sleep") { 0.2 } else { 60.0 };
    let hook = json!({ "type": "command", "command": script, "timeout": timeout });
    json!({ "hooks": { event: [{ "hooks": [hook] }] } })
}

#[tokio::test]
async fn h7_a_call_that_a_hook_could_not_judge_fails() {
    for (script, said) in FAULTS {
        let world = world(&quick("PreToolUse", script));
        let outcome = world.call("bash").await;
        assert_eq!(code(&outcome), "POLICY_FAILED", "{script}");
        let expected = format!("the hook PreToolUse/0/0 of hooks.json {said}");
        assert!(message(&outcome).contains(&expected), "{}", message(&outcome));
        let result = world.kept.one();
        assert_eq!(result.decision, HookDecided::Failed);
        assert!(result.reason.unwrap().starts_with(said));
    }
}

#[tokio::test]
async fn where_asked_to_it_passes_and_is_recorded() {
    for (script, _) in FAULTS {
        let pass = |options: &mut CommandOptions| options.on_fault = OnFault::Pass;
        let world = world_with(Dialect::Codex, &quick("PreToolUse", script), pass);
        assert_eq!(text(&world.call("bash").await), "count is 1", "{script}");
        assert_eq!(world.kept.one().decision, HookDecided::Failed);
    }
}

#[tokio::test]
async fn a_result_stays_unless_the_hook_guards_the_value() {
    for (script, _) in FAULTS {
        let lax = world(&quick("PostToolUse", script));
        assert_eq!(text(&lax.call("bash").await), "count is 1", "{script}");
        let by_value = |options: &mut CommandOptions| options.replacement = Replacement::Value;
        let strict = world_with(Dialect::Claude, &quick("PostToolUse", script), by_value);
        assert_eq!(code(&strict.call("bash").await), "POLICY_FAILED", "{script}");
    }
}

#[tokio::test]
async fn words_that_mean_nothing_are_no_judgement() {
    for output in [
        r#"{"decision":"deny"}"#,
        r#"{"decision":5}"#,
        r#"{"continue":"no"}"#,
        r#"{"hookSpecificOutput":"deny"}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"never"}}"#,
        r#"{"decision":"approve","decision":"block"}"#,
    ] {
        let world = world(&file("PreToolUse", &[&format!("printf '%s' '{output}'")]));
        assert_eq!(code(&world.call("bash").await), "POLICY_FAILED", "{output}");
    }
}

#[tokio::test]
async fn a_denial_beside_a_fault_is_what_the_model_reads() {
    let world = world(&file("PreToolUse", &["kill -9 $$", "echo no >&2; exit 2"]));
    let outcome = world.call("bash").await;
    assert_eq!((code(&outcome), message(&outcome)), ("TOOL_DENIED", "no"));
}

#[tokio::test]
async fn a_flood_is_no_decision_and_is_bounded() {
    let flood = "head -c 104857600 /dev/zero; head -c 104857600 /dev/zero >&2";
    let passing = world(&file("PreToolUse", &[flood]));
    assert_eq!(text(&passing.call("bash").await), "count is 1");
    let result = passing.kept.one();
    assert_eq!(result.reason.unwrap(), "wrote 104857600 bytes");
    assert!(result.stderr_summary.unwrap().chars().count() <= 500);

    let denying =
        world(&file("PreToolUse", &["head -c 104857600 /dev/zero | tr '\\0' x >&2; exit 2"]));
    let outcome = denying.call("bash").await;
    assert_eq!(code(&outcome), "TOOL_DENIED");
    assert!(message(&outcome).len() < 10_100, "{}", message(&outcome).len());
    assert!(message(&outcome).contains("[104847600 bytes left out]"));
}

#[tokio::test]
async fn output_that_is_no_text_does_no_harm() {
    let passing = world(&file("PreToolUse", &["printf '\\377\\376'; printf '\\377' >&2; exit 1"]));
    assert_eq!(text(&passing.call("bash").await), "count is 1");
    assert_eq!(passing.kept.one().stderr_summary.unwrap(), "\u{fffd}");
    let denying = world(&file("PreToolUse", &["printf 'no\\377' >&2; exit 2"]));
    assert_eq!(message(&denying.call("bash").await), "no\u{fffd}");
}

async fn cancelled_after(world: &World, ms: u64) -> (contract_registry::Outcome, Duration) {
    let source = CancelSource::new();
    let request = world.request("bash", &json!({})).with_cancel(source.signal());
    let begun = Instant::now();
    let (outcome, ()) = tokio::join!(world.registry.dispatch(request), async {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        source.cancel();
    });
    (outcome, begun.elapsed())
}

#[tokio::test]
async fn cancelling_the_call_ends_the_hook() {
    let before = world(&file("PreToolUse", &["sleep 98765.25"]));
    let (outcome, took) = cancelled_after(&before, 200).await;
    assert_eq!(code(&outcome), "ABORTED_BEFORE_DISPATCH");
    assert!(took < Duration::from_secs(5));
    assert_eq!(before.kept.one().reason.unwrap(), "was cancelled");
    let after = world(&file("PostToolUse", &["sleep 98765.25"]));
    let (_, took) = cancelled_after(&after, 200).await;
    assert!(took < Duration::from_secs(5));
    assert_eq!(after.kept.one().decision, HookDecided::Failed);
    let begun = Instant::now();
    while alive("98765.25") > 0 {
        assert!(begun.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_result_that_comes_with_a_cancellation_is_judged_all_the_same() {
    let says = r#"sleep 0.1; printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"late"}}'"#;
    let patient = |options: &mut CommandOptions| options.limits.grace_ms = 10_000;
    let world = world_with(Dialect::Claude, &file("PostToolUse", &[says]), patient);
    let (outcome, _) = cancelled_after(&world, 20).await;
    assert_eq!(contexts(&outcome), ["late"]);
}
