//! Results, formats, failures and their exit codes.

use serde_json::json;

use crate::support::{Folder, Ran, run, tenon};

fn sample() -> Folder {
    Folder::with(&[
        ("src/main.rs", "fn main() {\n    println!(\"hello\");\n}\n"),
        ("notes.txt", "one\ntwo\nthree"),
    ])
}

/// Calls a tool in the sample folder with arguments and a format.
fn call(name: &str, arguments: &str, format: &str) -> Ran {
    run(&mut sample().call(&[name, arguments, "--format", format]))
}

/// A call that fails: exit code 1, the same message in every format, and parts the message must have.
fn check_failure(name: &str, arguments: &str, code: &str, parts: &[&str]) {
    let result = call(name, arguments, "result");
    assert_eq!(result.code, 1, "{result:?}");
    assert_eq!(result.stderr, "");
    let union = result.json();
    assert_eq!(union["isError"], true);
    assert_eq!(union["error"]["info"]["code"], code, "{union}");
    assert_eq!(union.get("value"), None);
    let message = union["error"]["message"].as_str().unwrap();
    for part in parts {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
    assert_eq!(union["content"], json!([{ "type": "text", "text": format!("Error: {message}") }]));

    let native = call(name, arguments, "native");
    assert_eq!((native.code, native.stderr.as_str()), (1, ""));
    assert_eq!(native.stdout, format!("Error: {message}\n"));

    let value = call(name, arguments, "value");
    assert_eq!((value.code, value.stdout.as_str()), (1, ""));
    assert_eq!(value.stderr, format!("error: {message}\n"));
}

#[test]
fn grep_prints_what_it_finds() {
    let ran = call("grep", r#"{"pattern":"fn main"}"#, "native");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stdout.contains("src/main.rs") && ran.stdout.contains("fn main() {"), "{ran:?}");
    assert!(ran.stdout.ends_with('\n') && !ran.stdout.ends_with("\n\n"), "{ran:?}");
}

#[test]
fn the_value_is_one_line_of_json() {
    let ran = call("grep", r#"{"pattern":"fn main"}"#, "value");
    let expected = r#"{"matches":[{"path":"src/main.rs","lineNumber":1,"line":"fn main() {"}]}"#;
    assert_eq!((ran.code, ran.stdout), (0, format!("{expected}\n")));
}

#[test]
fn the_result_is_the_whole_union_in_one_line() {
    let ran = call("read", r#"{"file_path":"notes.txt"}"#, "result");
    assert_eq!((ran.code, ran.stdout.matches('\n').count()), (0, 1), "{ran:?}");
    let union = ran.json();
    let keys: Vec<&String> = union.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["isError", "value", "content", "meta"]);
    assert_eq!(union["isError"], false);
    assert_eq!(union["value"]["path"], "notes.txt");
    assert_eq!(union["content"][0]["type"], "text");
}

#[test]
fn native_and_result_have_the_same_content() {
    let native = call("read", r#"{"file_path":"notes.txt"}"#, "native");
    let result = call("read", r#"{"file_path":"notes.txt"}"#, "result").json();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(native.stdout.strip_suffix('\n').unwrap(), text.strip_suffix('\n').unwrap_or(text));
}

#[test]
fn lines_are_counted_as_wc_does_plus_an_unterminated_last_one() {
    for (text, lines) in [("", 0), ("a\n", 1), ("a\nb\n", 2), ("a\nb", 2), ("\n\n", 2)] {
        let folder = Folder::with(&[("f", text)]);
        let ran = run(&mut folder.call(&["read", r#"{"file_path":"f"}"#, "--format", "value"]));
        assert_eq!(ran.json()["totalLines"], lines, "{text:?}: {ran:?}");
    }
}

#[test]
fn a_pattern_that_does_not_compile_is_named() {
    check_failure("grep", r#"{"pattern":"("}"#, "SEARCH_INVALID_PATTERN", &["pattern"]);
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_name() {
    check_failure("gerp", "{}", "UNKNOWN_TOOL", &["gerp", "grep"]);
}

#[test]
fn a_missing_argument_is_named() {
    check_failure("read", "{}", "INVALID_TOOL_ARGS", &["file_path"]);
}

#[test]
fn an_unknown_argument_is_named_with_the_nearest_known_one() {
    let arguments = r#"{"file_path":"notes.txt","ofset":1}"#;
    check_failure("read", arguments, "INVALID_TOOL_ARGS", &["ofset", "offset"]);
}

#[test]
fn an_argument_of_the_wrong_type_is_named_and_not_printed() {
    let arguments = r#"{"file_path":"notes.txt","offset":"secret"}"#;
    check_failure("read", arguments, "INVALID_TOOL_ARGS", &["offset", "integer", "string"]);
    assert!(!call("read", arguments, "native").stdout.contains("secret"));
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    check_failure("read", "[1]", "INVALID_TOOL_ARGS", &["object", "array"]);
}

#[test]
fn a_file_that_is_not_there_fails_the_call() {
    check_failure("read", r#"{"file_path":"absent"}"#, "FS_NOT_FOUND", &["absent"]);
}

#[test]
fn the_root_is_where_relative_paths_start() {
    let folder = sample();
    let inside = folder.path().join("src");
    let mut command = tenon();
    command.args(["call", "read", r#"{"file_path":"main.rs"}"#, "--format", "value"]);
    let ran = run(command.current_dir(&inside));
    assert_eq!((ran.code, &ran.json()["path"]), (0, &json!("main.rs")));
    let mut command = tenon();
    command.args(["call", "read", r#"{"file_path":"main.rs"}"#, "--format", "value"]);
    let ran = run(command.current_dir(folder.path()).args(["--root", "src"]));
    assert_eq!((ran.code, &ran.json()["path"]), (0, &json!("main.rs")));
}

#[test]
fn a_root_that_is_no_folder_is_a_usage_error() {
    let folder = sample();
    for (root, part) in [("absent", "No such file"), ("notes.txt", "not a folder")] {
        let mut command = tenon();
        command.args(["call", "glob", r#"{"pattern":"*"}"#, "--root", root]);
        let ran = run(command.current_dir(folder.path()));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.starts_with(&format!("error: --root {root}: ")), "{ran:?}");
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
}

#[test]
fn flags_that_do_not_exist_are_usage_errors() {
    let words: &[&[&str]] = &[
        &["call"],
        &["call", "grep", "{}", "--fromat", "value"],
        &["call", "grep", "{}", "--format", "html"],
        &["call", "grep", "{}", "--access", "all"],
        &["call", "grep", "{}", "--log", "a=b=c"],
        &["frobnicate"],
        &[],
    ];
    for words in words {
        let ran = run(tenon().args(*words));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}: {ran:?}");
        assert!(!ran.stderr.is_empty());
    }
}

#[test]
fn the_log_goes_to_stderr_and_holds_no_value() {
    let ran = run(&mut sample().call(&["grep", r#"{"pattern":"hello"}"#, "--log", "trace"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("println!"), "{ran:?}");
    assert!(ran.stderr.contains("grep"), "{ran:?}");
    assert!(!ran.stderr.contains("hello") && !ran.stderr.contains("println!"), "{ran:?}");
}
