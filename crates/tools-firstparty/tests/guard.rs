//! What a session has seen of its files, and what it may change for that.

use std::fs;
use std::os::unix::fs::symlink;

use contract_registry::Services;
use serde_json::{Value, json};
use tools_firstparty::Observations;

use crate::support::Workspace;

fn guarded(files: &[(&str, &str)]) -> Workspace {
    let services = Services::default().with(Observations::default());
    Workspace::new(files).in_env(|env| env.with_services(services))
}

fn read(path: &str) -> Value {
    json!({ "file_path": path })
}

fn write(path: &str, content: &str) -> Value {
    json!({ "file_path": path, "content": content })
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "file_path": path, "old_string": old, "new_string": new })
}

async fn code(workspace: &Workspace, tool: &str, arguments: Value) -> String {
    workspace.failure(tool, arguments).await.0
}

#[tokio::test]
async fn nothing_unread_is_changed() {
    let workspace = guarded(&[("f", "one")]);
    assert_eq!(code(&workspace, "write", write("f", "two")).await, "FS_NOT_OBSERVED");
    assert_eq!(code(&workspace, "edit", edit("f", "one", "two")).await, "FS_NOT_OBSERVED");
    assert_eq!(workspace.bytes("f"), b"one");
    workspace.value("read", read("f")).await;
    workspace.value("write", write("f", "two")).await;
    // Neither a write nor an edit needs a read after it.
    workspace.value("edit", edit("f", "two", "three")).await;
    workspace.value("edit", edit("f", "three", "four")).await;
    workspace.value("write", write("f", "five")).await;
    assert_eq!(workspace.bytes("f"), b"five");
}

#[tokio::test]
async fn a_new_file_needs_no_read_and_can_be_edited() {
    let workspace = guarded(&[]);
    workspace.value("write", write("a/f", "one")).await;
    workspace.value("edit", edit("a/f", "one", "two")).await;
    assert_eq!(code(&workspace, "edit", edit("none", "a", "b")).await, "FS_NOT_OBSERVED");
    assert_eq!(code(&workspace, "read", read("none")).await, "FS_NOT_FOUND");
    assert_eq!(code(&workspace, "edit", edit("none", "a", "b")).await, "FS_NOT_FOUND");
}

#[tokio::test]
async fn what_changed_since_is_stale_until_it_is_read_again() {
    let workspace = guarded(&[("f", "one")]);
    workspace.value("read", read("f")).await;
    fs::write(workspace.path("f"), "own").unwrap();
    assert_eq!(code(&workspace, "write", write("f", "two")).await, "FS_STALE_VERSION");
    // Stale comes before not found.
    assert_eq!(code(&workspace, "edit", edit("f", "none", "two")).await, "FS_STALE_VERSION");
    assert_eq!(workspace.bytes("f"), b"own");
    workspace.value("read", read("f")).await;
    workspace.value("edit", edit("f", "own", "two")).await;
    assert_eq!(workspace.bytes("f"), b"two");
}

#[tokio::test]
async fn a_file_put_back_with_its_times_is_stale() {
    let workspace = guarded(&[("f", "one")]);
    let modified = fs::metadata(workspace.path("f")).unwrap().modified().unwrap();
    workspace.value("read", read("f")).await;
    fs::write(workspace.path("f"), "two").unwrap();
    let file = fs::File::options().write(true).open(workspace.path("f")).unwrap();
    file.set_modified(modified).unwrap();
    assert_eq!(code(&workspace, "edit", edit("f", "two", "three")).await, "FS_STALE_VERSION");
}

#[tokio::test]
async fn a_part_of_a_file_authorizes_an_edit() {
    let workspace = guarded(&[("f", "1\n2\n3\n")]);
    workspace.value("read", json!({ "file_path": "f", "offset": 2, "limit": 1 })).await;
    workspace.value("edit", edit("f", "3", "three")).await;
}

#[tokio::test]
async fn a_failed_read_authorizes_nothing() {
    let workspace = guarded(&[("f", "a\0b")]);
    assert_eq!(code(&workspace, "read", read("f")).await, "FS_NOT_TEXT");
    assert_eq!(code(&workspace, "write", write("f", "x")).await, "FS_NOT_OBSERVED");
}

#[tokio::test]
async fn a_deleted_file_is_made_again_once_it_was_seen_missing() {
    let workspace = guarded(&[("d/f", "one")]);
    for path in ["d/f", "d/../d/f"] {
        workspace.value("read", read(path)).await;
        fs::remove_dir_all(workspace.path("d")).unwrap();
        assert_eq!(code(&workspace, "write", write("d/f", "two")).await, "FS_STALE_VERSION");
        assert_eq!(code(&workspace, "edit", edit("d/f", "one", "two")).await, "FS_STALE_VERSION");
        assert!(!workspace.path("d").exists());
        assert_eq!(code(&workspace, "read", read("d/f")).await, "FS_NOT_FOUND");
        assert_eq!(code(&workspace, "edit", edit("d/f", "one", "two")).await, "FS_NOT_FOUND");
        workspace.value("write", write("d/f", "two")).await;
    }
}

#[tokio::test]
async fn two_paths_to_a_file_share_what_was_seen() {
    let workspace = guarded(&[("d/f", "one")]);
    symlink("d", workspace.path("link")).unwrap();
    symlink("d/f", workspace.path("file-link")).unwrap();
    workspace.value("read", read("link/f")).await;
    workspace.value("edit", edit("file-link", "one", "two")).await;
    workspace.value("edit", edit("d/f", "two", "three")).await;
    fs::write(workspace.path("d/f"), "own").unwrap();
    assert_eq!(code(&workspace, "edit", edit("link/f", "own", "x")).await, "FS_STALE_VERSION");
}

#[tokio::test]
async fn of_two_edits_at_once_one_is_stale_or_both_are_made() {
    let workspace = guarded(&[("f", "a b")]);
    workspace.value("read", read("f")).await;
    let (first, second) = (edit("f", "a", "x"), edit("f", "b", "y"));
    let (first, second) =
        tokio::join!(workspace.call("edit", &first), workspace.call("edit", &second));
    for outcome in [&first, &second] {
        assert!(outcome.error().is_none_or(|error| error.code() == Some("FS_STALE_VERSION")));
    }
    let expected = match (first.value().is_some(), second.value().is_some()) {
        (true, true) => "x y",
        (true, false) => "x b",
        (false, true) => "a y",
        (false, false) => panic!("one of them wins"),
    };
    assert_eq!(workspace.bytes("f"), expected.as_bytes());
}

#[tokio::test]
async fn sessions_do_not_share_what_they_saw() {
    let workspace = guarded(&[("f", "one")]);
    workspace.value("read", read("f")).await;
    let other = Services::default().with(Observations::default());
    let other = workspace.env.clone().with_services(other);
    let outcome = workspace.call_in(other, "write", &write("f", "two")).await;
    assert_eq!(outcome.error().unwrap().code(), Some("FS_NOT_OBSERVED"));
}

#[tokio::test]
async fn without_the_service_nothing_is_asked() {
    let workspace = Workspace::new(&[("f", "one")]);
    workspace.value("write", write("f", "two")).await;
    workspace.value("edit", edit("f", "two", "three")).await;
}
