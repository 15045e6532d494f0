//! Hooks that hang, flood, die, or are not there.

use std::time::{Duration, Instant};

use contract_hooks::command::{CommandOptions, Dialect, HookDecided, OnFault, Replacement};
use contract_registry::CancelSource;
use serde_json::{Value, json};

use super::support::{World, alive, file, world, world_with};
use crate::support::{code, contexts, message, text};

/// The ways not to judge, each with what is said of it.
const FAULTS: [(&str, &str); 9] = [
    ("sleep 100", "did not end in time and was stopped after "),
    ("kill -9 $$", "was ended by signal 9"),
    ("sh -c 'kill -9 $$'; exit $?", "was ended by signal 9 (exit code 137)"),
    ("./no_such_script.sh", "could not be started (exit code 127)"),
    ("touch plain; ./plain", "could not be started (exit code 126)"),
    ("printf '{\"decision\":'", "wrote a decision that cannot be read: "),
    (
        "printf '{'; head -c 104857600 /dev/zero",
        "wrote a decision of 104857601 bytes; at most 1048576 are read",
    ),
    (
        "head -c 2000000 /dev/zero | tr '\\0' ' '; printf '{\"decision\":\"block\"}'",
        "wrote 2000020 bytes; at most 1048576 are read, so what it decided is not known",
    ),
    (
        "printf '\\000{\"decision\":\"block\"}'",
        "wrote a decision that cannot be read: it must be one JSON object in UTF-8 and nothing else",
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
async fn a_hook_that_guards_the_value_must_decide() {
    let redactor = quick("PostToolUse", "echo Traceback >&2; exit 1");
    assert_eq!(text(&world(&redactor).call("bash").await), "count is 1");
    let by_value = |options: &mut CommandOptions| options.replacement = Replacement::Value;
    let strict = world_with(Dialect::Claude, &redactor, by_value).call("bash").await;
    assert_eq!(code(&strict), "POLICY_FAILED");
    assert!(message(&strict).contains("ended with exit code 1"), "{}", message(&strict));
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
        r#"{"permissionDecision":"deny"}"#,
        r#"{"permission_decision":"deny"}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"BeforeTool","permission_decision":"deny"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"Stop","decision":"block"}}"#,
        r#"{"hookSpecificOutput":{"permissionDecision":"allow","permission_decision":"deny"}}"#,
        r#"{"decision":"approve","Decision":"block"}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","decision":"block"}}"#,
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
    let failing = world(&file("PreToolUse", &[flood]));
    assert_eq!(code(&failing.call("bash").await), "POLICY_FAILED");
    let result = failing.kept.one();
    assert_eq!(
        result.reason.unwrap(),
        "wrote 104857600 bytes; at most 1048576 are read, so what it decided is not known"
    );
    assert!(result.stderr_summary.unwrap().chars().count() <= 500);

    let denying =
        world(&file("PreToolUse", &["head -c 104857600 /dev/zero | tr '\\0' x >&2; exit 2"]));
    let outcome = denying.call("bash").await;
    assert_eq!(code(&outcome), "TOOL_DENIED");
    assert!(message(&outcome).len() < 10_100, "{}", message(&outcome).len());
    assert!(message(&outcome).contains("[104847600 bytes left out]"));
}

/// A decision that refuses, as other programs would write it.
const BLOCK: &str = r#"{"decision":"block","reason":"no"}"#;

async fn written(bytes: &[u8]) -> (World, contract_registry::Outcome) {
    let world = world(&file("PreToolUse", &["cat output"]));
    std::fs::write(world.path().join("output"), bytes).unwrap();
    let outcome = world.call("bash").await;
    (world, outcome)
}

#[tokio::test]
async fn a_decision_is_read_behind_blanks_and_a_byte_order_mark() {
    for before in ["", " \r\n\t", "\u{feff}", "\n\u{feff} \n"] {
        let (_, outcome) = written(format!("{before}{BLOCK}\n").as_bytes()).await;
        assert_eq!((code(&outcome), message(&outcome)), ("TOOL_DENIED", "no"), "{before:?}");
    }
}

#[tokio::test]
async fn a_decision_in_another_wrapping_is_never_missed() {
    let utf16 = |mark: bool, to: fn(u16) -> [u8; 2]| {
        let text = if mark { format!("\u{feff}{BLOCK}") } else { BLOCK.to_owned() };
        text.encode_utf16().flat_map(to).collect::<Vec<u8>>()
    };
    let text = |text: String| text.into_bytes();
    for bytes in [
        utf16(true, u16::to_le_bytes),
        utf16(true, u16::to_be_bytes),
        utf16(false, u16::to_le_bytes),
        utf16(false, u16::to_be_bytes),
        text(format!("\0{BLOCK}")),
        text(format!("{BLOCK}\0")),
        text(format!("{BLOCK} done")),
        text(format!("{BLOCK}\n{BLOCK}")),
        text(format!("{{}}\n{BLOCK}")),
        text(format!("```json\n{BLOCK}\n```\n")),
        text(format!("'{BLOCK}'")),
        text(format!("[{BLOCK}]")),
        text(format!("{BLOCK:?}")),
        text(format!("\u{1b}[1;39m{BLOCK}\u{1b}[0m")),
        text(format!("\u{a0}{BLOCK}")),
        text("{'decision':'block'}".to_owned()),
        text("{decision: \"block\"}".to_owned()),
    ] {
        let (_, outcome) = written(&bytes).await;
        assert_eq!(code(&outcome), "POLICY_FAILED", "{}", bytes.escape_ascii());
    }
}

#[tokio::test]
async fn plain_text_stays_plain_and_what_looks_like_a_decision_in_it_is_noted() {
    for text in ["checked", "[ok] {3} files", "", "\n\n", "12", "\"quoted\"", "// {}"] {
        let (_, outcome) = written(text.as_bytes()).await;
        assert_eq!(code(&outcome), "", "{text:?}");
    }
    let (world, outcome) = written(format!("checking\n{BLOCK}").as_bytes()).await;
    assert_eq!(code(&outcome), "");
    assert_eq!(
        world.kept.one().reason.unwrap(),
        "`decision` in its plain text is no decision: only a JSON object alone is one"
    );
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
