//! The sweep at a program's exit: alone in its process, for it ends every command there.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::time::Duration;

use host_process::{Command, Spool, Status, Window, end_all};

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
    no_unkept_file_remains();
}

/// Whoever holds a result at the exit does not drop it.
fn no_unkept_file_remains() {
    let folder = tempfile::tempdir().unwrap();
    let window = Window { head_bytes: 10, tail_bytes: 10 };
    let spool = Spool { folder: folder.path().to_owned(), max_bytes: 1 << 20 };
    let long = |last: &str| {
        let script = format!("head -c 1000 /dev/zero; {last}");
        Command::shell(script).stdout(window).spool(spool.clone()).start()
    };
    let (kept, held) = (long("exit 0").wait().unwrap(), long("exit 0").wait().unwrap());
    let path = kept.stdout.spool().unwrap().keep().to_owned();
    let running: Vec<_> = (0..10).map(|_| long("sleep 100")).collect();
    while fs::read_dir(folder.path()).unwrap().count() < 12 {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(end_all(Duration::from_secs(10)), 0);
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(left, [path]);
    drop((kept, held, running));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
