//! Caps, and output that is out to break them.

use std::time::{Duration, Instant};

use contract_registry::{
    Call, CallEnv, Completed, Denial, Policy, PolicyError, PostDecision, PreDecision, Registry,
};
use contract_schema::ContentBlock;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tools_firstparty::{Config, HostLife, Seams, tools};

use super::support::Terminals;
use crate::support::Workspace;

fn capped(bytes: usize) -> Config {
    let mut config = Config::default();
    config.terminal.result_max_bytes = bytes;
    config
}

#[tokio::test]
async fn at_64_bytes_ids_and_ends_stay_visible() {
    let terminals = Terminals::with(&capped(64));
    let workspace = &terminals.workspace;
    let name = "n".repeat(64);
    let opened = workspace.text("terminal_open", json!({ "name": name })).await;
    assert!(opened.starts_with("Opened pty-1 (n") && opened.len() <= 64, "{opened}");
    let many = json!({ "session_id": "pty-1", "text": "seq 1000" });
    let sent = workspace.text("terminal_send", many).await;
    let end = "[wait: stdin_read]\n[session: running]\n[output truncated]";
    assert!(sent.ends_with(end) && sent.len() <= 64, "{sent}");
    let read = workspace.text("terminal_read", json!({ "session_id": "pty-1" })).await;
    assert!(read.len() <= 64 && read.ends_with("[output truncated]"), "{read}");
    let unknown = json!({ "session_id": "pty-7".repeat(99), "text": "x" });
    let failed = workspace.text("terminal_send", unknown).await;
    assert!(
        failed.starts_with("Error: there is no terminal pty-7") && failed.len() <= 64,
        "{failed}"
    );
    let closed = workspace.text("terminal_close", json!({ "session_id": "pty-1" })).await;
    assert_eq!(closed, "Closed pty-1");
}

/// Refuses with many words.
struct Talkative;

impl Policy for Talkative {
    fn pre_execute<'a>(&'a self, _: &'a Call) -> BoxFuture<'a, Result<PreDecision, PolicyError>> {
        Box::pin(async { Ok(PreDecision::deny(Denial::new("no ".repeat(1_000)))) })
    }
}

/// Puts blocks of this many bytes in the place of what was shown, or blocks with them.
struct Replacing {
    blocks: usize,
    blocks_call: bool,
}

impl Policy for Replacing {
    fn post_execute<'a>(
        &'a self,
        _: Completed<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, PolicyError>> {
        let blocks = vec![ContentBlock::text("long ".repeat(100)); self.blocks];
        let decision = if self.blocks_call {
            PostDecision::block(blocks)
        } else {
            PostDecision::replace_content_not_value(blocks)
        };
        Box::pin(async { Ok(decision) })
    }
}

fn workspace_under(policy: impl Policy) -> Workspace {
    let registry = Registry::builder().policy(std::sync::Arc::new(policy)).build();
    for tool in tools(&capped(100), &Seams::default()).unwrap().into_tools() {
        registry.register_dyn(tool).unwrap().keep();
    }
    let dir = tempfile::tempdir().unwrap();
    let env = CallEnv::new(dir.path());
    Workspace { dir, registry, env }
}

#[tokio::test]
async fn what_a_policy_puts_in_the_place_is_capped_unless_it_is_several_blocks() {
    for blocks_call in [false, true] {
        let workspace = workspace_under(Replacing { blocks: 1, blocks_call });
        let text = workspace.text("terminal_list", json!({})).await;
        assert!(text.len() <= 100 && text.ends_with("[output truncated]"), "{text}");
        let workspace = workspace_under(Replacing { blocks: 2, blocks_call });
        let outcome = workspace.call("terminal_list", &json!({})).await;
        let [ContentBlock::Text { text, .. }, _] = outcome.content() else { panic!("two blocks") };
        assert_eq!(text.len(), 500);
    }
}

#[tokio::test]
async fn what_a_policy_says_is_capped_too() {
    let workspace = workspace_under(Talkative);
    for (tool, arguments) in [
        ("terminal_open", json!({})),
        ("terminal_list", json!({})),
        ("terminal_send", json!({ "session_id": "pty-1", "text": "x" })),
        ("terminal_read", json!({ "session_id": "pty-1" })),
        ("terminal_signal", json!({ "session_id": "pty-1", "signal": "SIGINT" })),
        ("terminal_close", json!({ "session_id": "pty-1" })),
    ] {
        let text = workspace.text(tool, arguments).await;
        assert!(text.starts_with("Error: no no") && text.len() <= 100, "{tool}: {text}");
        assert!(text.ends_with("[output truncated]"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn where_nothing_outlives_a_call_that_is_said() {
    let config = Config { host_life: HostLife::OneCall, ..Config::default() };
    let terminals = Terminals::with(&config);
    for (tool, told) in [("terminal_open", "ends with this call"), ("bash", "background jobs too")]
    {
        let described = terminals.workspace.registry.get(tool).unwrap().description().to_owned();
        assert!(described.contains(told), "{described}");
    }
    let opened = terminals.workspace.text("terminal_open", json!({})).await;
    assert!(opened.contains("ended with this call"), "{opened}");
    let send = json!({ "session_id": "pty-1", "text": "true", "run_in_background": true });
    let sent = terminals.workspace.text("terminal_send", send).await;
    assert!(sent.contains("ended with this call"), "{sent}");
}

#[tokio::test]
async fn background_sends_can_be_switched_off() {
    let mut config = Config::default();
    config.terminal.run_in_background = false;
    let terminals = Terminals::with(&config);
    let id = terminals.open().await;
    let send = json!({ "session_id": id, "text": "true", "run_in_background": true });
    let (code, _) = terminals.workspace.failure("terminal_send", send).await;
    assert_eq!(code, "INVALID_TOOL_ARGS", "the argument is not there");
}

#[tokio::test]
async fn a_command_that_goes_on_is_left_to_go_on() {
    let mut config = Config::default();
    config.terminal.send_timeout_ms = 300;
    let terminals = Terminals::with(&config);
    let id = terminals.open().await;
    let sent = terminals.send(&id, "while :; do echo tick; sleep 0.02; done").await;
    assert_eq!(sent["waitReason"], "timeout");
    assert_eq!(sent["sessionStatus"]["kind"], "running");
    let pressed = terminals.press(&id, &["ctrl-c"]).await;
    assert_eq!(pressed["waitReason"], "stdin_read", "{pressed}");
}

#[tokio::test]
async fn a_program_that_reads_nothing_stops_the_typing_in_time() {
    let mut config = Config::default();
    config.terminal.send_timeout_ms = 500;
    let terminals = Terminals::with(&config);
    let id = terminals.open().await;
    // Raw, so that the kernel's line editor does not swallow what nobody reads.
    terminals.send(&id, "stty raw -echo; sleep 1000").await;
    let begun = Instant::now();
    let text = "x".repeat(60_000);
    let sent = terminals.value("terminal_send", json!({ "session_id": id, "text": text })).await;
    assert!(sent["untypedBytes"].as_u64().unwrap() > 30_000, "{sent}");
    assert_eq!(sent["waitReason"], "timeout");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

/// Bytes of memory that this process has.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[tokio::test]
async fn floods_are_bounded_in_memory_and_time() {
    let mut config = Config::default();
    config.terminal.send_timeout_ms = 120_000;
    let terminals = Terminals::with(&config);
    let id = terminals.open().await;
    terminals.send(&id, "true").await;
    let before = resident_bytes();
    for (what, flood) in [
        ("lines", "yes 0123456789 | head -c 8000000"),
        ("one line", "head -c 4000000 /dev/zero | tr '\\0' x"),
        (
            "a title without end",
            "printf '\\033]2;'; head -c 20000000 /dev/zero | tr '\\0' x; printf '\\a'",
        ),
        ("random bytes", "head -c 2000000 /dev/urandom; printf '\\033\\\\\\033c'"),
        ("questions", "yes $'\\033[6n' | head -c 400000 | tr -d '\\n'"),
    ] {
        let sent = terminals.send(&id, &format!("{flood}; echo; echo over")).await;
        assert_eq!(sent["waitReason"], "stdin_read", "{what}");
        assert!(sent["viewport"].as_str().unwrap().len() <= 256 * 1024, "{what}");
        // What the flood typed at the shell by way of answers is no command.
        terminals.press(&id, &["ctrl-c"]).await;
        let after = terminals.shown(&id, "echo fine").await;
        assert!(after.contains("fine"), "{what}: {after}");
    }
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 64 * 1024 * 1024, "{grown}");
}

#[tokio::test]
async fn pages_reach_back_as_far_as_lines_are_kept() {
    let mut config = Config::default();
    config.terminal.scrollback_max_lines = 1_000;
    let terminals = Terminals::with(&config);
    let id = terminals.open().await;
    terminals.send(&id, "seq 5000").await;
    let page = |offset: u64, count: u64| {
        terminals
            .value("terminal_read", json!({ "session_id": id, "offset": offset, "count": count }))
    };
    let newest = page(1, 2).await;
    assert_eq!((&newest["text"], &newest["truncated"]), (&json!("4999\n5000"), &json!(false)));
    let total = newest["totalLines"].as_u64().unwrap();
    assert!((1_001..=1_040).contains(&total), "{total}");
    let oldest: Value = page(total - 1, 50).await;
    assert_eq!((&oldest["lineEnd"], &oldest["truncated"]), (&json!(total), &json!(true)));
}
