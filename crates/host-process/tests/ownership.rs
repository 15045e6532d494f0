//! Nothing outlives its owner, however hard it tries and however that ends. Alone in its process, for it counts
//! the descriptors and threads there.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use host_process::{Command, Running, Spool, Status, Stop, TerminalSize, Window};

#[allow(dead_code, reason = "other tests use the rest")]
mod hard;
#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use hard::{Census, HARD, hard_to_end};
use support::{alive, block_on, new_mark, until};

#[test]
fn nothing_outlives_its_owner() {
    let before = Census::take();
    each("exit 0", before, |running, gate| {
        gate();
        let finished = running.wait().unwrap();
        assert_eq!((finished.status, finished.stopped), (Status::Exited(0), None));
        assert_eq!(finished.leftovers, HARD - 1);
    });
    each("exit 3", before, |running, gate| {
        gate();
        assert_eq!(running.wait().unwrap().status, Status::Exited(3));
    });
    each("sleep 100", before, |running, _| {
        assert_eq!(running.wait().unwrap().stopped, Some(Stop::Deadline));
    });
    each("sleep 100", before, |running, _| {
        running.stopper().stop();
        assert_eq!(running.wait().unwrap().stopped, Some(Stop::Cancelled));
    });
    each("sleep 100", before, |running, _| drop(running));
    each("sleep 100", before, |running, _| {
        let owner = std::thread::spawn(move || {
            let _running = running;
            panic!("the owner is gone");
        });
        assert!(owner.join().is_err());
    });
    on_terminal(before);
}

/// Runs a script, ends it with `end`, and counts what is left.
fn each(last: &str, before: Census, end: impl FnOnce(Running, &dyn Fn())) {
    let folder = tempfile::tempdir().unwrap();
    let mark = new_mark();
    let running = command(&mark, last, folder.path()).start();
    until(|| alive(&mark) >= HARD && files(folder.path()) == 1);
    end(running, &|| fs::write(folder.path().join("gate"), "").unwrap());
    until(|| alive(&mark) == 0);
    until(|| Census::take() == before);
    let _ = fs::remove_file(folder.path().join("gate"));
    assert_eq!(files(folder.path()), 0);
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

fn command(mark: &str, last: &str, folder: &Path) -> Command {
    let gate = "until [ -e gate ]; do sleep 0.01; done";
    let script = format!("head -c 1000 /dev/zero\n{}\n{gate}; {last}", hard_to_end(mark));
    let window = Window { head_bytes: 10, tail_bytes: 10 };
    let spool = Spool { folder: folder.to_owned(), max_bytes: 1 << 20 };
    Command::shell(script)
        .folder(folder)
        .stdout(window)
        .spool(spool)
        .deadline(Duration::from_millis(1500))
        .grace(Duration::from_millis(200))
}

fn on_terminal(before: Census) {
    for dropped in [true, false] {
        let mark = new_mark();
        let script = format!("{}\nsleep 100", hard_to_end(&mark));
        let command = Command::shell(script).grace(Duration::from_millis(200));
        let size = TerminalSize { rows: 24, columns: 80 };
        let terminal = command.open_terminal(size, |_: &[u8]| {}).unwrap();
        until(|| alive(&mark) >= HARD);
        if dropped {
            drop(terminal);
        } else {
            terminal.stopper().stop();
            block_on(terminal.closed());
            assert_eq!(alive(&mark), 0);
        }
        until(|| alive(&mark) == 0);
    }
    until(|| Census::take() == before);
}
