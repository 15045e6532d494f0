//! How a running call is ended.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::Folder;

/// A folder with a file that takes long to read: text at its start, then a hole of many gigabytes.
fn folder() -> Folder {
    let folder = Folder::with(&[]);
    let mut file = File::create(folder.path().join("long.txt")).unwrap();
    file.write_all(&b"line of text\n".repeat(1000)).unwrap();
    file.set_len(400 * 1024 * 1024 * 1024).unwrap();
    folder
}

/// A call that runs for long, given the time to start.
fn long_call(folder: &Folder) -> Child {
    let mut command = folder.call(&["read", r#"{"file_path":"long.txt"}"#]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "the call must still run");
    child
}

fn send(child: &Child, signal: Signal) {
    let id = i32::try_from(child.id()).unwrap();
    kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
}

/// What the program wrote and how it ended, within a few seconds.
fn ended(child: Child) -> (ExitStatus, String, String) {
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(10), "took {:?}", start.elapsed());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status, text(output.stdout), text(output.stderr))
}

#[test]
fn an_interrupt_cancels_the_call() {
    let folder = folder();
    let child = long_call(&folder);
    send(&child, Signal::INT);
    let (status, stdout, stderr) = ended(child);
    assert_eq!((status.code(), status.signal()), (Some(130), None), "{stdout}{stderr}");
    assert!(stdout.starts_with("Error: "), "{stdout}");
    assert_eq!(stderr, "");
}

#[test]
fn a_termination_cancels_the_call() {
    let folder = folder();
    let child = long_call(&folder);
    send(&child, Signal::TERM);
    let (status, stdout, _) = ended(child);
    assert_eq!((status.code(), status.signal()), (Some(143), None));
    assert!(stdout.starts_with("Error: "), "{stdout}");
}

#[test]
fn a_hang_up_cancels_the_call_unless_it_was_to_be_ignored() {
    let folder = folder();
    let child = long_call(&folder);
    send(&child, Signal::HUP);
    assert_eq!(ended(child).0.code(), Some(129));

    let inner = folder.call(&["read", r#"{"file_path":"long.txt"}"#]);
    let mut command = std::process::Command::new("nohup");
    command.arg(inner.get_program()).args(inner.get_args());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (key, value) in inner.get_envs() {
        command.env(key, value.unwrap_or_default());
    }
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    send(&child, Signal::HUP);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "a hang-up was to be ignored");
    send(&child, Signal::TERM);
    assert_eq!(ended(child).0.code(), Some(143));
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let folder = folder();
    let child = long_call(&folder);
    // Both may arrive before the first is served; then one of them has ended the call.
    send(&child, Signal::INT);
    send(&child, Signal::TERM);
    let (status, ..) = ended(child);
    assert!(matches!(status.code(), Some(130 | 143)), "{status}");
}

#[test]
fn a_signal_ends_the_program_while_nobody_reads_its_output() {
    let rows: String = (0..20_000).map(|row| format!("row number {row}\n")).collect();
    let folder = Folder::with(&[("rows.txt", &rows)]);
    let mut command = folder.call(&["grep", r#"{"pattern":"row"}"#, "--format", "value"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1000));
    assert!(child.try_wait().unwrap().is_none(), "the output must not fit the pipe");
    send(&child, Signal::TERM);
    let start = Instant::now();
    let status = child.wait().unwrap();
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(status.code(), Some(143));
}
