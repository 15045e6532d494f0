//! The sweep at a program's exit: alone in its process, for it ends every command there.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use host_process::{Command, Status, end_all};

#[test]
fn everything_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let deaf = |name: &str| {
        Command::shell(format!("trap '' TERM; : > {name}; while :; do sleep 1; done"))
            .folder(folder.path())
            .start()
    };
    let running = [deaf("a"), deaf("b")];
    while !(folder.path().join("a").exists() && folder.path().join("b").exists()) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(end_all(Duration::from_secs(10)), 0);
    for running in running {
        assert_eq!(running.wait().unwrap().status, Status::Signalled(9));
    }
    assert_eq!(end_all(Duration::from_secs(1)), 0);
}
