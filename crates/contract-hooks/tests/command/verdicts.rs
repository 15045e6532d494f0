//! What `PreToolUse` hooks decide.

use contract_hooks::command::{Dialect, HookDecided};
use serde_json::{Value, json};

use super::support::{file, says, specific, world, world_with};
use crate::support::{code, contexts, message, text};

struct Expected {
    code: &'static str,
    message: &'static str,
    decided: HookDecided,
}

async fn check(script: &str, expected: Expected) {
    for dialect in [Dialect::Claude, Dialect::Codex] {
        let world = world_with(dialect, &file("PreToolUse", &[script]), |_| {});
        let outcome = world.call("bash").await;
        let Expected { code: expected_code, message: expected_message, decided } = expected;
        assert_eq!(
            (code(&outcome), message(&outcome)),
            (expected_code, expected_message),
            "{script}"
        );
        assert_eq!(world.kept.one().decision, decided, "{script}");
    }
}

const PASSED: Expected = Expected { code: "", message: "", decided: HookDecided::Pass };

fn denied(message: &'static str) -> Expected {
    Expected { code: "TOOL_DENIED", message, decided: HookDecided::Deny }
}

#[tokio::test]
async fn exit_codes_decide_as_users_files_expect() {
    check("exit 0", PASSED).await;
    check("echo not json", PASSED).await;
    check("echo 'no rm here' >&2; echo '{}' ; exit 2", denied("no rm here")).await;
    check("exit 2", denied("a hook refused this call and gave no reason")).await;
    for code in [1, 3, 125, 128, 255] {
        let failed = Expected { decided: HookDecided::Undecided, ..PASSED };
        check(&format!("echo '{{\"decision\":\"block\"}}'; exit {code}"), failed).await;
    }
}

#[tokio::test]
async fn structured_output_decides() {
    let permission = |decision: &str| {
        let fields = json!({ "permissionDecision": decision, "permissionDecisionReason": "why" });
        says(&specific("PreToolUse", fields))
    };
    let allowed = || Expected { decided: HookDecided::Allow, ..PASSED };
    check(&permission("deny"), denied("why")).await;
    check(&permission("allow"), allowed()).await;
    let asked = Expected {
        code: "APPROVAL_UNAVAILABLE",
        message: "this call needs approval (why), and there is nobody to ask",
        decided: HookDecided::Ask,
    };
    check(&permission("ask"), asked).await;
    check(&says(&json!({ "decision": "block", "reason": "no" })), denied("no")).await;
    check(&says(&json!({ "decision": "approve" })), allowed()).await;
    check(
        &says(&json!({ "continue": false, "stopReason": "enough" })),
        Expected { decided: HookDecided::Stop, ..denied("enough") },
    )
    .await;
    // The decision for the event beats the general one; both beat nothing.
    let mut both = specific("PreToolUse", json!({ "permissionDecision": "allow" }));
    both["decision"] = json!("block");
    check(&says(&both), allowed()).await;
    check(&says(&json!({ "decision": null, "continue": true, "systemMessage": "x" })), PASSED)
        .await;
}

#[tokio::test]
async fn output_for_another_event_is_ignored_and_the_rest_kept() {
    let mut output =
        specific("PostToolUse", json!({ "updatedToolOutput": "y", "additionalContext": "x" }));
    check(&says(&output), PASSED).await;
    output["decision"] = json!("block");
    output["reason"] = json!("general");
    check(&says(&output), Expected { ..denied("general") }).await;
}

#[tokio::test]
async fn case_and_separators_of_names_do_not_matter() {
    for output in [
        r#"{"hookSpecificOutput":{"hookEventName":"preToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"pre_tool_use","permissionDecision":"deny","permissionDecisionReason":"why"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"Deny","permissionDecisionReason":"why"}}"#,
        r#"{"hook_specific_output":{"hook_event_name":"PreToolUse","permission_decision":"DENY","permission_decision_reason":"why"}}"#,
        r#"{"HookSpecificOutput":{"permissionDecision":null,"permission-decision":"deny","PermissionDecisionReason":"why"}}"#,
        r#"{"Decision":"Block","Reason":"why"}"#,
    ] {
        check(&format!("printf '%s' '{output}'"), denied("why")).await;
    }
    let stops = Expected { decided: HookDecided::Stop, ..denied("why") };
    check(r#"printf '%s' '{"Continue":false,"stop_reason":"why"}'"#, stops).await;
    let replaces = json!({ "hook_specific_output": { "hookEventName": "post_tool_use", "updated_tool_output": "other" } });
    let world = world(&file("PostToolUse", &[&says(&replaces)]));
    assert_eq!(text(&world.call("bash").await), "other");
}

#[tokio::test]
async fn contexts_come_with_and_without_a_denial() {
    let output = |decision: &str| {
        let fields = json!({ "permissionDecision": decision, "additionalContext": "mind the gap" });
        says(&specific("PreToolUse", fields))
    };
    for decision in ["allow", "deny"] {
        let world = world(&file("PreToolUse", &[&output(decision)]));
        let outcome = world.call("bash").await;
        assert_eq!(contexts(&outcome), ["mind the gap"], "{decision}");
        let source = &outcome.contexts()[0].source;
        assert_eq!((source.kind.as_str(), source.name.as_str()), ("hook", "PreToolUse"));
    }
}

#[tokio::test]
async fn arguments_are_never_rewritten() {
    let fields = json!({ "updatedInput": { "command": "true" }, "permissionDecision": "allow" });
    let world = world(&file("PreToolUse", &[&says(&specific("PreToolUse", fields))]));
    let outcome = world.call("bash").await;
    assert_eq!(text(&outcome), "count is 1");
    let reason = world.kept.one().reason.unwrap();
    assert_eq!(reason, "`updatedInput` was refused: arguments are never rewritten");
}

async fn runs_for(dialect: Dialect, matcher: &Value, expected: &[&str]) {
    let hook = json!({ "type": "command", "command": "exit 2" });
    let file = json!({ "PreToolUse": [{ "matcher": matcher, "hooks": [hook] }] });
    let world = world_with(dialect, &file, |_| {});
    let mut denied = Vec::new();
    for tool in ["bash", "edit", "grep", "read", "write", "mcp__files__get"] {
        if world.call(tool).await.is_error() {
            denied.push(tool);
        }
    }
    assert_eq!(denied, expected, "{dialect:?} {matcher}");
}

#[tokio::test]
async fn matchers_are_names_or_expressions() {
    let all = ["bash", "edit", "grep", "read", "write", "mcp__files__get"];
    for dialect in [Dialect::Claude, Dialect::Codex] {
        for matcher in [json!(null), json!(""), json!("*")] {
            runs_for(dialect, &matcher, &all).await;
        }
        runs_for(dialect, &json!("Bash"), &["bash"]).await;
        runs_for(dialect, &json!("Edit|Write"), &["edit", "write"]).await;
        runs_for(dialect, &json!("bash|grep"), &["bash", "grep"]).await;
        runs_for(dialect, &json!("mcp__.*"), &["mcp__files__get"]).await;
        runs_for(dialect, &json!("^(Read|Gr.p)$"), &["grep", "read"]).await;
        // All but one, whatever else that one is called.
        let others = ["grep", "read", "write", "mcp__files__get", "edit"];
        let mut others = others.to_vec();
        others.sort_by_key(|tool| all.iter().position(|name| name == tool));
        runs_for(dialect, &json!("^(?!Bash$)"), &others).await;
    }
    // A word is a whole name to the one and a part of one to the other.
    runs_for(Dialect::Claude, &json!("Ed"), &[]).await;
    runs_for(Dialect::Codex, &json!("Ed"), &["edit"]).await;
    runs_for(Dialect::Codex, &json!("apply_patch"), &["edit", "write"]).await;
}

#[tokio::test]
async fn a_command_with_arguments_needs_no_shell() {
    let hook = json!({ "type": "command", "command": "/bin/echo", "args": ["{\"decision\":\"block\",\"reason\":\"$HOME\"}"] });
    let world = world(&json!({ "PreToolUse": [{ "hooks": [hook] }] }));
    assert_eq!(message(&world.call("bash").await), "$HOME");
    let missing = json!({ "type": "command", "command": "/no/such/hook", "args": [] });
    let world = super::support::world(&json!({ "PreToolUse": [{ "hooks": [missing] }] }));
    let outcome = world.call("bash").await;
    assert_eq!(code(&outcome), "POLICY_FAILED");
    assert!(message(&outcome).contains("could not be run: /no/such/hook could not be started"));
}
