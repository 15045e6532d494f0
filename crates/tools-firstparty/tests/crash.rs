//! SIGKILL at random points: the old content or the new, whole, and nothing stays behind.

use std::fs;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use contract_registry::AccessMode;
use serde_json::{Value, json};
use tools_firstparty::seam::publish::{DiskPublisher, Patience, Publisher as _, Reach, Request};

use crate::child::{self, tell};
use crate::support::{Workspace, names};

/// The header of version `n`, then a filler that tells versions apart; nothing for a size of 0.
fn content(header: u64, filler: u64, size: usize) -> Vec<u8> {
    let header = format!("v{header:08}\n").into_bytes();
    let mut content = vec![b'a' + u8::try_from(filler % 26).unwrap(); size];
    let shown = header.len().min(size);
    content[..shown].copy_from_slice(&header[..shown]);
    content
}

/// What is changed, how, and how it looks after.
#[derive(Clone, Copy)]
struct Kind {
    role: &'static str,
    sizes: &'static [usize],
    /// Microseconds within which the process is killed after it is ready.
    latest_us: u64,
}

impl Kind {
    /// Version `n`, when the process that made it began with `base`.
    fn version(self, base: u64, n: u64) -> Vec<u8> {
        let size = |n: u64| self.sizes[usize::try_from(n).unwrap() % self.sizes.len()];
        if self.role == "edit" { content(n, base, size(base)) } else { content(n, n, size(n)) }
    }
}

const WRITES: Kind =
    Kind { role: "write", sizes: &[0, 10, 4_000, 70_000, 1, 300_000], latest_us: 12_000 };
const EDITS: Kind = Kind { role: "edit", sizes: &[9, 10, 4_000, 70_000], latest_us: 25_000 };
const LARGER: Kind =
    Kind { role: "publish", sizes: &[1_000_000, 0, 5_000_000, 4_096], latest_us: 15_000 };
const LARGEST: Kind =
    Kind { role: "publish", sizes: &[50_000_000, 0, 49_999_999], latest_us: 400_000 };

#[test]
fn a_killed_write_leaves_the_old_or_the_new_file() {
    kill_often(WRITES, 200);
}

#[test]
fn a_killed_edit_leaves_the_old_or_the_new_file() {
    kill_often(EDITS, 200);
}

#[test]
fn a_killed_write_of_megabytes_leaves_the_old_or_the_new_file() {
    kill_often(LARGER, 80);
}

#[test]
fn a_killed_write_of_fifty_megabytes_leaves_the_old_or_the_new_file() {
    kill_often(LARGEST, 20);
}

fn kill_often(kind: Kind, kills: u64) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    let (mut left, mut versions) = (0, 0);
    let mut base = 1;
    for _ in 0..kills {
        // An edit needs a file to begin with; a write has the one before, or none.
        if kind.role == "edit" {
            fs::write(&file, kind.version(base, base)).unwrap();
        }
        let told = kill_at_random(kind, dir.path(), base);
        let found = fs::read(&file).ok();
        let last = told.unwrap_or(if kind.role == "edit" { base } else { base - 1 });
        let is_first = last == 0 && found.is_none();
        let new = [last, last + 1]
            .into_iter()
            .find(|n| *n > 0 && found.as_deref() == Some(&*kind.version(base, *n)));
        assert!(is_first || new.is_some(), "neither version {last} nor the next");
        let rest: Vec<_> = names(dir.path()).into_iter().filter(|name| name != "f").collect();
        assert!(rest.iter().all(|name| is_temporary(name)), "{rest:?}");
        left += rest.len();
        assert!(rest.len() <= 1);
        let now = new.unwrap_or(0);
        versions += now + 1 - base.min(now + 1);
        base = now + 1;
        sweep(dir.path());
    }
    println!(
        "{kills} kills, {versions} versions published, {left} temporary files left and removed"
    );
    assert!(
        left > 0 && versions > 0,
        "{left} left, {versions} versions: killed too early or too late"
    );
}

/// A name that only a temporary file has.
fn is_temporary(name: &str) -> bool {
    name.len() == ".tenon-01234567.tmp".len()
        && name.starts_with(".tenon-")
        && name.ends_with(".tmp")
}

/// The next write in the folder takes with it what was left.
fn sweep(folder: &Path) {
    publish_once(&folder.join("g"), b"next");
    fs::remove_file(folder.join("g")).unwrap();
    assert!(names(folder).iter().all(|name| name == "f"));
}

/// Starts a writer, kills it, and gives the last version it told of.
fn kill_at_random(kind: Kind, root: &Path, base: u64) -> Option<u64> {
    let sizes: Vec<String> = kind.sizes.iter().map(usize::to_string).collect();
    let role = format!("{}:{base}:{}", kind.role, sizes.join(","));
    let mut command = child::command(&role, root);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut lines = String::new();
    told.read_line(&mut lines).unwrap();
    assert_eq!(lines, "ready\n");
    lines.clear();
    let random = RandomState::new().build_hasher().finish();
    std::thread::sleep(Duration::from_micros(random % kind.latest_us));
    child.kill().unwrap();
    child.wait().unwrap();
    told.read_to_string(&mut lines).unwrap();
    // A line that the kill cut off counts for nothing.
    let whole = lines.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| line.parse().unwrap()).max()
}

/// The first version and the sizes, as the parent gave them.
fn detail(detail: &str) -> (u64, Vec<usize>) {
    let (base, sizes) = detail.split_once(':').unwrap();
    let sizes = sizes.split(',').map(|size| size.parse().unwrap()).collect();
    (base.parse().unwrap(), sizes)
}

/// Calls a tool for ever, and tells of each version once it is there.
fn call_for_ever(root: &Path, base: u64, tool: &str, arguments: impl Fn(u64) -> Value) {
    let workspace = Workspace::new(&[]);
    let env = contract_registry::CallEnv::new(root);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    // The first call of a process takes longer than those that are to be hit.
    let elsewhere = json!({ "file_path": "f", "content": "" });
    assert!(runtime.block_on(workspace.call("write", &elsewhere)).value().is_some());
    tell("ready");
    for n in base.. {
        let outcome = runtime.block_on(workspace.call_in(env.clone(), tool, &arguments(n)));
        assert!(outcome.value().is_some(), "{}", outcome.error().unwrap().message());
        tell(&n.to_string());
    }
}

pub(crate) fn write(root: &Path, given: &str) {
    let (base, sizes) = detail(given);
    call_for_ever(root, base, "write", |n| {
        let size = sizes[usize::try_from(n).unwrap() % sizes.len()];
        let text = String::from_utf8(content(n, n, size)).unwrap();
        json!({ "file_path": "f", "content": text })
    });
}

pub(crate) fn edit(root: &Path, given: &str) {
    let (base, _) = detail(given);
    call_for_ever(root, base + 1, "edit", |n| {
        let (old, new) = (format!("v{:08}", n - 1), format!("v{n:08}"));
        json!({ "file_path": "f", "old_string": old, "new_string": new })
    });
}

pub(crate) fn publish(root: &Path, given: &str) {
    let (base, sizes) = detail(given);
    tell("ready");
    for n in base.. {
        let size = sizes[usize::try_from(n).unwrap() % sizes.len()];
        publish_once(&root.join("f"), &content(n, n, size));
        tell(&n.to_string());
    }
}

fn publish_once(path: &Path, content: &[u8]) {
    let reach = Reach::over(AccessMode::Full, Vec::new());
    let patience = Patience { max: Duration::from_secs(10), is_cancelled: &|| false };
    let request = Request { path, makes_folders: true, reach: &reach, patience };
    DiskPublisher.hold(&request).unwrap().publish(content, &|| false).unwrap();
}

#[test]
fn a_file_larger_than_may_be_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), "old").unwrap();
    let told = child::told(&mut child::limited("too-large", dir.path(), 8));
    assert_eq!(told, ["write f FS_TOO_LARGE", "edit f FS_TOO_LARGE", "write a/b/f FS_TOO_LARGE"]);
    assert_eq!(fs::read(dir.path().join("f")).unwrap(), b"old");
    assert_eq!(names(dir.path()), ["f"]);
}

/// Tries to make files larger than this process may.
pub(crate) fn too_large(root: &Path) {
    let workspace = Workspace::new(&[]);
    let env = contract_registry::CallEnv::new(root);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let large = "x".repeat(1_000_000);
    for (tool, arguments) in [
        ("write", json!({ "file_path": "f", "content": large })),
        ("edit", json!({ "file_path": "f", "old_string": "old", "new_string": large })),
        ("write", json!({ "file_path": "a/b/f", "content": large })),
    ] {
        let outcome = runtime.block_on(workspace.call_in(env.clone(), tool, &arguments));
        let code = outcome.error().unwrap().code().unwrap().to_owned();
        tell(&format!("{tool} {} {code}", arguments["file_path"].as_str().unwrap()));
    }
}
