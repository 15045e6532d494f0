//! External command hooks around a call.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Folder, Ran, run};

/// A folder whose user has these hooks: event, matcher, shell command.
fn with_hooks(hooks: &[(&str, &str, &str)], more: &str) -> Folder {
    let folder = Folder::with(&[("a.txt", "one\n")]);
    let mut events = serde_json::Map::new();
    for (event, matcher, command) in hooks {
        let group = json!({
            "matcher": matcher,
            "hooks": [{ "type": "command", "command": command, "timeout": 2 }],
        });
        let groups = events.entry(*event).or_insert_with(|| json!([]));
        groups.as_array_mut().unwrap().push(group);
    }
    let file = folder.path().join("hooks.json");
    fs::write(&file, json!({ "hooks": Value::Object(events) }).to_string()).unwrap();
    folder.configure(&format!(
        "[hooks]\nfiles = [{{ path = {:?}, format = \"claude\" }}]\n{more}",
        file.to_str().unwrap()
    ));
    folder
}

fn read(folder: &Folder) -> Ran {
    run(&mut folder.call(&["read", r#"{"file_path":"a.txt"}"#, "--format", "result"]))
}

#[test]
fn a_deny_before_the_call_is_a_refusal_with_its_reason() {
    let folder = with_hooks(&[("PreToolUse", "Read", "echo not today >&2; exit 2")], "");
    let ran = read(&folder);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("not today"), "{ran:?}");
    assert_eq!(run(&mut folder.call(&["grep", r#"{"pattern":"one"}"#])).code, 0);
}

#[test]
fn a_block_after_the_call_removes_the_value() {
    let folder = with_hooks(
        &[("PostToolUse", "Read", r#"echo '{"decision":"block","reason":"look elsewhere"}'"#)],
        "",
    );
    let union = read(&folder).json();
    assert_eq!(union["error"]["info"]["code"], "TOOL_BLOCKED");
    assert_eq!(union["content"][0]["text"], "look elsewhere");
}

#[test]
fn an_added_context_and_an_updated_output_reach_the_model_and_not_the_value() {
    let output = r#"echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"mind the gap","updatedToolOutput":"[hidden]"}}'"#;
    let folder = with_hooks(&[("PostToolUse", "*", output)], "");
    let union = read(&folder).json();
    assert_eq!(union["content"][0]["text"], "[hidden]");
    assert_eq!(union["value"]["lines"][0]["text"], "one");
    assert_eq!(union["additionalContexts"][0]["content"][0]["text"], "mind the gap");
}

#[test]
fn a_hook_that_hangs_floods_or_dies_is_bounded_and_reported() {
    for (command, part) in [
        ("sleep 60", "2"),
        ("kill -KILL $$", "signal"),
        ("yes 0123456789 | head -c 100000000", "wrote 100000000 bytes"),
    ] {
        let folder = with_hooks(&[("PreToolUse", "*", command)], "");
        let began = Instant::now();
        let ran = read(&folder);
        assert!(began.elapsed() < Duration::from_secs(20), "{command}");
        assert_eq!(ran.code, 1, "{command}: {ran:?}");
        let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(part), "{command}: {message}");
        assert_eq!(ran.stderr, "", "{command}");
        assert!(ran.stdout.len() < 50_000, "{command}");
    }
}

#[test]
fn a_hook_after_the_call_that_fails_is_told_of_and_the_result_stays() {
    for (command, part) in [
        ("sleep 60", "did not end in time and was stopped after 2"),
        ("kill -KILL $$", "was ended by signal 9"),
        ("printf '{\"decision\":'", "wrote a decision that cannot be read: "),
        ("printf 'no \\033[2J' >&2; exit 1", "ended with exit code 1"),
    ] {
        let folder = with_hooks(&[("PostToolUse", "*", command)], "");
        let ran = read(&folder);
        assert_eq!((ran.code, ran.json()["value"]["lines"][0]["text"].as_str()), (0, Some("one")));
        let begins = format!("warning: the hook PostToolUse/0/0 of hooks.json {part}");
        assert!(ran.stderr.starts_with(&begins), "{command}: {ran:?}");
        let decides_nothing = ran.stderr.contains(", which decides nothing");
        assert_eq!(decides_nothing, command.ends_with("exit 1"), "{command}: {ran:?}");
        assert_eq!(ran.stderr.contains("it said: no \\u{1b}[2J"), command.ends_with("exit 1"));
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    }
    let quiet = with_hooks(&[("PostToolUse", "*", "echo fine")], "");
    assert_eq!(read(&quiet).stderr, "");
}

#[test]
fn a_refusal_behind_a_byte_order_mark_is_a_refusal() {
    let command = r#"printf '\357\273\277{"decision":"block","reason":"no"}'"#;
    let ran = read(&with_hooks(&[("PreToolUse", "*", command)], ""));
    assert_eq!(ran.json()["error"]["message"], "no");
}

#[test]
fn what_hooks_did_is_in_the_log() {
    let folder =
        with_hooks(&[("PreToolUse", "Read", "exit 0"), ("PostToolUse", "Grep", "exit 0")], "");
    let mut command = folder.call(&["read", r#"{"file_path":"a.txt"}"#, "--session", "s1"]);
    assert_eq!(run(&mut command).code, 0);
    let log = fs::read_to_string(folder.state().join("sessions/s1/log.jsonl")).unwrap();
    let entries = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kinds: Vec<_> = entries.map(|entry| entry["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["session/open", "tool/call", "hook/invoked", "hook/result", "tool/result"]);
}

#[test]
fn a_file_that_is_no_hook_file_is_a_configuration_error_with_its_line() {
    let folder = with_hooks(&[], "");
    let file = folder.path().join("hooks.json");
    for (text, part) in
        [("{\n  \"hooks\": }", "hooks.json:2: "), ("{\n\"hooks\": 7\n}", "hooks.json:")]
    {
        fs::write(&file, text).unwrap();
        let ran = read(&folder);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
    fs::remove_file(&file).unwrap();
    assert_eq!(read(&folder).code, 2);
}

#[test]
fn a_workspaces_hooks_run_nothing_before_trust() {
    let folder = Folder::with(&[("a.txt", "one\n")]);
    let mark = folder.path().join("ran");
    let hooks = json!({ "PreToolUse": [{ "hooks": [{ "type": "command", "command": format!("touch {}", mark.display()) }] }] });
    fs::write(folder.path().join("h.json"), hooks.to_string()).unwrap();
    let config = "[hooks]\nfiles = [{ path = \"h.json\", format = \"claude\" }]\n";
    fs::write(folder.path().join("tenon.toml"), config).unwrap();
    let ran = read(&folder);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("h.json; that is not in effect"), "{ran:?}");
    assert!(!mark.exists());
    let trusted = run(&mut folder.tenon(&["trust", "--yes"]));
    assert!(trusted.stdout.contains("run `touch "), "{trusted:?}");
    assert_eq!(read(&folder).code, 0);
    assert!(mark.exists());
    // A changed command is a new question.
    fs::remove_file(&mark).unwrap();
    fs::write(folder.path().join("h.json"), hooks.to_string().replace("touch", "touch -a"))
        .unwrap();
    assert_eq!(read(&folder).code, 2);
    assert!(!mark.exists());
}

#[test]
fn a_hook_whose_exit_code_decides_nothing_is_told_of() {
    for (event, script) in [("PreToolUse", "echo oops >&2; exit 1"), ("PostToolUse", "exit 3")] {
        let folder = Folder::with(&[("a.txt", "one\n")]);
        let hooks = json!({ event: [{ "hooks": [{ "type": "command", "command": script }] }] });
        fs::write(folder.path().join("h.json"), hooks.to_string()).unwrap();
        let path = folder.path().join("h.json");
        let path = path.display();
        folder.configure(&format!(
            "[hooks]\nfiles = [{{ path = \"{path}\", format = \"claude\" }}]\n"
        ));
        let ran = read(&folder);
        assert_eq!(ran.code, 0, "{ran:?}");
        let told = format!("warning: the hook {event}/0/0 of h.json ended with exit code");
        assert!(ran.stderr.starts_with(&told), "{ran:?}");
    }
}

#[test]
fn what_a_hook_said_without_effect_is_told() {
    let folder = Folder::with(&[("a.txt", "one\n")]);
    let answer = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": { "file_path": "b.txt" } } });
    fs::write(folder.path().join("answer.json"), answer.to_string()).unwrap();
    let hooks = json!({ "PreToolUse": [{ "hooks": [{ "type": "command", "command": "cat answer.json" }] }] });
    fs::write(folder.path().join("h.json"), hooks.to_string()).unwrap();
    let config = "[hooks]\nfiles = [{ path = \"h.json\", format = \"claude\" }]\n";
    fs::write(folder.path().join("tenon.toml"), config).unwrap();
    let trusted = run(&mut folder.tenon(&["trust", "--yes"]));
    assert!(trusted.stdout.contains("run `cat answer.json` at PreToolUse"), "{trusted:?}");
    let ran = read(&folder);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("warning: the hook PreToolUse/0/0 of h.json: "), "{ran:?}");
    assert!(ran.stderr.contains("updatedInput"), "{ran:?}");
}

#[test]
fn a_hook_file_that_is_missing_is_an_error_only_where_it_would_run() {
    let folder = Folder::with(&[("a.txt", "one\n"), ("h.json", "{}")]);
    let config = "[hooks]\nfiles = [{ path = \"h.json\", format = \"claude\" }]\n";
    fs::write(folder.path().join("tenon.toml"), config).unwrap();
    let hooks = folder.path().join("h.json");
    fs::remove_file(&hooks).unwrap();
    let ran = read(&folder);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("not in effect before `tenon trust` ("), "{ran:?}");
    fs::write(&hooks, "{}").unwrap();
    assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
    fs::remove_file(&hooks).unwrap();
    let ran = read(&folder);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("h.json"), "{ran:?}");
}
