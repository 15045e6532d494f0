//! What a sheet shows, and that one byte makes a difference.

use std::fs;
use std::path::PathBuf;

use contract_testkit::{check_sheets, sheet};
use tempfile::TempDir;

use crate::tools::{Echo, sampled};

#[test]
fn a_sheet_shows_every_byte_of_a_rendering() {
    let sheet = sheet(&sampled(Echo::Well)).unwrap();
    let parts = [
        "tool: echo\nfamily: text\nannotations: read only, idempotent\n",
        "\n== description ==\n|Give back what was sent.■\n",
        "\n== sample: two lines: args ==\n{ \"text\": \"a \\n\\tb\\r\\n\" }\n",
        "\n== sample: two lines: content 1: text, 7 bytes ==\n|a ⏎\n|\\tb\\r⏎\n|■\n",
        "\n== sample: two lines: content 2 ==\n{ \"type\": \"image\",",
        "\n== sample: two lines: meta ==\n{ \"bytes\": 7 }\n",
        "\n== sample: two lines: full text for echo.txt ==\n|a ⏎\n",
        "\n== sample: two lines: page when saved 1: text, 5 bytes ==\n|PLACE■\n",
        "\n== sample: two lines: page when not saved 1: text, 9 bytes ==\n|not saved■\n",
        "\n== sample: nothing: content 1: text, 0 bytes ==\n|■\n",
        "\n== sample: nothing: meta ==\nnone\n",
    ];
    for part in parts {
        assert!(sheet.contains(part), "no {part:?} in:\n{sheet}");
    }
    assert!(sheet.lines().all(|line| !line.ends_with([' ', '\t', '\r'])), "{sheet}");
}

/// A source folder with `echo`'s sheet, changed by `change`; what the check says.
fn check(change: impl Fn(String) -> String) -> Result<(), String> {
    let (folder, file) = folder();
    let text = change(sheet(&sampled(Echo::Well)).unwrap());
    fs::write(file, format!("---\nsource: any.rs\n---\n{text}")).unwrap();
    check_sheets(folder.path(), &[sampled(Echo::Well)]).map_err(|faults| faults.to_string())
}

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let snapshots = folder.path().join("text").join("snapshots");
    fs::create_dir_all(&snapshots).unwrap();
    (folder, snapshots.join("echo.snap"))
}

#[test]
fn an_equal_sheet_passes() {
    check(|sheet| sheet).unwrap();
}

#[test]
fn one_byte_makes_a_difference() {
    let changes: [fn(String) -> String; 6] = [
        |sheet| sheet.replace("|a ⏎", "|a⏎"),
        |sheet| sheet.replace("\\r⏎", "⏎"),
        |sheet| sheet.replace("sent.■", "sent.⏎\n|■"),
        |sheet| sheet.replace('\n', "\r\n"),
        |sheet| sheet + "\n",
        |sheet| sheet.replace("|■\n", "|■ \n"),
    ];
    for change in changes {
        let faults = check(change).unwrap_err();
        assert_eq!(faults, "echo: the sheet differs, see above");
    }
}

#[test]
fn a_missing_sheet_and_one_without_a_tool_are_found() {
    let (folder, file) = folder();
    fs::write(file.with_file_name("gone.snap"), "---\nsource: any.rs\n---\ntool: gone\n").unwrap();
    let faults = check_sheets(folder.path(), &[sampled(Echo::Well)]).unwrap_err().to_string();
    let gone = file.with_file_name("gone.snap");
    let gone = gone.strip_prefix(folder.path()).unwrap().display();
    assert_eq!(
        faults,
        format!("echo: the sheet differs, see above\n{gone}: a sheet without a tool: remove it")
    );
}
