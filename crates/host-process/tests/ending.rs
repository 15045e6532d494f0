//! Nothing outlives its owner.

use std::time::{Duration, Instant};

use host_process::{Command, Environment, ProcessError, Running, Status, Stop};

use crate::support::{alive, until, zombies};

/// A script under a mark that everything it starts carries in its environment.
fn marked(mark: &str, script: &str) -> Command {
    Command::shell(script).environment(Environment::inherited().set("TEST_MARK", mark))
}

fn ends_everything(mark: &str, script: &str, started: usize, end: impl FnOnce(Running)) {
    let running = marked(mark, script).grace(Duration::from_millis(500)).start();
    until(|| alive(mark) >= started);
    end(running);
    until(|| alive(mark) == 0);
    // Those of other tests are waited for as well.
    until(|| zombies() == 0);
}

const CHILDREN: &str = "sleep 100 & (sleep 100 & sleep 100) & wait";
const DAEMON: &str = "setsid sh -c 'sleep 100 & setsid sleep 100 & wait' & sleep 100";
const ORPHAN: &str = "(setsid sh -c 'setsid sleep 100 & exit' &); sleep 100";
const DEAF: &str = "trap '' TERM; sleep 100 & while :; do sleep 1; done";

#[test]
fn dropping_the_owner_ends_the_tree() {
    ends_everything("mark-drop", CHILDREN, 4, drop);
}

#[test]
fn sessions_of_their_own_do_not_hide() {
    ends_everything("mark-daemon", DAEMON, 5, drop);
    ends_everything("mark-orphan", ORPHAN, 3, drop);
}

#[test]
fn what_ignores_the_signal_is_killed() {
    let begun = Instant::now();
    ends_everything("mark-deaf", DEAF, 2, |running| {
        running.stopper().stop();
        let finished = running.wait().unwrap();
        assert_eq!(finished.status, Status::Signalled(9));
        assert_eq!(finished.stopped, Some(Stop::Cancelled));
    });
    assert!(begun.elapsed() >= Duration::from_millis(500));
}

#[test]
fn what_is_stopped_ends_too() {
    ends_everything("mark-stopped", "sleep 100 & kill -STOP $!; kill -STOP $$", 2, drop);
}

#[test]
fn a_panic_of_the_owner_ends_the_tree() {
    let owner = std::thread::spawn(|| {
        let _running = marked("mark-panic", CHILDREN).start();
        until(|| alive("mark-panic") >= 4);
        panic!("the owner is gone");
    });
    assert!(owner.join().is_err());
    until(|| alive("mark-panic") == 0);
}

#[test]
fn after_the_exit_the_rest_is_ended_before_the_result() {
    for (mark, script) in [
        ("mark-left", "sleep 100 & exit 0"),
        ("mark-left-daemon", "(setsid sleep 100 >/dev/null 2>&1 &) ; sleep 0.1"),
    ] {
        let finished = marked(mark, script).start().wait().unwrap();
        assert_eq!((finished.status, finished.stopped), (Status::Exited(0), None), "{mark}");
        assert_eq!((finished.leftovers, alive(mark)), (1, 0), "{mark}");
    }
}

#[test]
fn many_runs_leave_nothing() {
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    marked("mark-many", "true").start().wait().unwrap();
    let before = (descriptors(), threads());
    for _ in 0..50 {
        marked("mark-many", "cat >/dev/null").stdin("x").start().wait().unwrap();
    }
    until(|| zombies() == 0 && descriptors() <= before.0 + 8 && threads() <= before.1 + 8);
    assert_eq!(alive("mark-many"), 0);
}

#[test]
fn stopping_later_lets_it_end_by_itself() {
    let running = Command::shell("sleep 0.1; exit 5").start();
    running.stopper().stop_after(Duration::from_secs(60));
    let finished = running.wait().unwrap();
    assert_eq!((finished.status, finished.stopped), (Status::Exited(5), None));
    let running = Command::shell("sleep 100").start();
    running.stopper().stop_after(Duration::from_millis(100));
    running.stopper().stop_after(Duration::from_secs(100));
    assert_eq!(running.wait().unwrap().stopped, Some(Stop::Cancelled));
}

#[test]
fn a_stop_before_the_start_is_told_or_obeyed() {
    for _ in 0..20 {
        let running = Command::shell("sleep 100").start();
        running.stopper().stop();
        match running.wait() {
            Err(ProcessError::NotStarted) => {}
            Ok(finished) => assert_eq!(finished.stopped, Some(Stop::Cancelled)),
            Err(other) => panic!("{other}"),
        }
    }
}
