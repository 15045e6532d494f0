//! Opening, using and closing.

use contract_registry::{AccessMode, CancelSignal, CancelSource};
use serde_json::json;

use super::support::Terminals;

#[tokio::test]
async fn a_terminal_lives_from_open_to_close() {
    let terminals = Terminals::new();
    let opened = terminals.value("terminal_open", json!({ "name": "work", "type": "shell" })).await;
    assert_eq!((&opened["sessionId"], &opened["name"]), (&json!("pty-1"), &json!("work")));
    assert_eq!(opened["status"], json!({ "kind": "running" }));
    let motd = opened["motd"].as_str().unwrap();
    assert!(motd.ends_with('#') || motd.ends_with('$'), "{motd}");
    let sent = terminals.send("pty-1", "echo hi").await;
    assert_eq!(sent["kind"], "foreground");
    assert_eq!(sent["viewport"], format!("{motd} echo hi\nhi\n{motd}"));
    assert_eq!(sent["waitReason"], "stdin_read");
    let listed = terminals.value("terminal_list", json!({})).await;
    assert_eq!(listed[0]["pid"], opened["pid"]);
    terminals.close("pty-1").await;
    assert_eq!(terminals.value("terminal_list", json!({})).await, json!([]));
    let again = terminals.value("terminal_close", json!({ "session_id": "pty-1" })).await;
    assert_eq!(again["outcome"], "already-closing");
    let (code, _) =
        terminals.workspace.failure("terminal_read", json!({ "session_id": "pty-1" })).await;
    assert_eq!(code, "TERMINAL_CLOSED");
}

#[tokio::test]
async fn folder_variables_and_functions_live_on() {
    let terminals = Terminals::new();
    std::fs::create_dir(terminals.workspace.dir.path().join("sub")).unwrap();
    let opened = terminals.value("terminal_open", json!({ "cwd": "sub" })).await;
    let id = opened["sessionId"].as_str().unwrap();
    assert!(terminals.shown(id, "pwd").await.contains("/sub\n"));
    terminals.send(id, "cd ..; x='a b'; f() { echo \"[$x]\"; }").await;
    assert!(terminals.shown(id, "f; pwd | grep -c sub").await.contains("\n[a b]\n0\n"));
    let other = terminals.open().await;
    assert!(terminals.shown(&other, "echo \"<$x>\"").await.contains("\n<>\n"));
}

#[tokio::test]
async fn the_shell_keeps_its_marks_whatever_is_done_to_the_prompt() {
    let terminals = Terminals::new();
    let id = terminals.open().await;
    for change in ["PS1='new> '", "PS1=; PS0=", "PROMPT_COMMAND=; PS1='x> '; true"] {
        let sent = terminals.send(&id, change).await;
        assert_eq!(sent["waitReason"], "stdin_read", "{change}");
    }
    // Without a mark, the shell is seen to wait for input.
    assert_eq!(terminals.send(&id, "echo still").await["waitReason"], "stdin_read");
    let fresh = terminals.open().await;
    let seen =
        terminals.shown(&fresh, "env | grep -c teno[n]=; bash --norc -ic 'echo \"$PS1\"'").await;
    assert!(
        seen.contains("\n0\n") && !seen.contains("tenon="),
        "what it starts has no mark: {seen}"
    );
}

#[tokio::test]
async fn one_line_and_the_end_200_times() {
    let terminals = Terminals::new();
    let lanes = (0..4).map(|lane| one_line_and_the_end(&terminals, lane * 50..(lane + 1) * 50));
    futures_util::future::join_all(lanes).await;
}

async fn one_line_and_the_end(terminals: &Terminals, rounds: std::ops::Range<u32>) {
    for round in rounds {
        let id = terminals.open().await;
        let sent = terminals.send(&id, &format!("exec printf 'line %s\\n' {round}")).await;
        assert_eq!(sent["waitReason"], "session_exit", "{round}: {sent}");
        assert_eq!(sent["sessionStatus"]["exitCode"], 0, "{round}");
        let shown = sent["viewport"].as_str().unwrap();
        assert!(shown.ends_with(&format!("\nline {round}")), "{round}: {shown}");
        terminals.close(&id).await;
    }
}

#[tokio::test]
async fn an_ended_terminal_answers_every_tool() {
    let terminals = Terminals::new();
    let id = terminals.open().await;
    let sent = terminals.send(&id, "kill -KILL $$").await;
    assert_eq!(
        sent["sessionStatus"],
        json!({ "kind": "exited", "exitCode": null, "signal": "SIGKILL" })
    );
    let again = terminals.send(&id, "ls").await;
    assert_eq!((&again["waitReason"], &again["viewport"]), (&json!("session_exit"), &json!("")));
    let signal = json!({ "session_id": id, "signal": "SIGINT" });
    let signalled = terminals.value("terminal_signal", signal).await;
    assert_eq!(signalled["delivered"], false);
    assert_eq!(signalled["sessionStatus"]["signal"], "SIGKILL");
    assert!(terminals.screen(&id).await.contains("kill -KILL"));
    assert_eq!(terminals.value("terminal_list", json!({})).await[0].get("pid"), None);
    terminals.close(&id).await;
}

#[tokio::test]
async fn a_signal_reaches_the_program_in_front() {
    let terminals = Terminals::new();
    let id = terminals.open().await;
    let shell = terminals.value("terminal_list", json!({})).await[0]["pid"].clone();
    let signal = |name: &str| json!({ "session_id": id, "signal": name });
    let failed = terminals.workspace.failure("terminal_signal", signal("SIGKILL")).await;
    assert_eq!(failed.0, "TERMINAL_SIGNAL_REFUSED");
    let job = json!({ "session_id": id, "text": "sleep 1000", "run_in_background": true });
    let job = terminals.value("terminal_send", job).await;
    // Until the sleep is in front, the shell is, which is refused.
    let killed = loop {
        let outcome = terminals.workspace.call("terminal_signal", &signal("SIGKILL")).await;
        if let Some(value) = outcome.value() {
            break value.json().to_value();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(killed["delivered"], true);
    assert_ne!(killed["targetPgid"], shell);
    let wait = json!({ "job_id": job["jobId"], "wait": true });
    let done = terminals.value("job_output", wait).await;
    assert_eq!(
        (&done["job"]["status"], &done["job"]["detail"]),
        (&json!("completed"), &json!("wait: stdin_read"))
    );
    assert!(done["text"].as_str().unwrap().contains("Killed"), "{done}");
}

#[tokio::test]
async fn a_job_that_is_killed_interrupts_and_frees_the_terminal() {
    let terminals = Terminals::new();
    let id = terminals.open().await;
    let slow =
        json!({ "session_id": id, "text": "sleep 1000; echo rc=$?", "run_in_background": true });
    let job = terminals.value("terminal_send", slow.clone()).await["jobId"].clone();
    let (code, _) = terminals.workspace.failure("terminal_send", slow).await;
    assert_eq!(code, "TERMINAL_SEND_ACTIVE", "and no second job");
    assert_eq!(terminals.value("job_list", json!({})).await.as_array().unwrap().len(), 1);
    terminals.until_shown(&id, "sleep").await;
    terminals.value("job_kill", json!({ "job_id": job })).await;
    let ended = terminals.value("job_output", json!({ "job_id": job, "wait": true })).await;
    assert_eq!(ended["job"]["status"], "killed");
    assert!(terminals.shown(&id, "echo ok").await.contains("\nok\n"));
}

#[tokio::test]
async fn a_cancelled_send_presses_ctrl_c() {
    let terminals = Terminals::new();
    let opened = (("terminal_open"), json!({}));
    let call =
        |call| terminals.call_as("main", AccessMode::WorkspaceWrite, CancelSignal::never(), call);
    call(opened).await;
    let source = CancelSource::new();
    let args =
        json!({ "session_id": "pty-1", "text": "trap 'echo caught' INT; echo on; sleep 1000" });
    let send = ("terminal_send", args);
    let sending = terminals.call_as("main", AccessMode::WorkspaceWrite, source.signal(), send);
    let (outcome, ()) = tokio::join!(sending, async {
        terminals.until_shown("pty-1", "\non").await;
        source.cancel();
    });
    assert_eq!(outcome.error().unwrap().code(), Some("ABORTED"));
    terminals.until_shown("pty-1", "caught").await;
    assert!(terminals.shown("pty-1", "echo free").await.contains("\nfree\n"));
}

#[tokio::test]
async fn terminals_of_another_agent_are_out_of_reach() {
    let terminals = Terminals::new();
    terminals.open().await;
    let args = json!({ "session_id": "pty-1", "text": "ls" });
    let never = CancelSignal::never;
    let foreign = terminals.call_as(
        "b",
        AccessMode::WorkspaceWrite,
        never(),
        ("terminal_send", args.clone()),
    );
    assert_eq!(foreign.await.error().unwrap().code(), Some("TERMINAL_FOREIGN"));
    let listed =
        terminals.call_as("b", AccessMode::WorkspaceWrite, never(), ("terminal_list", json!({})));
    assert_eq!(listed.await.value().unwrap().json().to_value(), json!([]));
    let narrowed =
        terminals.call_as("main", AccessMode::ReadOnly, never(), ("terminal_send", args));
    let narrowed = narrowed.await;
    let failure = narrowed.error().unwrap();
    assert_eq!(failure.code(), Some("TERMINAL_ACCESS_CHANGED"));
    assert!(failure.message().contains("opened under workspace-write"), "{}", failure.message());
}

#[tokio::test]
async fn arguments_that_cannot_be_are_refused() {
    let terminals = Terminals::new();
    let id = terminals.open().await;
    let long = "x".repeat(70_000);
    for (tool, arguments, code) in [
        ("terminal_open", json!({ "type": "window" }), "INVALID_TOOL_ARGS"),
        ("terminal_open", json!({ "name": "  " }), "TERMINAL_INVALID_ARGUMENT"),
        ("terminal_open", json!({ "name": "n".repeat(65) }), "TERMINAL_INVALID_ARGUMENT"),
        ("terminal_open", json!({ "cwd": " " }), "TERMINAL_INVALID_ARGUMENT"),
        ("terminal_open", json!({ "cwd": "nowhere" }), "TERMINAL_NOT_OPENED"),
        ("terminal_send", json!({ "session_id": id }), "TERMINAL_INVALID_ARGUMENT"),
        ("terminal_send", json!({ "session_id": id, "text": long }), "TERMINAL_INVALID_ARGUMENT"),
        ("terminal_send", json!({ "session_id": id, "keys": ["ctrl-ä"] }), "INVALID_TOOL_ARGS"),
        ("terminal_send", json!({ "session_id": "pty-9", "text": "x" }), "TERMINAL_NOT_FOUND"),
        ("terminal_read", json!({ "session_id": id, "count": 0 }), "INVALID_TOOL_ARGS"),
        ("terminal_read", json!({ "session_id": id, "offset": -1 }), "INVALID_TOOL_ARGS"),
        ("terminal_signal", json!({ "session_id": id, "signal": "SIGSEGV" }), "INVALID_TOOL_ARGS"),
    ] {
        let (found, message) = terminals.workspace.failure(tool, arguments).await;
        assert_eq!(found, code, "{tool}: {message}");
    }
}
