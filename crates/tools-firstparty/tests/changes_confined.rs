//! Access modes: what stays as it is, whatever path a call takes.

use std::fs;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;

use contract_registry::{AccessMode, CallEnv};
use serde_json::json;

use crate::child::{self, tell};
use crate::support::{Workspace, names};

/// Everything a change could show in: names, content, times and identity, to the bottom.
fn state(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for name in names(folder) {
        let path = folder.join(&name);
        let data = fs::symlink_metadata(&path).unwrap();
        let content = if data.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        let times = (data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec());
        lines.push(format!("{} {} {times:?} {content:?}", path.display(), data.ino()));
        if data.is_dir() {
            lines.extend(state(&path));
        }
    }
    lines
}

#[tokio::test]
async fn in_read_only_mode_nothing_changes() {
    let workspace = Workspace::new(&[("f", "one"), ("d/g", "one")]);
    symlink("d/g", workspace.path("link")).unwrap();
    let env = workspace.env.clone().with_access_mode(AccessMode::ReadOnly);
    let temp = tempfile::NamedTempFile::new().unwrap();
    let before = state(workspace.dir.path());
    for path in ["f", "link", "new", "a/b/new", "d", "none/../f", temp.path().to_str().unwrap()] {
        let write = json!({ "file_path": path, "content": "two" });
        let edit = json!({ "file_path": path, "old_string": "one", "new_string": "two" });
        for (tool, arguments) in [("write", write), ("edit", edit)] {
            let outcome = workspace.call_in(env.clone(), tool, &arguments).await;
            let error = outcome.error().unwrap();
            assert_eq!(error.code(), Some("FS_SANDBOX_DENIED"), "{tool} {path}");
            let message = error.message();
            assert!(message.starts_with("[sandbox: file access denied under read-only mode]\n"));
        }
    }
    assert_eq!(state(workspace.dir.path()), before);
    assert_eq!(fs::read(temp.path()).unwrap(), b"");
}

/// A workspace, a folder beside it, and a process whose temporary folder is neither.
#[test]
fn in_workspace_write_mode_nothing_outside_changes() {
    let base = tempfile::tempdir().unwrap();
    for folder in ["root/d", "outside/d", "temp"] {
        fs::create_dir_all(base.path().join(folder)).unwrap();
    }
    for file in ["outside/f", "outside/d/f", "root/f"] {
        fs::write(base.path().join(file), "theirs").unwrap();
    }
    let before = state(&base.path().join("outside"));
    let mut command = child::command("escape", base.path());
    command.env("TMPDIR", base.path().join("temp")).current_dir(base.path().join("outside"));
    let told = child::told(&mut command);
    assert_eq!(state(&base.path().join("outside")), before);
    let (denied, other): (Vec<_>, Vec<_>) =
        told.iter().partition(|line| line.ends_with(" FS_SANDBOX_DENIED"));
    println!("{} refused", denied.len());
    assert!(denied.len() >= 2 * 20);
    // Inside, and in the temporary folder, changes are made.
    assert_eq!(other, ["write root ok", "write temp ok", "write d/../f ok"]);
    assert_eq!(fs::read(base.path().join("temp/f")).unwrap(), b"ours");
}

/// Takes every way out that a path can spell, and tells what became of each.
pub(crate) fn escape(base: &Path) {
    let (root, outside) = (base.join("root"), base.join("outside"));
    let file = fs::File::options().append(true).open(outside.join("f")).unwrap();
    let folder = fs::File::open(&outside).unwrap();
    symlink(&outside, root.join("out")).unwrap();
    symlink("../outside/f", root.join("file")).unwrap();
    symlink("out", root.join("out-2")).unwrap();
    symlink("/", root.join("slash")).unwrap();
    let proc_root = "/proc/self/root";
    symlink(proc_root, root.join("proc-root")).unwrap();
    symlink("/proc/self/cwd", root.join("cwd")).unwrap();
    let (fd, dir) = (file.as_raw_fd(), folder.as_raw_fd());
    let below = outside.strip_prefix("/").unwrap().display().to_string();
    let outside = outside.display();
    let ways = [
        format!("{outside}/f"),
        format!("{outside}/new"),
        "../outside/f".to_owned(),
        "d/../../outside/f".to_owned(),
        "../outside/new/deep".to_owned(),
        "out/f".to_owned(),
        "out/d/f".to_owned(),
        "out/new".to_owned(),
        "out/a/b/new".to_owned(),
        "out/../outside/f".to_owned(),
        "out-2/d/../f".to_owned(),
        "file".to_owned(),
        format!("slash/{below}/f"),
        format!("/proc/self/fd/{fd}"),
        format!("/proc/self/fd/{dir}/f"),
        format!("/proc/self/fd/{dir}/new"),
        format!("/proc/thread-self/fd/{fd}"),
        format!("/proc/{}/fd/{dir}/d/f", std::process::id()),
        format!("/dev/fd/{fd}"),
        format!("{proc_root}/{below}/f"),
        "/proc/self/cwd/f".to_owned(),
        "/proc/self/cwd/new".to_owned(),
        format!("proc-root/{below}/f"),
        "cwd/f".to_owned(),
        format!("/proc/self/task/{}/cwd/f", std::process::id()),
    ];
    let workspace = Workspace::new(&[]);
    let env = CallEnv::new(&root);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let call = |tool: &str, path: &str| {
        let arguments = match tool {
            "write" => json!({ "file_path": path, "content": "ours" }),
            _ => json!({ "file_path": path, "old_string": "theirs", "new_string": "ours" }),
        };
        let outcome = runtime.block_on(workspace.call_in(env.clone(), tool, &arguments));
        outcome.error().map_or("ok".to_owned(), |error| error.code().unwrap().to_owned())
    };
    for way in &ways {
        for tool in ["write", "edit"] {
            tell(&format!("{tool} {way} {}", call(tool, way)));
        }
    }
    tell(&format!("write root {}", call("write", "f")));
    tell(&format!("write temp {}", call("write", base.join("temp/f").to_str().unwrap())));
    tell(&format!("write d/../f {}", call("write", "d/../f")));
}

/// Where the tools are stricter than the kernel mechanism for commands: a hard link that was there before
/// leads outside for a program that opens it, not for a tool that gives its name another file.
#[tokio::test]
async fn a_hard_link_to_a_file_outside_is_cut_not_written_through() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("f"), "theirs").unwrap();
    let workspace = Workspace::new(&[]);
    for name in ["written", "edited"] {
        fs::hard_link(outside.path().join("f"), workspace.path(name)).unwrap();
    }
    workspace.value("write", json!({ "file_path": "written", "content": "ours" })).await;
    let edit = json!({ "file_path": "edited", "old_string": "theirs", "new_string": "ours" });
    workspace.value("edit", edit).await;
    assert_eq!(fs::read(outside.path().join("f")).unwrap(), b"theirs");
    assert_eq!(
        (workspace.bytes("written"), workspace.bytes("edited")),
        (b"ours".to_vec(), b"ours".to_vec())
    );
}
