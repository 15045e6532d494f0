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
    until_served(&child);
    assert!(child.try_wait().unwrap().is_none(), "the call must still run");
    child
}

/// Waits until the program serves SIGTERM, and a moment more, in which the call begins.
fn until_served(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    let patience = Instant::now() + Duration::from_secs(20);
    let serves = || {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        caught.unwrap_or_default() & (1 << (Signal::TERM.as_raw() - 1)) != 0
    };
    while !serves() {
        assert!(Instant::now() < patience, "the program serves no signal");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
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
    until_served(&child);
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

/// A library whose `fdatasync` waits at the third call, the one that makes a result safe: it makes the file
/// `$HELD.reached` and goes on when `$HELD` is gone.
const SLOW_DISK: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int fdatasync(int fd) {
    static int calls;
    const char *held = getenv("HELD");
    char reached[4096];
    if (held && __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == 3) {
        snprintf(reached, sizeof reached, "%s.reached", held);
        close(open(reached, O_CREAT | O_WRONLY, 0600));
        while (access(held, F_OK) == 0) usleep(1000);
    }
    return syscall(SYS_fdatasync, fd);
}
"#;

/// A call whose result is being logged on a disk that takes its time, until the second of the pair is removed.
fn slow_log(folder: &Folder) -> (Child, std::path::PathBuf) {
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("slow.c"), SLOW_DISK).unwrap();
    std::fs::write(at("held"), "").unwrap();
    let mut compile = std::process::Command::new("cc");
    compile.args(["-shared", "-fPIC", "-o"]).args([at("slow.so"), at("slow.c")]);
    assert!(compile.status().unwrap().success());
    let mut command =
        folder.call(&["read", r#"{"file_path":"slow.c","limit":1}"#, "--session", "s1"]);
    command.env("LD_PRELOAD", at("slow.so")).env("HELD", at("held"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_until(|| at("held.reached").exists());
    (child, at("held"))
}

/// Waits for an event, for half a minute at most.
fn wait_until(happened: impl Fn() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(30), "it did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether the process has taken all signals that were sent to it, and all its threads wait again.
fn served(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let taken = |name| status.lines().any(|line| line == format!("{name}:\t0000000000000000"));
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    let mut waits = threads.map(|thread| {
        let stat = std::fs::read_to_string(thread.unwrap().path().join("stat")).unwrap();
        stat.rsplit_once(") ").unwrap().1.starts_with('S')
    });
    taken("SigPnd") && taken("ShdPnd") && waits.all(|waits| waits)
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_while_the_result_is_logged_lets_it_be_logged_and_shown() {
    let folder = Folder::with(&[]);
    let (child, held) = slow_log(&folder);
    send(&child, Signal::TERM);
    wait_until(|| served(&child));
    std::fs::remove_file(held).unwrap();
    let (status, stdout, stderr) = ended(child);
    assert_eq!((status.code(), stderr.as_str()), (Some(143), ""), "{stdout}");
    assert!(!stdout.is_empty());
    let replay = crate::support::run(&mut folder.tenon(&["replay", "s1"]));
    assert_eq!(replay.stdout, stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn a_second_signal_while_the_result_is_logged_ends_at_once() {
    let folder = Folder::with(&[]);
    let (child, _held) = slow_log(&folder);
    send(&child, Signal::TERM);
    wait_until(|| served(&child));
    send(&child, Signal::INT);
    let (status, stdout, _) = ended(child);
    assert!(matches!(status.code(), Some(130 | 143)), "{status}");
    assert_eq!(stdout, "");
}
