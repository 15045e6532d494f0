//! Looking for what a command left behind.

use std::fs;
use std::time::{Duration, Instant};

/// How many processes hold `mark` in their command line or environment, zombies included.
pub(crate) fn alive(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let processes = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok()));
    processes
        .filter(|entry| {
            ["cmdline", "environ"].iter().any(|name| {
                let bytes = fs::read(entry.path().join(name)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).contains(mark)
            })
        })
        .count()
}

/// Waits until something holds; the test fails when it does not within 20 s.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what} did not come to hold");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A command that runs `script`, in a process and with children that hold `mark` in their environment.
pub(crate) fn marked(mark: &str, script: &str) -> String {
    format!("export TEST_MARK={mark}; bash -c {}", quoted(script))
}

fn quoted(script: &str) -> String {
    format!("'{}'", script.replace('\'', r"'\''"))
}
