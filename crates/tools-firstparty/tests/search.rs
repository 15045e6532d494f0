//! `glob` and `grep` through the registry.

use contract_registry::{CallEnv, CallRequest, CancelSource};
use serde_json::json;
use std::sync::Arc;

use crate::support::Workspace;

#[tokio::test]
async fn glob_has_value_text_and_metadata() {
    let workspace = Workspace::new(&[("src/a.rs", ""), ("b.txt", "")]);
    let outcome = workspace.call("glob", &json!({ "pattern": "src/*.rs" })).await;
    let union = serde_json::to_value(outcome.union()).unwrap();
    assert_eq!(union["value"], json!({ "paths": ["src/a.rs"] }));
    assert_eq!(union["content"], json!([{ "type": "text", "text": "src/a.rs" }]));
    assert_eq!(
        union["meta"],
        json!({ "shape": "paths", "paths": ["src/a.rs"], "truncated": false, "total": 1 })
    );
}

#[tokio::test]
async fn grep_has_value_text_and_metadata() {
    let workspace = Workspace::new(&[("src/a.rs", "one\ntwo\n"), ("b.txt", "one\r\n")]);
    let outcome = workspace.call("grep", &json!({ "pattern": "^one$" })).await;
    let union = serde_json::to_value(outcome.union()).unwrap();
    assert_eq!(
        union["value"],
        json!({ "matches": [
            { "path": "b.txt", "lineNumber": 1, "line": "one" },
            { "path": "src/a.rs", "lineNumber": 1, "line": "one" },
        ] })
    );
    assert_eq!(
        union["content"][0]["text"],
        "2 matches in 2 files\n\nb.txt\n1: one\n\nsrc/a.rs\n1: one"
    );
    assert_eq!(union["meta"]["shape"], "matches");
    assert_eq!(union["meta"]["files"][1]["matches"][0], json!({ "lineNumber": 1, "line": "one" }));
}

#[tokio::test]
async fn the_value_keeps_what_the_page_leaves_out() {
    let workspace = Workspace::new(&[("f", &"hit\n".repeat(251))]);
    let value = workspace.value("grep", json!({ "pattern": "hit" })).await;
    assert_eq!(value["matches"].as_array().unwrap().len(), 251);
    let text = workspace.text("grep", json!({ "pattern": "hit" })).await;
    assert!(text.starts_with("250 of 251 matches\n"), "{text}");
    assert!(text.ends_with("include.)"), "{text}");
}

#[tokio::test]
async fn what_read_shows_opens_by_the_path_grep_gives() {
    let workspace = Workspace::new(&[("a/b/c.txt", "x\nneedle\n")]);
    let found = workspace.value("grep", json!({ "pattern": "needle", "path": "a" })).await;
    let found = &found["matches"][0];
    let arguments = json!({ "file_path": found["path"], "offset": found["lineNumber"] });
    assert_eq!(workspace.value("read", arguments).await["lines"][0]["text"], found["line"]);
}

#[tokio::test]
async fn bad_patterns_say_what_is_wrong() {
    let workspace = Workspace::new(&[]);
    let (code, message) = workspace.failure("grep", json!({ "pattern": "(" })).await;
    assert_eq!(code, "SEARCH_INVALID_PATTERN");
    assert!(message.contains("unclosed group"), "{message}");
    let (code, message) = workspace.failure("glob", json!({ "pattern": "../*" })).await;
    assert_eq!(code, "SEARCH_INVALID_PATTERN");
    assert!(message.contains("`path`"), "{message}");
    let (code, _) = workspace.failure("grep", json!({ "pattern": "x", "glob": "*" })).await;
    assert_eq!(code, "INVALID_TOOL_ARGS");
}

#[tokio::test]
async fn a_cancelled_search_is_aborted() {
    let workspace = Workspace::new(&[("f", "x")]);
    let source = CancelSource::new();
    source.cancel();
    let request = CallRequest::from_text("grep", r#"{"pattern":"x"}"#)
        .with_env(Arc::new(CallEnv::new(workspace.dir.path())))
        .with_cancel(source.signal());
    let outcome = workspace.registry.dispatch(request).await;
    assert_eq!(outcome.error().unwrap().code(), Some("ABORTED_BEFORE_DISPATCH"));
}

#[tokio::test]
async fn every_tool_that_only_looks_says_so() {
    let workspace = Workspace::new(&[]);
    let listed = workspace.registry.list();
    let read_only = listed.iter().filter(|tool| tool.annotations().read_only);
    let names: Vec<&str> = read_only.map(|tool| tool.name()).collect();
    assert_eq!(
        names,
        ["glob", "grep", "job_list", "job_output", "read", "terminal_list", "terminal_read"]
    );
}

#[tokio::test]
async fn a_search_is_cancelled_while_it_runs() {
    let workspace = Workspace::new(&[("big", &"a line of text\n".repeat(4_000_000))]);
    let source = CancelSource::new();
    let request = CallRequest::from_text("grep", r#"{"pattern":"(\\w+ ){5}\\d{3}"}"#)
        .with_env(Arc::new(CallEnv::new(workspace.dir.path())))
        .with_cancel(source.signal());
    let (outcome, ()) = tokio::join!(workspace.registry.dispatch(request), async {
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
        source.cancel();
    });
    assert_eq!(outcome.error().unwrap().code(), Some("ABORTED"));
    assert_eq!(workspace.registry.orphaned_work(), 0);
}
