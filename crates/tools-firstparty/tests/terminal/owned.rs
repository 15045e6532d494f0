//! Nothing outlives its owner: processes, terminals, descriptors and threads are counted in `/proc`.

use std::fs;
use std::time::{Duration, Instant};

use contract_registry::{AccessMode, CancelSignal, CancelSource};
use serde_json::json;
use tools_firstparty::Config;

use super::support::Terminals;

/// What this process has: descriptors, threads of terminals and jobs, and processes started.
type Held = (usize, usize, usize);

fn held() -> Held {
    let descriptors = fs::read_dir("/proc/self/fd").unwrap().count();
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten().filter(|task| {
        let name = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        name.starts_with("host-process") || name.starts_with("tenon-")
    });
    (descriptors, threads.count(), marked())
}

/// Processes, zombies included, that carry this test's mark.
fn marked() -> usize {
    let mark = format!("owned-{}", std::process::id());
    let me = std::process::id().to_string();
    let mut count = 0;
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let text = |name: &str| {
            let bytes = fs::read(entry.path().join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let stat = text("stat");
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let is_child = after.split_whitespace().nth(1) == Some(me.as_str());
        if is_child || text("environ").contains(&mark) || text("cmdline").contains(&mark) {
            count += 1;
        }
    }
    count
}

fn until_only(before: Held, what: &str) {
    let begun = Instant::now();
    while held() != before {
        let waited = begun.elapsed();
        assert!(waited < Duration::from_secs(20), "{what}: {:?}, before {before:?}", held());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Children that ignore signals, leave the session, fork twice, stop.
fn hard_to_end() -> String {
    let mark = format!("owned-{}", std::process::id());
    format!(
        "export MARK={mark}; trap '' TERM HUP; (trap '' TERM HUP INT; sleep 1001 & sleep 1002) & \
         setsid sleep 1003 & (setsid sh -c 'sleep 1004 & sleep 1005' &) ; sleep 1006 & kill -STOP $!; \
         nohup sleep 1007 >/dev/null 2>&1 & disown; echo begun"
    )
}

fn quick() -> Terminals {
    let mut config = Config::default();
    config.terminal.close_grace_ms = 300;
    config.terminal.send_timeout_ms = 2_000;
    Terminals::with(&config)
}

/// What is held before anything is opened; one terminal has come and gone, so that what is made once is there.
async fn before() -> Held {
    let terminals = quick();
    let id = terminals.open().await;
    terminals.close(&id).await;
    drop(terminals);
    let mut held_before = held();
    while (held_before.1, held_before.2) != (0, 0) {
        tokio::time::sleep(Duration::from_millis(10)).await;
        held_before = held();
    }
    held_before
}

async fn with_children() -> (Terminals, String) {
    let terminals = quick();
    let id = terminals.open().await;
    let begun = terminals.shown(&id, &hard_to_end()).await;
    assert!(begun.contains("\nbegun"), "{begun}");
    assert!(marked() > 5, "they are there: {}", marked());
    (terminals, id)
}

#[tokio::test]
async fn closed_means_gone() {
    let before = before().await;
    let (terminals, id) = with_children().await;
    terminals.close(&id).await;
    assert_eq!(marked(), 0, "when close returns, not some time later");
    until_only(before, "closed");
}

#[tokio::test]
async fn an_exit_takes_the_children_along() {
    let before = before().await;
    let (terminals, id) = with_children().await;
    // Of stopped jobs the shell warns the first time.
    terminals.send(&id, "exit 4").await;
    let sent = terminals.send(&id, "exit 4").await;
    assert_eq!(sent["sessionStatus"]["exitCode"], 4, "{sent}");
    assert_eq!(marked(), 0);
    // The terminal is listed on, and holds nothing.
    assert!(terminals.screen(&id).await.contains("begun"));
    until_only(before, "exited");
}

#[tokio::test]
async fn dropping_the_tools_ends_everything() {
    let before = before().await;
    let (terminals, id) = with_children().await;
    terminals
        .value(
            "terminal_send",
            json!({ "session_id": id, "text": "cat", "run_in_background": true }),
        )
        .await;
    drop(terminals);
    until_only(before, "dropped");
}

#[tokio::test]
async fn a_panic_of_the_host_ends_everything() {
    let before = before().await;
    let (terminals, id) = with_children().await;
    let crash = tokio::spawn(async move {
        let terminals = terminals;
        terminals.send(&id, "echo on").await;
        panic!("the host's own");
    });
    assert!(crash.await.unwrap_err().is_panic());
    until_only(before, "panicked");
}

#[tokio::test]
async fn a_timeout_leaves_the_program_to_its_terminal() {
    let before = before().await;
    let terminals = quick();
    let id = terminals.open().await;
    let mark =
        format!("MARK=owned-{} sh -c 'while :; do echo x; sleep 0.01; done'", std::process::id());
    let sent = terminals.send(&id, &mark).await;
    assert_eq!(sent["waitReason"], "timeout");
    assert!(marked() > 1);
    terminals.close(&id).await;
    until_only(before, "timed out and closed");
}

#[tokio::test]
async fn a_cancelled_open_and_a_cancelled_send_leave_nothing_more() {
    let before = before().await;
    let mut config = Config::default();
    // It never shows a prompt.
    config.terminal.shell = ["/bin/sh", "-c", "exec sleep 1000"].map(str::to_owned).to_vec();
    let terminals = Terminals::with(&config);
    let source = CancelSource::new();
    let open = ("terminal_open", json!({}));
    let opening = terminals.call_as("main", AccessMode::Full, source.signal(), open);
    let (outcome, ()) = tokio::join!(opening, async {
        while held().2 == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        source.cancel();
    });
    assert_eq!(outcome.error().unwrap().code(), Some("ABORTED"));
    until_only(before, "open cancelled");
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_the_terminal_usable() {
    let before = before().await;
    let terminals = quick();
    let id = terminals.open().await;
    let args = json!({ "session_id": id, "text": "sleep 1000" });
    let never = CancelSignal::never();
    let sending =
        terminals.call_as("main", AccessMode::WorkspaceWrite, never, ("terminal_send", args));
    let given_up = tokio::time::timeout(Duration::from_millis(500), sending).await;
    assert!(given_up.is_err());
    // Its interrupt ends the sleep, and the send lets go.
    let begun = Instant::now();
    loop {
        let next = json!({ "session_id": id, "text": "echo free" });
        let outcome = terminals.workspace.call("terminal_send", &next).await;
        match outcome.error() {
            None => break,
            Some(failure) => assert_eq!(failure.code(), Some("TERMINAL_SEND_ACTIVE")),
        }
        assert!(begun.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    terminals.close(&id).await;
    until_only(before, "dropped call");
}
