//! When this program itself is killed, nothing of its commands is left. The test starts itself once more, as the
//! program that is killed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::Child;

use host_process::{Command, Confinement, Environment, Spool, TerminalSize, Window};
use rustix::process::{Pid, Signal, kill_process};

#[allow(dead_code, reason = "other tests use the rest")]
mod hard;
#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use hard::{HARD, hard_to_end};
use support::{alive, new_mark, until};

/// The folder for files and the mark, in the program to be killed.
const FOLDER: &str = "KILLED_HOST_FOLDER";
const MARK: &str = "KILLED_HOST_MARK";

#[test]
fn a_killed_program_leaves_nothing() {
    if let (Some(folder), Ok(mark)) = (std::env::var_os(FOLDER), std::env::var(MARK)) {
        be_the_program(Path::new(&folder), &mark);
    }
    for (signal, stopped) in [(Signal::KILL, false), (Signal::TERM, false), (Signal::KILL, true)] {
        let folder = tempfile::tempdir().unwrap();
        let mark = new_mark();
        let mut program = program(folder.path(), &mark);
        // A spool and two private folders. The program and its two wardens have the mark in their environment.
        until(|| alive(&mark) >= 2 * HARD + 3 && files(folder.path()) == 3);
        // As a command may do that is not confined.
        let stopped = if stopped { wardens(&program) } else { Vec::new() };
        assert!(stopped.iter().all(|warden| kill_process(*warden, Signal::STOP).is_ok()));
        kill_process(Pid::from_child(&program), signal).unwrap();
        program.wait().unwrap();
        until(|| alive(&mark) == 0 && files(folder.path()) == 0);
    }
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

fn wardens(program: &Child) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{}/task", program.id())).unwrap();
    let children =
        threads.map(|thread| fs::read_to_string(thread.unwrap().path().join("children")));
    let children: String = children.map(Result::unwrap).collect();
    let found: Vec<Pid> = children
        .split_ascii_whitespace()
        .map(|id| Pid::from_raw(id.parse().unwrap()).unwrap())
        .collect();
    assert_eq!(found.len(), 2);
    found
}

fn program(folder: &Path, mark: &str) -> Child {
    let mut program = std::process::Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "a_killed_program_leaves_nothing"]);
    program.env(FOLDER, folder).env(MARK, mark).spawn().unwrap()
}

fn be_the_program(folder: &Path, mark: &str) -> ! {
    let script = format!("head -c 1000 /dev/zero\n{}\nsleep 100", hard_to_end(mark));
    let window = Window { head_bytes: 10, tail_bytes: 10 };
    let spool = Spool { folder: folder.to_owned(), max_bytes: 1 << 20 };
    // The mark is to be found on command lines only.
    let command = Command::shell(script)
        .environment(Environment::empty())
        .confine(Confinement::read_only().temporary(folder));
    let _running = command.clone().stdout(window).spool(spool).start();
    let size = TerminalSize { rows: 24, columns: 80 };
    let _terminal = command.open_terminal(size, |_: &[u8]| {}).unwrap();
    loop {
        std::thread::park();
    }
}
