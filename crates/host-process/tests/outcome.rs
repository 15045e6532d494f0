//! What is told of a command that ended.

use std::error::Error as _;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use host_process::{Command, Environment, ProcessError, Status, Stop, Window};

use crate::support::{block_on, run};

#[test]
fn exit_codes_and_signals_are_told_apart() {
    for code in [0, 1, 2, 3, 126, 127, 255] {
        assert_eq!(run(&format!("exit {code}")).status, Status::Exited(code));
    }
    assert_eq!(run("no_such_command_here").status, Status::Exited(127));
    for signal in [6, 9, 15] {
        let finished = run(&format!("kill -{signal} $$"));
        assert_eq!((finished.status, finished.stopped), (Status::Signalled(signal), None));
    }
}

#[test]
fn streams_are_apart_and_need_not_be_text() {
    let finished = run(r"printf 'a\377b'; printf 'c' >&2");
    assert_eq!(finished.stdout.whole().unwrap(), b"a\xffb");
    assert_eq!(finished.stdout.text(), "a\u{fffd}b");
    assert_eq!(finished.stderr.text(), "c");
}

#[test]
fn a_long_stdout_takes_nothing_from_a_short_stderr() {
    let script =
        "i=0; while [ $i -lt 500 ]; do echo $i; i=$((i+1)); done; printf '1\\n2\\n3\\n' >&2";
    let window = Window { head_bytes: 100, tail_bytes: 100 };
    let command = Command::shell(script).stdout(window).stderr(window);
    let finished = command.start().wait().unwrap();
    assert_eq!(finished.stderr.text(), "1\n2\n3\n");
    let lengths: usize = (0..500).map(|i: u32| i.to_string().len() + 1).sum();
    assert_eq!(finished.stdout.omitted_bytes(), lengths as u64 - 200);
    assert!(finished.stdout.text().ends_with("498\n499\n"));
}

#[test]
fn arguments_reach_the_program_as_they_are() {
    let finished = Command::argv("/bin/echo", ["$HOME", "a  b", ";"]).start().wait().unwrap();
    assert_eq!(finished.stdout.text(), "$HOME a  b ;\n");
}

#[test]
fn a_large_stdin_crosses_a_large_output() {
    let input = vec![b'x'; 3_000_000];
    let window = Window { head_bytes: 4_000_000, tail_bytes: 0 };
    let finished =
        Command::shell("cat").stdin(input.clone()).stdout(window).start().wait().unwrap();
    assert_eq!(finished.stdout.whole().unwrap(), input);
}

#[test]
fn a_command_need_not_read_its_stdin() {
    let finished = Command::shell("exit 4").stdin(vec![b'x'; 1_000_000]).start().wait().unwrap();
    assert_eq!(finished.status, Status::Exited(4));
    let nothing = Command::shell("cat").start().wait().unwrap();
    assert_eq!(nothing.stdout.total_bytes(), 0);
}

#[test]
fn folder_and_environment_are_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment::empty().set("SHOWN", "yes").set("A_TOKEN", "set");
    let finished = Command::shell("pwd -P; echo $SHOWN $A_TOKEN; echo ${HOME-none}")
        .folder(folder.path())
        .environment(environment)
        .start()
        .wait()
        .unwrap();
    let path = folder.path().canonicalize().unwrap();
    assert_eq!(finished.stdout.text(), format!("{}\nyes set\nnone\n", path.display()));
}

#[test]
fn what_cannot_start_says_why() {
    let missing = Command::argv("/no/such/program", [""; 0]).start().wait().unwrap_err();
    assert!(
        matches!(&missing, ProcessError::Start { program, .. } if program == "/no/such/program")
    );
    let folder = Command::shell("true").folder("/no/such/folder").start().wait().unwrap_err();
    assert_eq!(folder.to_string(), "the folder /no/such/folder cannot be used");
    let file = tempfile::NamedTempFile::new().unwrap();
    let folder = Command::shell("true").folder(file.path()).start().wait().unwrap_err();
    assert!(matches!(folder, ProcessError::Folder { .. }));
    let long = Command::shell(format!("true {}", "x".repeat(200_000))).start().wait().unwrap_err();
    assert!(matches!(long, ProcessError::Start { .. }));
}

#[test]
fn programs_are_found_as_the_system_finds_them() {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str, mode| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "echo \"$0 of $1\"\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let (hidden, found) = (make("a/mine", 0o600), make("b/mine", 0o700));
    let parents = [Path::new("/no/such/folder"), hidden.parent().unwrap(), found.parent().unwrap()];
    let start = |program: &Path, parents: &[&Path]| {
        let path = std::env::join_paths(parents).unwrap();
        let command = Command::argv(program, ["me"]);
        command.environment(Environment::empty().set("PATH", path)).start().wait()
    };
    // By the PATH that it is given, and a script without a first line for the shell.
    let finished = start(Path::new("mine"), &parents).unwrap();
    assert_eq!(finished.stdout.text(), format!("{} of me\n", found.display()));
    let fault = |program: &Path, parents: &[&Path]| {
        let error = start(program, parents).unwrap_err();
        assert!(matches!(error, ProcessError::Start { .. }), "{error}");
        error.source().unwrap().downcast_ref::<std::io::Error>().unwrap().kind()
    };
    assert_eq!(fault(Path::new("mine"), &parents[..2]), ErrorKind::PermissionDenied);
    assert_eq!(fault(Path::new("mine"), &parents[..1]), ErrorKind::NotFound);
    assert_eq!(fault(&hidden, &parents), ErrorKind::PermissionDenied);
    assert_eq!(fault(Path::new("a\0b"), &parents), ErrorKind::InvalidInput);
}

#[test]
fn a_hang_ends_at_the_deadline() {
    let finished = Command::shell("echo first; sleep 100")
        .deadline(Duration::from_millis(200))
        .start()
        .wait()
        .unwrap();
    assert_eq!(finished.stopped, Some(Stop::Deadline));
    assert_eq!(finished.status, Status::Signalled(15));
    assert_eq!(finished.stdout.text(), "first\n");
    assert!(finished.duration < Duration::from_secs(5));
}

#[test]
fn catching_the_signal_is_a_stop_all_the_same() {
    let finished = Command::shell("trap 'echo caught; exit 0' TERM; while :; do sleep 0.01; done")
        .deadline(Duration::from_millis(300))
        .start()
        .wait()
        .unwrap();
    assert_eq!((finished.status, finished.stopped), (Status::Exited(0), Some(Stop::Deadline)));
    assert_eq!(finished.stdout.text(), "caught\n");
}

#[test]
fn a_hundred_megabytes_take_bounded_memory() {
    let before = peak_bytes();
    let finished = run("head -c 104857600 /dev/zero; head -c 104857600 /dev/zero >&2; echo end");
    let grown = peak_bytes().saturating_sub(before);
    assert_eq!(finished.stdout.total_bytes(), 104_857_604);
    assert_eq!(finished.stderr.total_bytes(), 104_857_600);
    assert_eq!(finished.stdout.omitted_bytes(), 104_857_604 - 64 * 1024);
    assert!(finished.stdout.tail().ends_with(b"\0end\n"));
    assert!(grown < 16 << 20, "grown by {grown} bytes");
}

/// The largest resident size this process ever had.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let kilobytes: u64 = line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

#[test]
fn a_child_that_holds_the_pipe_is_not_waited_for() {
    let begun = Instant::now();
    let finished = run("sleep 100 & echo hi");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!((finished.status, finished.stdout.text().as_str()), (Status::Exited(0), "hi\n"));
    assert_eq!(finished.leftovers, 1);
}

#[test]
fn it_is_a_future_that_needs_no_runtime() {
    let both = futures_util::future::join(
        Command::shell("sleep 0.5; echo a").start(),
        Command::shell("sleep 0.5; echo b").start(),
    );
    let begun = Instant::now();
    let (a, b) = block_on(both);
    assert_eq!(a.unwrap().stdout.text() + &b.unwrap().stdout.text(), "a\nb\n");
    assert!(begun.elapsed() < Duration::from_millis(900), "{:?}", begun.elapsed());
}
