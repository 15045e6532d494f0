//! `tenon call bash`: what it prints, and that nothing is left when it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Folder, run};

fn bash(command: &str) -> String {
    json!({ "command": command, "description": "test" }).to_string()
}

/// How many processes hold `mark` in their command line or environment.
pub(crate) fn alive(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let holds = |path: PathBuf| {
        ["cmdline", "environ"].iter().any(|name| {
            let bytes = fs::read(path.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(mark)
        })
    };
    entries.filter(|entry| holds(entry.path())).count()
}

pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what} did not come to hold");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A call whose command has children of every kind, once all of them run.
fn running(folder: &Folder, mark: &str) -> Child {
    let script = "seq 1000000; sleep 100 & setsid sh -c 'setsid sleep 100 & wait' & (setsid sleep 100 &); \
                  sleep 100 & kill -STOP $!; (trap '' TERM HUP INT; while :; do sleep 0.1; done) & \
                  (setsid env -i /bin/bash -c 'exec -a MARK sleep 100' &); touch made; sleep 100";
    let command = format!("export TEST_MARK={mark}; {}", script.replace("MARK", mark));
    let mut call = folder.call(&["bash", &bash(&command)]);
    call.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = call.spawn().unwrap();
    until("the command runs", || folder.path().join("made").exists());
    child
}

pub(crate) fn send(child: &Child, signal: Signal) {
    let id = i32::try_from(child.id()).unwrap();
    kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
}

/// All files under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let inside = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flatten().flat_map(|entry| inside(entry.path())).collect()
}

#[test]
fn a_command_is_run_in_the_folder() {
    let folder = Folder::with(&[("a.txt", "")]);
    let ran = run(&mut folder.call(&["bash", &bash("ls; exit 3")]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "a.txt\n[exit code: 3]\n"));
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_long_output_can_be_read_by_a_later_call() {
    let folder = Folder::with(&[]);
    for session in [None, Some("s-1")] {
        let (arguments, mut words) = (bash("seq 1000000"), vec!["bash"]);
        words.extend([arguments.as_str(), "--format", "value"]);
        if let Some(session) = session {
            words.extend(["--session", session]);
        }
        let value: Value = run(&mut folder.call(&words)).json();
        let path = value["stdout"]["spillPath"].as_str().unwrap();
        assert!(Path::new(path).starts_with(folder.state().join("spills")), "{path}");
        let read = json!({ "file_path": path, "offset": 654_321, "limit": 1 }).to_string();
        let read = run(&mut folder.call(&["read", &read, "--format", "value"])).json();
        assert_eq!(read["lines"][0]["text"], "654321");
        assert_eq!(read["totalLines"], 1_000_000);
    }
}

#[test]
fn a_background_command_ends_with_the_call_which_says_so() {
    let folder = Folder::with(&[]);
    let mark = "mark-tenon-background";
    let arguments = json!({
        "command": format!("export TEST_MARK={mark}; bash -c 'setsid sleep 100 & sleep 100'"),
        "description": "test",
        "run_in_background": true,
    });
    let ran = run(&mut folder.call(&["bash", &arguments.to_string()]));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("bash-1, which ended with this call"), "{ran:?}");
    assert_eq!(alive(mark), 0);
    let ran = run(&mut folder.call(&["job_list"]));
    assert_eq!(ran.stdout, "(no background jobs)\n");
}

#[test]
fn a_termination_leaves_no_process_and_no_file() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let folder = Folder::with(&[]);
        let mark = format!("mark-tenon-{code}");
        let child = running(&folder, &mark);
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(
            stdout.starts_with("Error: the call was cancelled; the command had run for"),
            "{stdout}"
        );
        assert_eq!(alive(&mark), 0);
        let left = files(&folder.state());
        assert!(left.iter().all(|path| path.ends_with(".lock")), "{left:?}");
    }
}

#[test]
fn a_second_termination_leaves_no_process() {
    let folder = Folder::with(&[]);
    let mark = "mark-tenon-twice";
    let child = running(&folder, mark);
    send(&child, Signal::TERM);
    send(&child, Signal::TERM);
    child.wait_with_output().unwrap();
    until("nothing is left", || alive(mark) == 0);
}

#[test]
fn a_program_that_is_killed_takes_the_command_along() {
    let folder = Folder::with(&[]);
    let mark = "mark-tenon-killed";
    let mut child = running(&folder, mark);
    child.kill().unwrap();
    child.wait().unwrap();
    until("nothing is left", || alive(mark) == 0);
}

#[test]
fn a_command_sees_no_credentials_unless_the_user_lets_it() {
    let folder = Folder::with(&[("tenon.toml", "[commands]\nenvironment = [\"THEIR_TOKEN\"]\n")]);
    let command = "echo ${MY_API_KEY-none} ${THEIR_TOKEN-none} ${PLAIN-none} ${TENON_LEFT-none}";
    let call = || {
        let mut call = folder.call(&["bash", &bash(command)]);
        call.env("MY_API_KEY", "k")
            .env("THEIR_TOKEN", "t")
            .env("PLAIN", "p")
            .env("TENON_LEFT", "l");
        run(&mut call)
    };
    let ran = call();
    assert_eq!(ran.stdout, "none none p none\n");
    assert!(ran.stderr.contains("show commands the variable THEIR_TOKEN"), "{ran:?}");
    folder.configure("[commands]\nenvironment = [\"MY_API_KEY\"]\n");
    assert_eq!(call().stdout, "k none p none\n");
    assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
    assert_eq!(call().stdout, "k t p none\n");
}

#[test]
fn access_from_the_configuration_reaches_a_command() {
    let cache = tempfile::tempdir_in("/var/tmp").unwrap();
    let writable = format!("writable_roots = [{:?}]", cache.path());
    let folder = Folder::with(&[("tenon.toml", &format!("[access]\n{writable}\n"))]);
    let command = format!("echo x > {}/new", cache.path().display());
    let ran = run(&mut folder.call(&["bash", &bash(&command)]));
    assert!(
        ran.stdout.contains("the configuration key access.writable_roots can allow"),
        "{ran:?}"
    );
    assert!(
        ran.stderr.contains("write to /var/tmp/") && ran.stderr.contains("tenon trust"),
        "{ran:?}"
    );
    folder.configure(&format!("[access]\n{writable}\nnetwork = false\n"));
    let ran = run(&mut folder.call(&["bash", &bash(&command)]));
    assert_eq!(ran.stdout, "(no output)\n");
    let ran = run(&mut folder.call(&["bash", &bash("exec 3<>/dev/udp/127.0.0.1/9")]));
    assert!(ran.stdout.ends_with("[exit code: 1]\n"), "{ran:?}");
}

#[test]
fn a_command_that_is_let_run_under_read_only_leaves_no_file() {
    let folder = Folder::with(&[("own", "own")]);
    folder.configure("[permissions]\nallow = [\"bash\"]\n");
    let command = "echo x > $TMPDIR/a; echo $TMPDIR; echo x > own";
    let ran = run(&mut folder.call(&["bash", &bash(command), "--access", "read-only"]));
    let private = ran.stdout.lines().next().unwrap();
    assert!(!Path::new(private).exists(), "{ran:?}");
    assert_eq!(fs::read_to_string(folder.path().join("own")).unwrap(), "own");
}

#[test]
fn a_command_that_fails_without_a_network_is_told_so() {
    let folder = Folder::with(&[]);
    folder.configure("[access]\nnetwork = false\n");
    let call = |command: &str| run(&mut folder.call(&["bash", &bash(command)])).stdout;
    let row = "[sandbox: no network; the configuration key access.network closes it]\n";
    assert_eq!(call("exit 3"), format!("(no output)\n{row}[exit code: 3]\n"));
    assert_eq!(call("true"), "(no output)\n");
}

#[test]
fn the_limit_of_file_sizes_is_a_failure_and_not_the_end() {
    let folder = Folder::with(&[]);
    let text = "x".repeat(100_000);
    let arguments = serde_json::json!({ "file_path": "large.txt", "content": text }).to_string();
    fs::write(folder.path().join("arguments.json"), arguments).unwrap();
    let inner = folder.call(&["write", "@arguments.json", "--format", "result"]);
    let mut command = std::process::Command::new("sh");
    command.arg("-c").arg("ulimit -f 10; exec \"$@\"").arg("sh");
    command.arg(inner.get_program()).args(inner.get_args()).current_dir(folder.path());
    for (key, value) in inner.get_envs() {
        command.env(key, value.unwrap_or_default());
    }
    let ran = run(&mut command);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.json()["error"]["info"]["code"], "FS_TOO_LARGE", "{ran:?}");
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn read_only_access_runs_no_command() {
    let folder = Folder::with(&[]);
    let ran = run(&mut folder.call(&["bash", &bash("touch made"), "--access", "read-only"]));
    assert_eq!(ran.code, 1);
    assert!(!folder.path().join("made").exists());
}
