//! What a process does that a test starts: this test binary again, in another role.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use contract_session::{Event, LogFormat, Sessions, SyncPolicy};

use crate::support::{id, opening, result};

const ROLE: &str = "CONTRACT_SESSION_TEST_ROLE";
const ROOT: &str = "CONTRACT_SESSION_TEST_ROOT";

/// The command that plays a role on a state root.
pub(crate) fn command(role: &str, root: &Path) -> Command {
    command_of(&std::env::current_exe().unwrap(), role, root)
}

/// The same with another copy of the test binary.
pub(crate) fn command_of(program: &Path, role: &str, root: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", "child::role", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(ROOT, root);
    command
}

/// The same under a limit on the size of files: a disk that is full for this process.
pub(crate) fn limited(role: &str, root: &Path, blocks: u32) -> Command {
    let inner = command(role, root);
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap());
    }
    command
}

/// No test of its own: does nothing unless a test started this process for it.
#[test]
fn role() {
    let (Ok(role), Some(root)) = (std::env::var(ROLE), std::env::var_os(ROOT)) else { return };
    let root = PathBuf::from(root);
    let (role, format) = role.split_once(':').unwrap_or((&role, ""));
    let format = format_of(format);
    match role {
        "append" => append(&root, format, SyncPolicy::Never),
        "append-synced" => append(&root, format, SyncPolicy::EveryEntry),
        "hold" => hold(&root, format),
        "fill" => fill(&root, format),
        "fill-together" => fill_together(&root, format),
        "open" => open(&root),
        other => panic!("no role {other}"),
    }
}

/// The role's suffix that chooses the format.
pub(crate) fn suffix(format: LogFormat) -> &'static str {
    if format == LogFormat::JsonLines { "" } else { ":sqlite" }
}

fn format_of(suffix: &str) -> LogFormat {
    match suffix {
        #[cfg(feature = "sqlite")]
        "sqlite" => LogFormat::Sqlite,
        _ => LogFormat::JsonLines,
    }
}

/// Tells the parent: not through the test harness, which has stdout.
fn tell(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// The event that stands at `seq` in a log of these roles: its length differs from its neighbours'.
pub(crate) fn numbered(seq: u64) -> Event {
    let bytes = [100, 1_000, 60_000, 400_000][usize::try_from(seq % 4).unwrap()];
    result(&format!("call-{seq}"), &format!("{seq} ").repeat(bytes / format!("{seq} ").len()))
}

/// Appends for ever, and tells of each entry once it is acknowledged.
fn append(root: &Path, format: LogFormat, sync: SyncPolicy) {
    let sessions = Sessions::open(root).unwrap().with_format(format).with_sync(sync);
    let opened = sessions.resume_or_create(&id("s"), &opening()).unwrap();
    let mut seq = opened.journal.entries().unwrap().count() as u64 + 1;
    tell("ready");
    loop {
        assert_eq!(opened.journal.append(&numbered(seq)).unwrap().seq, seq);
        tell(&seq.to_string());
        seq += 1;
    }
}

/// Keeps the session open until stdin ends.
fn hold(root: &Path, format: LogFormat) {
    let sessions = Sessions::open(root).unwrap().with_format(format);
    let _opened = sessions.resume_or_create(&id("s"), &opening()).unwrap();
    tell("held");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// Appends entries of 1 KB until one fails, then one that has room left.
fn fill(root: &Path, format: LogFormat) {
    let sessions = Sessions::open(root).unwrap().with_format(format);
    let opened = sessions.resume_or_create(&id("s"), &opening()).unwrap();
    let error = loop {
        match opened.journal.append(&result("big", &"x".repeat(1_000))) {
            Ok(appended) => tell(&appended.seq.to_string()),
            Err(error) => break error,
        }
    };
    tell(&format!("{}: {error}", error.code()));
    if let Ok(appended) = opened.journal.append(&result("small", "")) {
        tell(&appended.seq.to_string());
    }
}

/// Appends a small entry and one of 1 KB together until that fails.
fn fill_together(root: &Path, format: LogFormat) {
    let sessions = Sessions::open(root).unwrap().with_format(format);
    let opened = sessions.resume_or_create(&id("s"), &opening()).unwrap();
    let both = [result("small", ""), result("big", &"x".repeat(1_000))];
    let error = loop {
        match opened.journal.append_all(&both) {
            Ok(appended) => tell(&format!("{} {}", appended[0].seq, appended[1].seq)),
            Err(error) => break error,
        }
    };
    tell(&format!("{}: {error}", error.code()));
}

/// Opens the store and the session, and reads it, each as far as it goes.
fn open(root: &Path) {
    let outcome = |result: Result<String, contract_session::SessionError>| match result {
        Ok(what) => tell(&format!("ok {what}")),
        Err(error) => tell(&format!("{}: {error}", error.code())),
    };
    match Sessions::open(root) {
        Err(error) => outcome(Err(error)),
        Ok(sessions) => {
            outcome(sessions.start(&opening()).map(|_| "start".to_owned()));
            outcome(sessions.resume(&id("s")).map(|_| "resume".to_owned()));
            outcome(sessions.read(&id("s")).map(|entries| format!("{} entries", entries.count())));
            outcome(sessions.list().map(|list| format!("{} sessions", list.len())));
        }
    }
}
