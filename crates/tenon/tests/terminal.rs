//! What a person at a terminal sees.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::{Folder, tenon};

/// Both ends of a terminal.
fn terminal() -> (File, File) {
    let master: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let path = std::ffi::OsStr::from_bytes(name.as_bytes());
    let slave = OpenOptions::new().read(true).write(true).open(path).unwrap();
    (File::from(master), slave)
}

/// Everything that was shown, once the program is gone.
fn shown(mut master: File) -> String {
    let (mut text, mut bytes) = (Vec::new(), [0; 4096]);
    // Linux reports the end of a terminal as an error.
    while let Ok(count @ 1..) = master.read(&mut bytes) {
        text.extend_from_slice(&bytes[..count]);
    }
    String::from_utf8(text).unwrap()
}

#[test]
fn a_long_call_shows_a_line_and_takes_it_away() {
    let folder = Folder::with(&[]);
    let file = File::create(folder.path().join("long.txt")).unwrap();
    std::io::Write::write_all(&mut &file, &b"line of text\n".repeat(1000)).unwrap();
    file.set_len(400 * 1024 * 1024 * 1024).unwrap();
    let (master, slave) = terminal();
    let mut command = folder.call(&["read", r#"{"file_path":"long.txt"}"#]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(slave);
    let mut child = command.spawn().unwrap();
    drop(command);
    std::thread::sleep(Duration::from_millis(2600));
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(id, Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let text = shown(master);
    assert!(text.contains("\r\x1b[Kread: 1 s"), "{text:?}");
    assert!(text.ends_with("\r\x1b[K"), "{text:?}");
}

#[test]
fn a_short_call_shows_nothing() {
    let folder = Folder::with(&[("a.txt", "a\n")]);
    let (master, slave) = terminal();
    let mut command = folder.call(&["read", r#"{"file_path":"a.txt"}"#]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(slave);
    assert!(command.status().unwrap().success());
    drop(command);
    assert_eq!(shown(master), "");
}

#[test]
fn a_pipe_is_never_sent_the_line() {
    let output = tenon().args(["tools"]).output().unwrap();
    assert!(output.stderr.is_empty());
}

/// Runs a call that asks, as the leader of a session on a terminal of its own, and answers it.
fn asked(answer: &str) -> (String, Option<i32>, String) {
    asked_after("", answer)
}

/// The same, with something typed before the program starts.
fn asked_after(typed: &str, answer: &str) -> (String, Option<i32>, String) {
    use std::io::Write as _;
    let folder = Folder::with(&[("a.txt", "a\n")]);
    folder.configure("[permissions]\nask = [\"read(file_path=a*)\"]\n");
    let inner = folder.call(&["read", r#"{"file_path":"a.txt"}"#]);
    let mut command = std::process::Command::new("setsid");
    command.args(["--ctty", "--wait"]).arg(inner.get_program()).args(inner.get_args());
    for (key, value) in inner.get_envs() {
        command.env(key, value.unwrap_or_default());
    }
    let (mut master, slave) = terminal();
    master.write_all(typed.as_bytes()).unwrap();
    command.stdin(slave).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    drop(command);
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    while !text.contains("Run it?") {
        let count = master.read(&mut bytes).unwrap();
        text.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
    }
    master.write_all(answer.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (text, output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let (question, code, _) = asked_after("y\n", "n\n");
    assert!(question.contains("Run it?"), "{question:?}");
    assert_eq!(code, Some(1));
}

#[test]
fn a_question_is_asked_at_the_terminal_and_its_answer_decides() {
    let (question, code, shown) = asked("y\n");
    assert!(question.contains(r#"read {"file_path":"a.txt"}"#), "{question:?}");
    assert!(question.contains("the rule `read(file_path=a*)` asks first. Run it?"), "{question:?}");
    assert_eq!(code, Some(0));
    assert!(shown.contains("1: a"), "{shown:?}");
    let (_, code, shown) = asked("n not now\n");
    assert_eq!(code, Some(1));
    assert_eq!(shown, "Error: the user did not approve this call: not now\n");
}

/// Runs `tenon trust` at a terminal and answers it; what it showed, and whether it then trusts.
fn trusting(answer: &str) -> (String, bool) {
    use std::io::Write as _;
    let folder = Folder::with(&[("tenon.toml", "[permissions]\nallow = [\"read\"]\n")]);
    let (mut master, slave) = terminal();
    let mut command = folder.tenon(&["trust"]);
    let slaves = [(); 2].map(|()| slave.try_clone().unwrap());
    let [stdout, stderr] = slaves;
    let mut child = command.stdin(slave).stdout(stdout).stderr(stderr).spawn().unwrap();
    drop(command);
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    while !text.contains("[y/N]") {
        let count = master.read(&mut bytes).unwrap();
        text.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
    }
    master.write_all(answer.as_bytes()).unwrap();
    child.wait().unwrap();
    let asks = folder.call(&["read", r#"{"file_path":"tenon.toml"}"#]).output().unwrap().stderr;
    (text, asks.is_empty())
}

#[test]
fn trust_is_asked_for_after_what_it_would_allow_was_shown() {
    let (shown, trusts) = trusting("y\n");
    let (before, _) = shown.split_once("Trust this?").unwrap();
    assert!(before.contains("allow `read`"), "{shown:?}");
    assert!(trusts);
    for answer in ["\n", "n\n", "\u{4}"] {
        assert!(!trusting(answer).1, "{answer:?}");
    }
}
