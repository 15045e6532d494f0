//! What hook files say, and what is wrong with them.

use std::error::Error as _;
use std::path::Path;

use contract_hooks::command::{
    CommandHooks, CommandOptions, CommandOptionsError, Dialect, HookConfigError, HookFile,
    KnownTools,
};

fn parse(dialect: Dialect, text: &str) -> Result<HookFile, HookConfigError> {
    HookFile::parse("dir/hooks.json", text.as_bytes(), dialect, &KnownTools::default())
}

fn warnings(dialect: Dialect, text: &str) -> Vec<String> {
    let file = parse(dialect, text).unwrap();
    file.warnings().iter().map(ToString::to_string).collect()
}

fn commands(file: &HookFile) -> Vec<String> {
    file.commands().map(|(_, command)| command).collect()
}

fn error(text: &str) -> String {
    let errors = [Dialect::Claude, Dialect::Codex].map(|dialect| parse(dialect, text).unwrap_err());
    let texts = errors.map(|error| match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    });
    assert_eq!(texts[0], texts[1]);
    texts[0].clone()
}

const HOOK: &str = r#"{ "type": "command", "command": "true" }"#;

#[test]
fn both_forms_of_a_file_are_read() {
    let group = format!(r#"[{{ "matcher": "Bash", "hooks": [{HOOK}, {HOOK}] }}]"#);
    for text in [
        format!(r#"{{ "hooks": {{ "PreToolUse": {group} }}, "permissions": {{}} }}"#),
        format!(r#"{{ "PreToolUse": {group} }}"#),
    ] {
        for dialect in [Dialect::Claude, Dialect::Codex] {
            let file = parse(dialect, &text).unwrap();
            assert_eq!(commands(&file), ["true", "true"]);
            assert!(file.warnings().is_empty());
        }
    }
    let plain = r#"{ "Stop": [{ "hooks": [{ "type": "command", "command": "rm", "args": ["-rf", "x"] }] }] }"#;
    let file = parse(Dialect::Claude, plain).unwrap();
    assert_eq!(commands(&file), ["rm -rf x"]);
    assert_eq!(parse(Dialect::Claude, plain).unwrap().commands().next().unwrap().0, "Stop");
    assert!(parse(Dialect::Claude, "{}").unwrap().is_empty());
    let settings = r#"{ "permissions": { "deny": ["Read"] }, "model": "x" }"#;
    let said = ["dir/hooks.json:1: there are no hooks in this file"];
    assert_eq!(warnings(Dialect::Claude, settings), said);
    assert!(parse(Dialect::Codex, r#"{ "hooks": {} }"#).unwrap().is_empty());
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let missing =
        HookFile::load(Path::new("/no/such/file"), Dialect::Claude, &KnownTools::default());
    assert_eq!(missing.unwrap_err().to_string(), "/no/such/file: the hook file cannot be read");
    let device = HookFile::load(Path::new("/dev/zero"), Dialect::Claude, &KnownTools::default());
    assert!(matches!(device, Err(HookConfigError::Read { .. })));
}

#[test]
fn what_is_no_json_names_its_line() {
    let found = error("{\n \"PreToolUse\": [\n ,\n] }");
    assert!(found.starts_with("dir/hooks.json:3: the hook file is no JSON: "), "{found}");
    assert!(found.contains("line 3, column 2"), "{found}");
    assert!(error("").starts_with("dir/hooks.json:1: the hook file is no JSON"));
    assert!(error("{\n\"Stop\": [],\n\"Stop\": []}").starts_with("dir/hooks.json:3: "));
}

#[test]
fn what_is_no_hook_file_names_its_line() {
    for (text, expected) in [
        ("[]", "1: a hook file must be object, not array"),
        ("{\n\"hooks\":\n []}", "3: `hooks` must be object, not array"),
        ("{\n\"Stop\": {}}", "2: `Stop` must be array, not object"),
        ("{\"Stop\": [\n{\"hooks\": []},\n7]}", "3: a group of hooks must be object, not integer"),
        (
            "{\"Stop\": [\n\n{\"matcher\": \"\"}]}",
            "3: a group of hooks needs `hooks`, a list of handlers",
        ),
        ("{\"Stop\": [{\"hooks\":\n 5}]}", "2: `hooks` of a group must be array, not integer"),
        ("{\"Stop\": [{\"hooks\": [\n\"x\"]}]}", "2: a handler must be object, not string"),
        ("{\"Stop\": [{\"hooks\": [\n{}]}]}", "2: a handler needs `type`, such as \"command\""),
        (
            "{\"Stop\": [{\"hooks\": [{\n\"type\": \"command\", \"command\": \" \"}]}]}",
            "1: a command handler needs `command`, a text that is not empty",
        ),
        (
            "{\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\",\n\"timeout\": 0}]}]}",
            "2: `timeout` must be seconds, more than 0 and at most 2147483",
        ),
        (
            "{\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\",\n\"timeout\": 1e300}]}]}",
            "2: `timeout` must be seconds, more than 0 and at most 2147483",
        ),
        (
            "{\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\",\n\"args\": [1]}]}]}",
            "2: every one of `args` must be a text",
        ),
        (
            "{\"PreToolUse\": [{\n\"matcher\": 3, \"hooks\": []}]}",
            "2: `matcher` must be string, not integer",
        ),
    ] {
        assert_eq!(error(text), format!("dir/hooks.json:{expected}"), "{text}");
    }
}

#[test]
fn a_matcher_that_is_no_expression_is_an_error_where_it_would_be_used() {
    let file = |event: &str| {
        format!("{{\n\"{event}\": [{{\n\"matcher\": \"(\", \"hooks\": [{HOOK}] }}] }}")
    };
    for event in ["PreToolUse", "PostToolUse", "SessionStart", "SubagentStop"] {
        let error = error(&file(event));
        assert!(
            error.starts_with("dir/hooks.json:3: `matcher` is no regular expression: "),
            "{error}"
        );
    }
    for event in ["Stop", "UserPromptSubmit", "Notification"] {
        parse(Dialect::Claude, &file(event)).unwrap();
    }
}

#[test]
fn a_file_can_turn_its_hooks_off_and_a_group_cannot() {
    let hooks = format!(r#"{{ "Stop": [{{ "enabled": false, "hooks": [{HOOK}] }}] }}"#);
    let off = format!(r#"{{ "disableAllHooks": true, "hooks": {hooks} }}"#);
    assert!(parse(Dialect::Claude, &off).unwrap().is_empty());
    let said = ["dir/hooks.json:1: this turns off every hook of the file"];
    assert_eq!(warnings(Dialect::Claude, &off), said);
    let on = format!(r#"{{ "disableAllHooks": false, "hooks": {hooks} }}"#);
    assert_eq!(commands(&parse(Dialect::Claude, &on).unwrap()), ["true"]);
    let said = ["dir/hooks.json:1: `enabled` of a group of hooks has no effect here"];
    assert_eq!(warnings(Dialect::Claude, &on), said);
    assert_eq!(commands(&parse(Dialect::Claude, &format!("\u{feff}{on}")).unwrap()), ["true"]);
}

#[test]
fn what_has_no_effect_is_told() {
    let text = "{ \"hooks\": {\n\"Notification\": 5,\n\"PreToolUze\": [],\n\"PreToolUse\": [ { \"hooks\": [\n\
        { \"type\": \"prompt\", \"prompt\": \"x\" },\n\
        { \"type\": \"command\", \"command\": \"a\", \"once\": true },\n\
        { \"type\": \"command\", \"command\": \"b\", \"async\": true }\n] } ] } }";
    let common = [
        "dir/hooks.json:2: there is no event `Notification` here, its hooks do not run",
        "dir/hooks.json:3: there is no event `PreToolUze` here, its hooks do not run; `PreToolUse` is meant?",
        "dir/hooks.json:5: handlers of type `prompt` do not run here",
        "dir/hooks.json:6: `once` of a handler has no effect here",
    ];
    for (dialect, last, commands) in [
        (Dialect::Claude, "`async` has no effect: the hook is waited for", vec!["a", "b"]),
        (Dialect::Codex, "hooks with `async` do not run here", vec!["a"]),
    ] {
        let found = warnings(dialect, text);
        assert_eq!(found[..4], common);
        assert_eq!(found[4..], [format!("dir/hooks.json:7: {last}")]);
        let file = parse(dialect, text).unwrap();
        assert_eq!(self::commands(&file), commands);
    }
}

#[test]
fn a_matcher_that_names_no_known_tool_is_told() {
    let file = |matcher: &str| {
        format!("{{\n\"PreToolUse\": [{{\n \"matcher\": \"{matcher}\", \"hooks\": [{HOOK}] }}] }}")
    };
    for fine in ["Bash", "Edit|Write|MultiEdit", "bash", "", "*", "mcp__.*", "mcp__a__b", "^Web"] {
        for dialect in [Dialect::Claude, Dialect::Codex] {
            assert_eq!(warnings(dialect, &file(fine)), [""; 0], "{fine}");
        }
    }
    assert_eq!(
        warnings(Dialect::Claude, &file("Edit|NotebookEdit|bush")),
        [
            "dir/hooks.json:3: the matcher `NotebookEdit` names no tool there is here",
            "dir/hooks.json:3: the matcher `bush` names no tool there is here"
        ]
    );
    assert_eq!(
        warnings(Dialect::Codex, &file("^bush$")),
        ["dir/hooks.json:3: the matcher `^bush$` names no tool there is here"]
    );
    let few = KnownTools::of(["read"]);
    let found = HookFile::parse("h", file("Bash|Read").as_bytes(), Dialect::Claude, &few).unwrap();
    assert_eq!(found.warnings().len(), 1);
}

#[test]
fn limits_that_cannot_work_are_refused() {
    let adjusted = |adjust: fn(&mut CommandOptions)| {
        let mut options = CommandOptions::new("/");
        adjust(&mut options);
        CommandHooks::new(parse(Dialect::Claude, "{}").unwrap(), options).map(|_| ())
    };
    assert_eq!(adjusted(|_| {}), Ok(()));
    let refused = CommandOptionsError::Limit { name: "stdout_max_bytes" };
    assert_eq!(adjusted(|options| options.limits.stdout_max_bytes = 0), Err(refused));
    let refused = CommandOptionsError::Limit { name: "timeout_ms" };
    assert_eq!(adjusted(|options| options.limits.timeout_ms = u64::MAX), Err(refused));
}
