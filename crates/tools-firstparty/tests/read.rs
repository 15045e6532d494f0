//! `read` through the registry.

use serde_json::json;
use tools_firstparty::{Config, ReadCaps};

use crate::support::Workspace;

#[tokio::test]
async fn a_page_has_value_text_and_metadata() {
    let workspace = Workspace::new(&[("src/a.rs", "fn a() {}\n\n// é\n")]);
    let outcome = workspace.call("read", &json!({ "file_path": "src/a.rs", "limit": 1 })).await;
    let union = serde_json::to_value(outcome.union()).unwrap();
    assert_eq!(
        union["value"],
        json!({
            "path": "src/a.rs",
            "offset": 1,
            "lines": [{ "number": 1, "text": "fn a() {}" }],
            "totalLines": 3
        })
    );
    assert_eq!(
        union["content"][0]["text"],
        "<path>src/a.rs</path>\n<type>file</type>\n<content>\n1: fn a() {}\n\n\
         (Lines 1-1 of 3. Go on with offset=2.)\n</content>"
    );
    assert_eq!(union["meta"]["lang"], "rust");
    assert_eq!(union["meta"]["totalLines"], 3);
}

#[tokio::test]
async fn an_empty_file_has_a_footer_only() {
    let workspace = Workspace::new(&[("empty", "")]);
    assert_eq!(
        workspace.text("read", json!({ "file_path": "empty" })).await,
        "<path>empty</path>\n<type>file</type>\n<content>\n(End of file: 0 lines.)\n</content>"
    );
}

#[tokio::test]
async fn an_absolute_path_under_the_workspace_is_shown_relative_to_it() {
    let workspace = Workspace::new(&[("a", "x")]);
    let absolute = workspace.dir.path().join("a");
    let value = workspace.value("read", json!({ "file_path": absolute })).await;
    assert_eq!(value["path"], "a");
}

#[tokio::test]
async fn arguments_are_checked_by_the_schema() {
    let workspace = Workspace::new(&[("a", "x")]);
    for arguments in [
        json!({}),
        json!({ "file_path": 1 }),
        json!({ "file_path": "a", "offset": 0 }),
        json!({ "file_path": "a", "offset": 1.5 }),
        json!({ "file_path": "a", "limit": -1 }),
        json!({ "file_path": "a", "limit": 2_001 }),
        json!({ "file_path": "a", "lines": 1 }),
    ] {
        let (code, message) = workspace.failure("read", arguments.clone()).await;
        assert_eq!(code, "INVALID_TOOL_ARGS", "{arguments}: {message}");
    }
    assert_eq!(
        workspace.value("read", json!({ "file_path": "a", "limit": 2_000 })).await["offset"],
        1
    );
}

#[tokio::test]
async fn the_schema_shows_the_limit_in_force() {
    let read = ReadCaps { page_max_lines: 7, ..ReadCaps::default() };
    let workspace = Workspace::with(&[], &Config { read, ..Config::default() });
    let definition = workspace.registry.get("read").unwrap();
    let limit = &definition.parameters().document()["properties"]["limit"];
    assert_eq!(limit["maximum"], 7);
    assert!(limit["description"].as_str().unwrap().contains("Default 7"), "{limit}");
}

#[tokio::test]
async fn failures_have_codes() {
    let workspace = Workspace::new(&[("a", "x\n"), ("bin", "\0")]);
    for (path, expected) in [
        ("none", "FS_NOT_FOUND"),
        (".", "FS_NOT_REGULAR_FILE"),
        ("bin", "FS_NOT_TEXT"),
        ("  ", "FS_INVALID_ARGUMENT"),
        ("../../../../../../../../../none", "FS_NOT_FOUND"),
    ] {
        let (code, message) = workspace.failure("read", json!({ "file_path": path })).await;
        assert_eq!(code, expected, "{message}");
    }
}
