//! `write` through the registry.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::Arc;

use contract_registry::{CallEnv, CallRequest, CancelSource};
use serde_json::json;
use tools_firstparty::{Config, WriteCaps};

use crate::support::{Workspace, names};

#[tokio::test]
async fn a_new_file_has_value_text_and_metadata() {
    let workspace = Workspace::new(&[]);
    let arguments = json!({ "file_path": "a/b/c.txt", "content": "one\r\ntwo" });
    let outcome = workspace.call("write", &arguments).await;
    let union = serde_json::to_value(outcome.union()).unwrap();
    assert_eq!(
        union["value"],
        json!({ "path": "a/b/c.txt", "operation": "create", "before": null, "after": "one\r\ntwo" })
    );
    let text = "<path>a/b/c.txt</path>\n<type>file</type>\n<content>\nCreated file\n</content>";
    assert_eq!(union["content"], json!([{ "type": "text", "text": text }]));
    assert_eq!(union["meta"], json!({ "diffs": [], "truncated": false }));
    assert_eq!(workspace.bytes("a/b/c.txt"), b"one\r\ntwo");
    assert_eq!(names(&workspace.path("a/b")), ["c.txt"]);
}

#[tokio::test]
async fn a_replaced_file_shows_what_changed() {
    let workspace = Workspace::new(&[("f", "1\r\n2\r\n3\r\n")]);
    let arguments = json!({ "file_path": "f", "content": "1\n2\nthree\n" });
    let outcome = workspace.call("write", &arguments).await;
    let union = serde_json::to_value(outcome.union()).unwrap();
    assert_eq!(union["value"]["operation"], "update");
    assert_eq!(union["value"]["before"], "1\r\n2\r\n3\r\n");
    assert_eq!(union["value"]["after"], "1\n2\nthree\n");
    let hunk = json!({ "path": "f", "oldText": "1\n2\n3", "newText": "1\n2\nthree" });
    assert_eq!(union["meta"], json!({ "diffs": [hunk], "truncated": false }));
    assert!(union["content"][0]["text"].as_str().unwrap().contains("\nUpdated file\n"));
}

#[tokio::test]
async fn the_same_again_has_no_hunk() {
    let workspace = Workspace::new(&[("f", "a\n")]);
    let outcome = workspace.call("write", &json!({ "file_path": "f", "content": "a\n" })).await;
    let union = serde_json::to_value(outcome.union()).unwrap();
    assert_eq!(union["meta"]["diffs"], json!([]));
    assert_eq!(union["value"]["operation"], "update");
}

#[tokio::test]
async fn what_was_not_text_is_replaced_without_being_shown() {
    for old in [&b"a\0b"[..], b"\xFF", b"\xFF\xFEa\0"] {
        let workspace = Workspace::new(&[]);
        fs::write(workspace.path("f"), old).unwrap();
        let arguments = json!({ "file_path": "f", "content": "text\n" });
        let value = workspace.value("write", arguments).await;
        assert_eq!((&value["operation"], &value["before"]), (&json!("update"), &json!(null)));
        assert_eq!(workspace.bytes("f"), b"text\n");
    }
}

#[tokio::test]
async fn very_large_texts_are_replaced_without_being_shown() {
    let write = WriteCaps { diff_basis_max_bytes: 10, ..WriteCaps::default() };
    let config = Config { write, ..Config::default() };
    // The limit counts bytes and is not itself under it.
    for (old, new, is_shown) in [
        ("123456789", "1", true),
        ("1234567890", "1", false),
        ("1", "123456789", true),
        ("1", "1234567890", false),
        ("éééé", "1", true),
        ("ééééé", "1", false),
    ] {
        let workspace = Workspace::with(&[("f", old)], &config);
        let value = workspace.value("write", json!({ "file_path": "f", "content": new })).await;
        assert_eq!(value["before"], if is_shown { json!(old) } else { json!(null) });
        assert_eq!(value["after"], new);
    }
}

#[tokio::test]
async fn paths_are_shown_as_read_takes_them() {
    let workspace = Workspace::new(&[("d/f", "x"), ("g", "x")]);
    symlink("d", workspace.path("link")).unwrap();
    let absolute = workspace.path("d/f");
    for (asked, shown) in [
        ("d/f", "d/f"),
        ("./d//f", "d/f"),
        (absolute.to_str().unwrap(), "d/f"),
        ("link/f", "link/f"),
        ("d/../g", "g"),
        ("link/../new", "new"),
    ] {
        let value =
            workspace.value("write", json!({ "file_path": asked, "content": "one\n" })).await;
        assert_eq!(value["path"], shown, "{asked}");
        let read = workspace.value("read", json!({ "file_path": value["path"] })).await;
        assert_eq!(read["lines"][0]["text"], "one");
    }
}

#[tokio::test]
async fn links_are_written_through_and_stay_links() {
    let workspace = Workspace::new(&[("d/f", "x")]);
    symlink("d/f", workspace.path("link")).unwrap();
    workspace.value("write", json!({ "file_path": "link", "content": "new" })).await;
    assert!(fs::symlink_metadata(workspace.path("link")).unwrap().is_symlink());
    assert_eq!(workspace.bytes("d/f"), b"new");
}

#[tokio::test]
async fn the_mode_stays() {
    let workspace = Workspace::new(&[("run.sh", "x")]);
    fs::set_permissions(workspace.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    workspace.value("write", json!({ "file_path": "run.sh", "content": "new" })).await;
    assert_eq!(
        fs::metadata(workspace.path("run.sh")).unwrap().permissions().mode() & 0o7777,
        0o755
    );
}

#[tokio::test]
async fn failures_have_codes_and_change_nothing() {
    let workspace = Workspace::new(&[("f", "x"), ("d/g", "x")]);
    symlink("nowhere", workspace.path("dangling")).unwrap();
    symlink("circle", workspace.path("circle")).unwrap();
    let fifo = workspace.path("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let before = names(workspace.dir.path());
    let long = "n".repeat(300);
    for (path, code) in [
        (" ", "FS_INVALID_ARGUMENT"),
        ("new/", "FS_NOT_REGULAR_FILE"),
        ("d", "FS_NOT_REGULAR_FILE"),
        (".", "FS_NOT_REGULAR_FILE"),
        ("fifo", "FS_NOT_REGULAR_FILE"),
        ("dangling", "FS_NOT_REGULAR_FILE"),
        ("dangling/f", "FS_NOT_REGULAR_FILE"),
        ("circle", "FS_NOT_REGULAR_FILE"),
        ("f/below", "FS_NOT_FOUND"),
        ("none/../f", "FS_NOT_FOUND"),
        ("nul\0", "FS_INVALID_ARGUMENT"),
        (long.as_str(), "FS_INVALID_ARGUMENT"),
    ] {
        let arguments = json!({ "file_path": path, "content": "new" });
        let (found, message) = workspace.failure("write", arguments).await;
        assert_eq!(found, code, "{path}: {message}");
    }
    assert_eq!(names(workspace.dir.path()), before);
    assert_eq!(workspace.bytes("f"), b"x");
}

#[tokio::test]
async fn a_device_is_refused_with_full_access_too() {
    let workspace =
        Workspace::new(&[]).in_env(|env| env.with_access_mode(contract_registry::AccessMode::Full));
    for path in ["/dev/null", "/dev/full"] {
        let arguments = json!({ "file_path": path, "content": "new" });
        let (code, message) = workspace.failure("write", arguments).await;
        assert_eq!(code, "FS_NOT_REGULAR_FILE", "{message}");
    }
}

#[tokio::test]
async fn escalation_is_not_offered() {
    let workspace = Workspace::new(&[]);
    let arguments =
        json!({ "file_path": "f", "content": "x", "sandbox_permissions": "danger-full-access" });
    assert_eq!(workspace.failure("write", arguments).await.0, "INVALID_TOOL_ARGS");
}

#[tokio::test]
async fn a_call_cancelled_before_it_starts_creates_nothing() {
    let workspace = Workspace::new(&[]);
    let source = CancelSource::new();
    source.cancel();
    let request = CallRequest::from_text("write", r#"{"file_path":"a/f","content":"x"}"#)
        .with_env(Arc::new(CallEnv::new(workspace.dir.path())))
        .with_cancel(source.signal());
    let outcome = workspace.registry.dispatch(request).await;
    assert_eq!(outcome.error().unwrap().code(), Some("ABORTED_BEFORE_DISPATCH"));
    assert!(names(workspace.dir.path()).is_empty());
}

#[tokio::test]
async fn a_call_cancelled_while_it_waits_changes_nothing() {
    let workspace = Workspace::new(&[("f", "old")]);
    let other = fs::File::open(workspace.dir.path()).unwrap();
    other.lock().unwrap();
    let source = CancelSource::new();
    let request = CallRequest::from_text("write", r#"{"file_path":"f","content":"x"}"#)
        .with_env(Arc::new(CallEnv::new(workspace.dir.path())))
        .with_cancel(source.signal());
    let call = workspace.registry.dispatch(request);
    let (outcome, ()) = tokio::join!(call, async {
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
        source.cancel();
    });
    assert_eq!(outcome.error().unwrap().code(), Some("FS_ABORTED"));
    assert_eq!(workspace.bytes("f"), b"old");
    assert_eq!(workspace.registry.orphaned_work(), 0);
}
