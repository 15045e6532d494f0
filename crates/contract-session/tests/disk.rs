//! Disks that are full and directories that are read-only: a clear error, earlier entries intact.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use contract_session::{Event, LogFormat, Record, code};

use crate::child;
use crate::support::{Store, entries, id, result, sessions, store, user};

each_format!(
    l6_a_full_disk_fails_the_append_and_keeps_what_was_there,
    l6_a_file_system_without_room_fails_the_append,
    l6_entries_that_belong_together_are_all_there_or_none_is,
);

/// A user without rights.
const NOBODY: u32 = 65_534;

fn told(command: &mut Command) -> Vec<String> {
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}");
    text.lines().map(str::to_owned).collect()
}

/// What was acknowledged is there, whole, and nothing else; the log can be continued.
fn check_filled(root: &Path, format: LogFormat, told: &[String]) {
    let (acknowledged, errors): (Vec<_>, Vec<_>) =
        told.iter().partition(|line| line.bytes().all(|byte| byte.is_ascii_digit()));
    let [error] = &errors[..] else { panic!("{errors:?}") };
    assert!(error.starts_with(code::SESSION_WRITE_FAILED), "{error}");
    assert!(error.contains("earlier entries are intact"), "{error}");
    assert!(acknowledged.len() > 20, "{told:?}");
    let sessions = sessions(root, format);
    assert_eq!(entries(&sessions, "s").len(), acknowledged.len() + 1);
    let opened = sessions.resume(&id("s")).unwrap();
    assert_eq!(opened.recovery, None);
    opened.journal.append(&user("room again")).unwrap();
    assert_eq!(entries(&sessions, "s").len(), acknowledged.len() + 2);
}

fn l6_a_full_disk_fails_the_append_and_keeps_what_was_there(format: LogFormat) {
    let store = store(format);
    drop(store.journal());
    let role = format!("fill{}", child::suffix(format));
    let told = told(&mut child::limited(&role, store.root.path(), 300));
    check_filled(store.root.path(), format, &told);
}

/// At every limit, so that the first of a pair has room somewhere and the second has not.
fn l6_entries_that_belong_together_are_all_there_or_none_is(format: LogFormat) {
    for blocks in [100, 101, 102] {
        let store = store(format);
        drop(store.journal());
        let role = format!("fill-together{}", child::suffix(format));
        let told = told(&mut child::limited(&role, store.root.path(), blocks));
        let pairs = told.iter().take_while(|line| !line.starts_with("SESSION_")).count();
        assert!(pairs > 5, "{told:?}");
        assert_eq!(told[0], "2 3");
        assert!(told[pairs].starts_with(code::SESSION_WRITE_FAILED), "{told:?}");
        // The log goes on behind the last pair that is whole.
        store.journal().append(&result("last", "")).unwrap();
        let entries = store.entries();
        let calls: Vec<_> = entries
            .iter()
            .filter_map(|entry| match entry.event() {
                Some(Event::ToolResult(result)) => Some(result.call_id.as_str()),
                _ => None,
            })
            .collect();
        let mut expected = ["small", "big"].repeat(pairs);
        expected.push("last");
        assert_eq!(calls, expected);
    }
}

/// A real file system of 256 KiB, where this machine lets its users mount one.
fn l6_a_file_system_without_room_fails_the_append(format: LogFormat) {
    let root = tempfile::tempdir().unwrap();
    let kept = tempfile::tempdir().unwrap();
    let namespace = ["--map-root-user", "--mount", "--"];
    let allowed =
        Command::new("unshare").args(namespace).arg("true").stderr(Stdio::null()).status();
    if !allowed.is_ok_and(|status| status.success()) {
        println!("not shown here: no user may mount a file system");
        return;
    }
    let role = format!("fill{}", child::suffix(format));
    let inner = child::command(&role, root.path());
    let mut command = Command::new("unshare");
    // The namespace and its files end with the process, so they are copied out.
    let script = "mount -t tmpfs -o size=256k none \"$1\" && d=$1 k=$2 && shift 2 && \"$@\"; \
                  s=$?; cp -r \"$d/.\" \"$k\"; exit $s";
    command.args(namespace).args(["sh", "-c", script, "sh"]).arg(root.path()).arg(kept.path());
    command.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap());
    }
    check_filled(kept.path(), format, &told(&mut command));
}

/// Runs the role `open` as someone who has no rights beyond the file modes.
fn as_plain_user(root: &Path) -> Vec<String> {
    let public = tempfile::tempdir().unwrap();
    fs::set_permissions(public.path(), Permissions::from_mode(0o755)).unwrap();
    let program = public.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let mut command = child::command_of(&program, "open", root);
    command.current_dir("/");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    told(&mut command)
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Sets the modes of everything under `path`, and hands it to the plain user.
fn hand_over(path: &Path, directory: u32, file: u32) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            hand_over(&entry.unwrap().path(), directory, file);
        }
    }
    let mode = if path.is_dir() { directory } else { file };
    if is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_state_directory_that_cannot_be_made_is_named() {
    let outer = tempfile::tempdir().unwrap();
    hand_over(outer.path(), 0o500, 0o400);
    let told = as_plain_user(&outer.path().join("state"));
    let [error] = &told[..] else { panic!("{told:?}") };
    assert!(error.starts_with("SESSION_IO: cannot create the directory "), "{error}");
    assert!(error.contains("/state: Permission denied"), "{error}");
    hand_over(outer.path(), 0o700, 0o600);
}

#[test]
fn a_read_only_session_can_be_read_and_says_why_it_cannot_be_written() {
    let store: Store = store(LogFormat::JsonLines);
    let journal = store.journal();
    journal.append(&user("kept")).unwrap();
    journal.close().unwrap();
    hand_over(store.root.path(), 0o500, 0o400);
    let told = as_plain_user(store.root.path());
    let [start, resume, read, list] = &told[..] else { panic!("{told:?}") };
    assert!(start.starts_with("SESSION_IO: cannot create the directory "), "{start}");
    assert!(resume.starts_with("SESSION_IO: cannot lock "), "{resume}");
    assert!(resume.ends_with("/lock: Permission denied (os error 13)"), "{resume}");
    assert_eq!((&**read, &**list), ("ok 2 entries", "ok 1 sessions"));
    hand_over(store.root.path(), 0o700, 0o600);
    let entries = store.entries();
    assert_eq!(entries[1].record, Record::Event(user("kept")));
}
