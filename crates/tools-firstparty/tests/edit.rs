//! `edit` through the registry.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tools_firstparty::{Config, EditCaps};

use crate::support::{Workspace, names};

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "file_path": path, "old_string": old, "new_string": new })
}

fn edit_all(path: &str, old: &str, new: &str) -> Value {
    json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": true })
}

#[tokio::test]
async fn an_edit_has_value_text_and_metadata() {
    let workspace = Workspace::new(&[("src/a.rs", "fn a() {}\nfn b() {}\n")]);
    let outcome = workspace.call("edit", &edit("src/a.rs", "b()", "c()")).await;
    let union = serde_json::to_value(outcome.union()).unwrap();
    let (before, after) = ("fn a() {}\nfn b() {}\n", "fn a() {}\nfn c() {}\n");
    assert_eq!(union["value"], json!({ "path": "src/a.rs", "before": before, "after": after }));
    assert_eq!(union["content"], json!([{ "type": "text", "text": "Edited src/a.rs." }]));
    let hunk = json!({ "path": "src/a.rs", "oldText": "fn a() {}\nfn b() {}", "newText": "fn a() {}\nfn c() {}" });
    assert_eq!(union["meta"], json!({ "diffs": [hunk], "truncated": false }));
    assert_eq!(workspace.bytes("src/a.rs"), after.as_bytes());
}

#[tokio::test]
async fn every_occurrence_has_a_sentence_of_its_own() {
    let workspace = Workspace::new(&[("f", "a b a")]);
    let text = workspace.text("edit", edit_all("f", "a", "x")).await;
    assert_eq!(text, "Replaced every occurrence in f.");
    assert_eq!(workspace.bytes("f"), b"x b x");
}

#[tokio::test]
async fn bytes_outside_the_change_stay() {
    for (before, old, new, after) in [
        ("a\r\nb\r\nc\r\n", "a\nb\n", "a\nB\nnew\n", "a\r\nB\r\nnew\r\nc\r\n"),
        ("\u{FEFF}a\r\nb\n", "b", "c", "\u{FEFF}a\r\nc\n"),
        ("\u{FEFF}a", "a", "b", "\u{FEFF}b"),
        ("a\rb\r\nc\nd", "d", "e", "a\rb\r\nc\ne"),
        ("x = 1", "1", "$0 $& \\1", "x = $0 $& \\1"),
    ] {
        let workspace = Workspace::new(&[("f", before)]);
        let value = workspace.value("edit", edit("f", old, new)).await;
        assert_eq!(workspace.bytes("f"), after.as_bytes());
        assert_eq!((&value["before"], &value["after"]), (&json!(before), &json!(after)));
    }
}

#[tokio::test]
async fn refusals_have_codes_and_change_nothing() {
    let text = "let  a = 1;\nlet b = 2;\nlet b = 2;\n";
    let workspace = Workspace::new(&[("f", text), ("nul", "a\0b"), ("d/f", "")]);
    fs::write(workspace.path("bad"), b"ab\xFF").unwrap();
    fs::write(workspace.path("utf16"), b"\xFF\xFEa\0").unwrap();
    symlink("nowhere", workspace.path("dangling")).unwrap();
    for (arguments, code, said) in [
        (edit("f", "", "x"), "FS_INVALID_ARGUMENT", "old_string is empty"),
        (edit("f", "b", "b"), "FS_INVALID_ARGUMENT", "the same"),
        (edit("f", "b\n", "b\r\n"), "FS_INVALID_ARGUMENT", "the same"),
        (edit(" ", "b", "c"), "FS_INVALID_ARGUMENT", "blank"),
        (edit("f", "none", "c"), "FS_EDIT_NOT_FOUND", "not in the file; read"),
        (edit("f", "let a = 1;", "c"), "FS_EDIT_NOT_FOUND", "begins on line 1 differs in blanks"),
        (edit("f", "2: let b = 2;\n", "c"), "FS_EDIT_NOT_FOUND", "line numbers that read puts"),
        (edit("f", "let b", "c"), "FS_AMBIGUOUS_EDIT", "2 times, on lines 2, 3;"),
        (edit("nul", "b", "c"), "FS_NOT_TEXT", "byte 1 is NUL"),
        (edit("bad", "b", "c"), "FS_NOT_TEXT", "byte 2 is not valid UTF-8"),
        (edit("utf16", "a", "c"), "FS_NOT_TEXT", "byte 0 begins a UTF-16 mark"),
        (edit("none", "b", "c"), "FS_NOT_FOUND", "no such file"),
        (edit("none/f", "b", "c"), "FS_NOT_FOUND", "no such file"),
        (edit("d", "b", "c"), "FS_NOT_REGULAR_FILE", "a folder"),
        (edit("f/g", "b", "c"), "FS_NOT_FOUND", "not a folder"),
        (edit("dangling", "b", "c"), "FS_NOT_REGULAR_FILE", "leads to nothing"),
    ] {
        let (found, message) = workspace.failure("edit", arguments.clone()).await;
        assert_eq!(found, code, "{arguments}: {message}");
        assert!(message.contains(said), "{arguments}: {message}");
    }
    assert_eq!(workspace.bytes("f"), text.as_bytes());
    assert_eq!(names(workspace.dir.path()), ["bad", "d", "dangling", "f", "nul", "utf16"]);
}

#[tokio::test]
async fn files_and_results_have_a_greatest_size() {
    let edit_caps = EditCaps { file_max_bytes: 10, ..EditCaps::default() };
    let config = Config { edit: edit_caps, ..Config::default() };
    let workspace = Workspace::with(&[("fits", "a123456789"), ("large", "a1234567890")], &config);
    workspace.value("edit", edit("fits", "a", "b")).await;
    for arguments in [edit("large", "a", "b"), edit("fits", "b", "bb")] {
        assert_eq!(workspace.failure("edit", arguments).await.0, "FS_TOO_LARGE");
    }
    assert_eq!(workspace.bytes("fits"), b"b123456789");
    assert_eq!(workspace.bytes("large"), b"a1234567890");
}

#[tokio::test]
async fn a_link_is_edited_through_and_stays_a_link() {
    let workspace = Workspace::new(&[("d/f", "one")]);
    symlink("d/f", workspace.path("link")).unwrap();
    workspace.value("edit", edit("link", "one", "two")).await;
    assert!(fs::symlink_metadata(workspace.path("link")).unwrap().is_symlink());
    assert_eq!(workspace.bytes("d/f"), b"two");
}

#[tokio::test]
async fn a_file_of_ten_million_bytes_has_the_length_and_hash_worked_out_otherwise() {
    let line = "a line of thirty-two characters\n";
    let mut content = line.repeat(312_500).into_bytes();
    assert_eq!(content.len(), 10_000_000);
    let at = 7_777_777;
    let (old, new) = (b"<the only place>", "<somewhere else\r\nand longer>");
    content[at..at + old.len()].copy_from_slice(old);
    let workspace = Workspace::new(&[]);
    fs::write(workspace.path("f"), &content).unwrap();
    workspace.value("edit", edit("f", "<the only place>", new)).await;
    // Put together from pieces, without the tool's way of finding or mapping anything.
    let mut expected = Sha256::new();
    expected.update(&content[..at]);
    expected.update(b"<somewhere else\nand longer>");
    expected.update(&content[at + old.len()..]);
    let after = workspace.bytes("f");
    assert_eq!(after.len(), 10_000_000 + "<somewhere else\nand longer>".len() - old.len());
    assert_eq!(Sha256::digest(&after), expected.finalize());
}
