//! Many hooks at one event.

use std::time::{Duration, Instant};

use serde_json::json;

use super::support::{file, handler, says, specific, world};
use crate::support::{code, contexts, message, text};

fn permission(decision: &str, reason: &str) -> String {
    let mut fields = json!({ "additionalContext": format!("context of {reason}") });
    if !decision.is_empty() {
        fields["permissionDecision"] = json!(decision);
        fields["permissionDecisionReason"] = json!(reason);
    }
    says(&specific("PreToolUse", fields))
}

async fn check(hooks: &[(&str, &str)], expected_code: &str, expected_message: &str) {
    let scripts: Vec<String> =
        hooks.iter().map(|(decision, reason)| permission(decision, reason)).collect();
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    let world = world(&file("PreToolUse", &scripts));
    let outcome = world.call("bash").await;
    assert_eq!((code(&outcome), message(&outcome)), (expected_code, expected_message), "{hooks:?}");
    let expected: Vec<String> =
        hooks.iter().map(|(_, reason)| format!("context of {reason}")).collect();
    assert_eq!(contexts(&outcome), expected);
}

#[tokio::test]
async fn deny_beats_ask_beats_allow_beats_nothing() {
    check(&[("", "a"), ("allow", "b")], "", "").await;
    check(
        &[("allow", "a"), ("ask", "b"), ("", "c"), ("ask", "d")],
        "APPROVAL_UNAVAILABLE",
        "this call needs approval (b\n\nd), and there is nobody to ask",
    )
    .await;
    check(&[("deny", "a"), ("ask", "b"), ("deny", "c")], "TOOL_DENIED", "a\n\nc").await;
    check(&[("ask", "a"), ("allow", "b"), ("deny", "c")], "TOOL_DENIED", "c").await;
}

#[tokio::test]
async fn hooks_run_at_once_and_merge_in_the_order_of_the_file() {
    let slow =
        |seconds: &str, name: &str| handler(&format!("sleep {seconds}; echo {name} >&2; exit 2"));
    let file = json!({ "hooks": { "PreToolUse": [
        { "matcher": "Bash", "hooks": [slow("0.5", "a"), slow("0.1", "b")] },
        { "matcher": "Edit", "hooks": [slow("5", "never")] },
        { "hooks": [slow("0.5", "c")] },
    ]}});
    let world = world(&file);
    let begun = Instant::now();
    let outcome = world.call("bash").await;
    let took = begun.elapsed();
    assert_eq!(message(&outcome), "a\n\nb\n\nc");
    assert!(took >= Duration::from_millis(500) && took < Duration::from_millis(900), "{took:?}");
    let invoked = world.kept.invoked.lock().unwrap();
    let ids: Vec<_> = invoked.iter().map(|record| record.handler_id.as_str()).collect();
    assert_eq!(ids, ["PreToolUse/0/0", "PreToolUse/0/1", "PreToolUse/2/0"]);
    assert_eq!(invoked[0].matcher.as_deref(), Some("Bash"));
    assert_eq!((invoked[2].matcher.as_deref(), invoked[2].point), (None, "PreToolUse"));
}

#[tokio::test]
async fn of_two_replacements_the_first_in_the_file_stays() {
    let replacement =
        |text: &str| says(&specific("PostToolUse", json!({ "updatedToolOutput": text })));
    let late = format!("sleep 0.2; {}", replacement("first"));
    let world = world(&file("PostToolUse", &[&late, &replacement("second")]));
    assert_eq!(text(&world.call("bash").await), "first");
}

#[tokio::test]
async fn records_tell_each_hook_and_no_value() {
    let replace = says(&specific("PostToolUse", json!({ "updatedToolOutput": "secret-value" })));
    let world = world(&file("PostToolUse", &["echo careful >&2; exit 7", &replace]));
    world.call("bash").await;
    let mut results = world.kept.results();
    results.sort_by(|a, b| a.invoked.handler_id.cmp(&b.invoked.handler_id));
    assert_eq!(results[0].exit_code, Some(7));
    assert_eq!(results[0].stderr_summary.as_deref(), Some("careful"));
    assert_eq!(results[0].reason.as_deref(), Some("ended with exit code 7"));
    assert_eq!(results[0].invoked.session_id.as_ref().unwrap().as_str(), "s-1");
    assert_eq!(results[0].invoked.agent_id.as_str(), "main");
    assert!(results[0].invoked.call_id.is_some());
    assert!(!format!("{results:?}").contains("secret-value"));
}
