//! 200 MB from a command: memory, ends and counts, in a process of its own.

use std::process::Command;

use serde_json::json;

use crate::support::Workspace;

/// Set in the process that runs the command.
const INSIDE: &str = "TEST_LARGE_OUTPUT_INSIDE";
const LINES: u64 = 26_000_000;

/// The largest resident size this process ever had.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[tokio::test]
async fn two_hundred_megabytes_pass_in_bounded_memory() {
    if std::env::var_os(INSIDE).is_none() {
        let test = "large_output::two_hundred_megabytes_pass_in_bounded_memory";
        let mut again = Command::new(std::env::current_exe().unwrap());
        let ran = again.args(["--exact", test]).env(INSIDE, "1").output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let workspace = Workspace::new(&[]);
    // Nine bytes a line with two characters that are not ASCII; `ä` may lie across any cut.
    let command = format!("yes 'ä€ä' | head -n {LINES}; echo the end");
    let arguments = json!({ "command": command, "description": "test" });
    let outcome = workspace.call("bash", &arguments).await;
    let stdout = outcome.value().unwrap().json().to_value()["stdout"].take();
    let total = LINES * 8 + 8;
    assert!(total >= 200_000_000);
    assert_eq!(stdout["totalBytes"], total);
    let text = stdout["text"].as_str().unwrap();
    let omitted = stdout["omittedBytes"].as_u64().unwrap();
    assert!(!text.contains('\u{FFFD}'));
    assert!(text.starts_with("ä€ä\nä€ä\n") && text.ends_with("ä€ä\nthe end\n"));
    let row = format!("[{omitted} bytes left out]\n");
    let (head, tail) = text.split_once(&row).unwrap();
    // The line break before the row is the text's own or the row's.
    let shown = (head.len() + tail.len()) as u64;
    assert!(shown + omitted == total || shown + omitted == total + 1);
    let saved = std::fs::metadata(stdout["spillPath"].as_str().unwrap()).unwrap().len();
    assert_eq!(saved, 64 * 1024 * 1024);
    let peak = peak_bytes();
    assert!(peak < 64 * 1024 * 1024, "{peak} bytes");
}
