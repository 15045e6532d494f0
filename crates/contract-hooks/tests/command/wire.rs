//! What hooks are told.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use contract_hooks::command::alias::{own_input, own_names, wire_name};
use contract_hooks::command::{CommandOptions, Dialect};
use contract_registry::{CallEnv, CallRequest};
use contract_schema::Json;
use serde_json::{Value, json};

use super::support::{World, file, world_with};

const KEEP: &str = "cat > told.json";

async fn told(dialect: Dialect, event: &str, tool: &str, arguments: Value) -> (World, Value) {
    let adjust = |options: &mut CommandOptions| {
        options.transcript_path = Some("/logs/s-1.jsonl".into());
        options.model = "some-model".to_owned();
        options.turn = Some(Arc::new(|_| Some(3)));
    };
    let world = world_with(dialect, &file(event, &[KEEP]), adjust);
    world.registry.dispatch(world.request(tool, &arguments)).await;
    let mut told = world.json("told.json");
    assert!(told["tool_use_id"].as_str().unwrap().starts_with("call-"));
    told.as_object_mut().unwrap().remove("tool_use_id");
    (world, told)
}

#[tokio::test]
async fn claudes_form_before_a_call() {
    let arguments = json!({ "command": "ls", "timeout_ms": 5, "description": "d" });
    let (world, told) = told(Dialect::Claude, "PreToolUse", "bash", arguments).await;
    let expected = json!({
        "session_id": "s-1",
        "transcript_path": "/logs/s-1.jsonl",
        "cwd": world.path().to_str().unwrap(),
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": { "command": "ls", "timeout": 5, "description": "d" },
    });
    assert_eq!(told, expected);
    let bytes = std::fs::read(world.path().join("told.json")).unwrap();
    assert!(bytes.ends_with(b"}\n"));
}

#[tokio::test]
async fn codexs_form_after_a_call() {
    let arguments = json!({ "command": "ls", "timeout_ms": 5 });
    let (world, told) = told(Dialect::Codex, "PostToolUse", "bash", arguments).await;
    let expected = json!({
        "session_id": "s-1",
        "transcript_path": "/logs/s-1.jsonl",
        "cwd": world.path().to_str().unwrap(),
        "hook_event_name": "PostToolUse",
        "permission_mode": "default",
        "model": "some-model",
        "turn_id": "3",
        "tool_name": "Bash",
        "tool_input": { "command": "ls" },
        "tool_response": "count is 1",
        "tool_result": { "text": "count is 1", "isError": false, "value": { "count": 1 } },
    });
    assert_eq!(told, expected);
    let bytes = std::fs::read(world.path().join("told.json")).unwrap();
    assert!(bytes.ends_with(b"}"));
}

#[tokio::test]
async fn results_are_told_as_text_and_as_value_or_error() {
    let (_, done) =
        told(Dialect::Claude, "PostToolUse", "grep", json!({ "include": "*.rs" })).await;
    assert_eq!(done["tool_input"], json!({ "glob": "*.rs" }));
    let response = json!({ "text": "count is 1", "isError": false, "value": { "count": 1 } });
    assert_eq!(done["tool_response"], response);

    let hooks = json!({ "PreToolUse": [{ "hooks": [super::support::handler("echo no >&2; exit 2")] }],
        "PostToolUse": [{ "hooks": [super::support::handler(KEEP)] }] });
    let world = world_with(Dialect::Claude, &hooks, |_| {});
    world.call("bash").await;
    let response = json!({
        "text": "Error: no",
        "isError": true,
        "error": { "message": "no", "name": "ToolDeniedError", "code": "TOOL_DENIED" },
    });
    assert_eq!(world.json("told.json")["tool_response"], response);
}

#[tokio::test]
async fn paths_are_told_whole_however_they_were_written() {
    for path in ["src/a.rs", "./src/x/../a.rs", "../{}/src/a.rs"] {
        let (world, told) =
            told(Dialect::Claude, "PreToolUse", "edit", json!({ "file_path": path })).await;
        let name = world.path().file_name().unwrap().to_str().unwrap();
        let expected = world.path().join("src/a.rs");
        if path.contains("{}") {
            let arguments = json!({ "file_path": path.replace("{}", name) });
            world.registry.dispatch(world.request("edit", &arguments)).await;
            let again = world.json("told.json");
            assert_eq!(again["tool_input"]["file_path"], expected.to_str().unwrap());
        } else {
            assert_eq!(told["tool_input"]["file_path"], expected.to_str().unwrap(), "{path}");
        }
    }
}

/// What a hook is told of `path`, with `@` for the folder around the workspace in both.
async fn told_path(root: &str, path: &str) -> (World, Result<String, String>) {
    let world = world_with(Dialect::Claude, &file("PreToolUse", &["cat > ../told.json"]), |_| {});
    for folder in ["around/ws/src", "around/ws/locked", "around/other/deep"] {
        std::fs::create_dir_all(world.path().join(folder)).unwrap();
    }
    let around = world.path().join("around");
    for (link, target) in [
        ("ws/dl", "../other/deep"),
        ("ws/inner", "locked"),
        ("ws/out", "/etc"),
        ("ws/to_come", "locked/new"),
        ("ws/loop", "loop"),
        ("door", "ws"),
    ] {
        symlink(target, around.join(link)).unwrap();
    }
    symlink(OsStr::from_bytes(b"n\xff"), around.join("ws/odd")).unwrap();
    let whole = |text: &str| text.replace('@', around.to_str().unwrap());
    let env = CallEnv::new(whole(root));
    let arguments = Json::snapshot(&json!({ "file_path": whole(path) })).unwrap();
    let request = CallRequest::new("read", arguments).with_env(Arc::new(env));
    let outcome = world.registry.dispatch(request).await;
    let told = match outcome.error() {
        None => {
            let told = world.json("around/told.json");
            let path = told["tool_input"]["file_path"].as_str().unwrap();
            Ok(path.replace(around.to_str().unwrap(), "@"))
        }
        Some(failure) => Err(failure.message().to_owned()),
    };
    (world, told)
}

#[tokio::test]
async fn a_hook_is_told_the_place_that_will_be_opened() {
    for (root, path, expected) in [
        ("@/ws", "dl/../passwd", "@/other/passwd"),
        ("@/ws", "dl/x", "@/other/deep/x"),
        ("@/ws", "inner/key", "@/ws/locked/key"),
        ("@/ws", "src/../inner/../src/a", "@/ws/src/a"),
        ("@/ws", "inner/../../other/a", "@/other/a"),
        ("@/ws", "out/passwd", "/etc/passwd"),
        ("@/ws", "to_come", "@/ws/locked/new"),
        ("@/ws", "@/door/src/a", "@/ws/src/a"),
        ("@/ws", ".", "@/ws"),
        ("@/ws", "none/../src/a", "@/ws/src/a"),
        // The root keeps its spelling, whichever way a place in it is named.
        ("@/door", "src/a", "@/door/src/a"),
        ("@/door", "@/ws/src/a", "@/door/src/a"),
        ("@/door", "inner/key", "@/door/locked/key"),
        ("@/door", "../other/a", "@/other/a"),
        ("@/ws/dl/../../ws", "inner/a", "@/ws/locked/a"),
    ] {
        let (_world, told) = told_path(root, path).await;
        assert_eq!(told.as_deref(), Ok(expected), "{root} {path}");
    }
}

#[tokio::test]
async fn h7_a_path_that_cannot_be_told_fails_the_call() {
    for path in ["loop/x", "odd", &"src/../".repeat(501)] {
        let (_world, told) = told_path("@/ws", path).await;
        assert!(told.unwrap_err().contains("where `file_path` leads cannot be told"), "{path}");
    }
}

#[test]
fn names_and_keys_go_both_ways() {
    for (own, foreign) in [("bash", "Bash"), ("edit", "Edit"), ("mcp__a__b", "mcp__a__b")] {
        assert_eq!(wire_name(own), foreign);
    }
    assert_eq!(own_names("apply_patch").collect::<Vec<_>>(), ["write", "edit"]);
    assert_eq!(own_names("Bash").collect::<Vec<_>>(), ["bash"]);
    assert_eq!(own_names("Unknown").count(), 0);
    let Value::Object(input) = json!({ "command": "ls", "timeout": 5 }) else { unreachable!() };
    assert_eq!(
        Value::Object(own_input("bash", input)),
        json!({ "command": "ls", "timeout_ms": 5 })
    );
}

#[tokio::test]
async fn hooks_run_in_the_workspace_with_a_scrubbed_environment() {
    let script =
        "pwd -P > where; echo \"$CLAUDE_PROJECT_DIR\" > project; echo \"$SEEN|$A_TOKEN\" > seen";
    let adjust = |options: &mut CommandOptions| {
        options.environment = options.environment.clone().set("SEEN", "yes").remove("A_TOKEN");
    };
    let world = world_with(Dialect::Claude, &file("PreToolUse", &[script]), adjust);
    assert!(!world.call("bash").await.is_error());
    let read = |name: &str| std::fs::read_to_string(world.path().join(name)).unwrap();
    assert_eq!(read("where").trim(), world.path().canonicalize().unwrap().to_str().unwrap());
    assert_eq!(read("project").trim(), world.path().to_str().unwrap());
    assert_eq!(read("seen").trim(), "yes|");
}
