//! Trees that move or grow while they are ended, and commands that turn on their warden.

use std::fs;
use std::time::{Duration, Instant};

use host_process::{Command, Running, Status, Stop};

use crate::support::{alive, new_mark, run, until};

fn start(script: &str) -> Running {
    Command::shell(script).grace(Duration::from_millis(50)).start()
}

#[test]
fn a_tree_that_is_never_where_it_was_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let trail = folder.path().join("trail");
    let chain = folder.path().join("chain");
    // Each starts the next in a session of its own, without an environment, and is gone.
    let body =
        format!("echo >> {0}\nenv -i setsid sh {1} & exit\n", trail.display(), chain.display());
    fs::write(&chain, body).unwrap();
    let length = || fs::metadata(&trail).map_or(0, |found| found.len());
    let chain = chain.display();
    let running = start(&format!("for i in 1 2 3 4; do sh {chain} & done; sleep 100"));
    until(|| length() > 100);
    running.stopper().stop();
    running.wait().unwrap();
    let after = length();
    assert_eq!(alive(&chain.to_string()), 0);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(length(), after);
}

#[test]
fn a_storm_of_sessions_is_ended_as_a_whole() {
    let mark = new_mark();
    let folder = tempfile::tempdir().unwrap();
    let storm = folder.path().join("storm");
    let body = "[ $1 -gt 0 ] || exec sleep $2\n\
        trap '' TERM\n\
        for i in 1 2; do env -i setsid sh $0 $(($1 - 1)) $2 & done\nwait\n";
    fs::write(&storm, body).unwrap();
    // 2^7 leaves under as many parents.
    let running = start(&format!("sh {} 7 {mark}", storm.display()));
    until(|| alive(&mark) > 255);
    let begun = Instant::now();
    drop(running);
    until(|| alive(&mark) == 0);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn a_command_that_kills_its_warden_ends_with_its_tree() {
    let mark = new_mark();
    let running = start(&format!("setsid sleep {mark} & kill -9 $PPID; sleep 100"));
    assert!(running.wait().is_err());
    until(|| alive(&mark) == 0);
}

#[test]
fn a_command_that_stops_its_warden_is_ended_all_the_same() {
    let mark = new_mark();
    let running = start(&format!("setsid sleep {mark} & kill -STOP $PPID; sleep 100"));
    until(|| alive(&mark) == 2);
    running.stopper().stop();
    assert_eq!(running.wait().unwrap().stopped, Some(Stop::Cancelled));
    assert_eq!(alive(&mark), 0);
}

#[test]
fn the_end_of_a_command_that_stops_its_warden_is_told() {
    let command = Command::shell("read -r go; kill -STOP $PPID; exit 3").stdin("go\n");
    // It reads once its start was told.
    let finished = command.deadline(Duration::from_secs(20)).start().wait().unwrap();
    assert_eq!((finished.status, finished.stopped), (Status::Exited(3), None));
}

#[test]
fn the_warden_holds_nothing_of_the_command() {
    // Neither its pipes nor its folder, and none of this program's descriptors.
    let folder = tempfile::tempdir().unwrap();
    // It closes them once the command is what it is to be.
    let waits = "until [ $(ls /proc/$PPID/fd | wc -l) = 2 ]; do sleep 0.01; done";
    let command = Command::shell(format!(
        "{waits}; ls -l /proc/$PPID/fd /proc/$PPID/cwd; cat /proc/$PPID/comm"
    ));
    let command = command.deadline(Duration::from_secs(10));
    let held = command.folder(folder.path()).start().wait().unwrap().stdout.text();
    let links: Vec<&str> = held.lines().filter(|line| line.contains("->")).collect();
    assert_eq!(links.iter().filter(|link| link.contains("socket:")).count(), 1, "{held}");
    assert_eq!(links.iter().filter(|link| link.contains("signalfd")).count(), 1, "{held}");
    assert!(links.iter().any(|link| link.ends_with("cwd -> /")), "{held}");
    assert_eq!(links.len(), 3, "{held}");
    assert!(held.ends_with("host-warden\n"), "{held}");
}

#[test]
fn the_command_has_no_signal_blocked() {
    let blocked = run("grep SigBlk /proc/self/status").stdout.text();
    assert_eq!(blocked, "SigBlk:\t0000000000000000\n");
    assert_eq!(run("kill -TERM $$").status, Status::Signalled(15));
}
