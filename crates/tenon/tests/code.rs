//! `tenon code` and `tenon call run_code`.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::commands::{alive, send, until};
use crate::support::{Folder, run, run_with_stdin, tenon};

/// Greps, reads the files it found in parallel, aggregates.
const SURVEY: &str = r#"
    interface Row { path: string; lines: number; impls: number }
    const { matches } = await tools.grep({ pattern: "^impl Tool for ", include: "crates/**/*.rs" });
    const paths: string[] = [...new Set(matches.map((match) => match.path))].sort();
    const pages = await Promise.all(paths.map((file_path) => tools.read({ file_path })));
    const rows: Row[] = pages.map((page) => ({
        path: page.path,
        lines: page.totalLines,
        impls: page.lines.filter((line) => line.text.startsWith("impl Tool for ")).length,
    }));
    console.log(`${rows.length} files`);
    return { files: rows, impls: rows.reduce((sum, row) => sum + row.impls, 0) };
"#;

fn entries(folder: &Folder, session: &str) -> Vec<Value> {
    let log = folder.state().join("sessions").join(session).join("log.jsonl");
    let log = fs::read_to_string(log).unwrap();
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn kinds(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["type"].as_str().unwrap()).collect()
}

#[test]
fn c1_a_program_greps_a_source_tree_reads_in_parallel_and_aggregates() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Folder::with(&[("survey.ts", SURVEY)]);
    let root = ["--root".as_ref(), repository.as_os_str()];
    let file = folder.path().join("survey.ts");
    let mut code = tenon();
    code.args(["code", "--format", "value"]).arg(file).args(root);
    let value = run(&mut code).json();
    let files = value["result"]["files"].as_array().unwrap();
    assert!(files.len() > 10, "{value}");
    assert_eq!(value["logs"], json!([format!("{} files", files.len())]));
    for row in files {
        let source = fs::read_to_string(repository.join(row["path"].as_str().unwrap())).unwrap();
        assert_eq!(row["lines"], source.lines().count(), "{row}");
        let impls = source.lines().take(2_000).filter(|line| line.starts_with("impl Tool for "));
        assert_eq!(row["impls"], impls.count(), "{row}");
    }

    let arguments = json!({ "code": SURVEY, "description": "Survey the tools" }).to_string();
    let mut call = tenon();
    call.args(["call", "run_code", &arguments, "--format", "value"]).args(root);
    assert_eq!(run(&mut call).json(), value, "the same through `tenon call`");
}

#[test]
fn a_program_comes_from_a_file_from_the_command_line_or_from_standard_input() {
    let folder = Folder::with(&[("a.ts", "return 'from a file' as string")]);
    let file = folder.path().join("a.ts");
    let ran = run(&mut folder.tenon(&["code".as_ref(), file.as_os_str()]));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "from a file\n", ""));
    let ran =
        run(&mut folder.tenon(&["code", "-e", "console.log(1); return [2]", "--format", "value"]));
    assert_eq!(ran.json(), json!({ "logs": ["1"], "result": [2] }));
    for words in [&["code"][..], &["code", "-"]] {
        let ran = run_with_stdin(&mut folder.tenon(words), b"return 3");
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "3\n"));
    }
    let ran = run_with_stdin(&mut folder.tenon(&["code"]), b"return '\xff'");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("not UTF-8: the byte at 8"), "{}", ran.stderr);
    let ran = run(&mut folder.tenon(&["code", "nothing.ts"]));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("nothing.ts"), "{}", ran.stderr);
}

#[test]
fn an_error_has_line_column_and_excerpt_of_the_program_as_written() {
    let folder = Folder::with(&[]);
    let program = "const n: number = 1;\nconsole.log(n);\nawait tools.read({ file_path: 'none' });";
    let ran = run(&mut folder.tenon(&["code", "-e", program]));
    let expected = "Error: ToolCallError: none: no such file; find the path with glob\n\
                    at line 3, column 13\n3 | await tools.read({ file_path: 'none' });\n  |             ^\n\n\
                    Logged until then:\n1\n\nCalls that had started:\n\
                    1. read failed: none: no such file; find the path with glob\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (1, expected));
    let ran = run(&mut folder.tenon(&["code", "-e", "let a = 1\nlet b = ;"]));
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("at line 2, column 9\n2 | let b = ;\n  |         ^"),
        "{}",
        ran.stdout
    );
}

#[test]
fn c2_the_log_has_starts_and_ends_of_nested_calls_before_the_result_and_replay_shows_none() {
    let folder = Folder::with(&[("a.txt", "alpha\n")]);
    let program = "const page = await tools.read({ file_path: 'a.txt' });
        await tools.glob({ path: 'none', pattern: '*' }).catch(() => 0);
        return page.lines[0].text";
    let ran = run(&mut folder.tenon(&["code", "-e", program, "--session", "s"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "alpha\n"));
    let entries = entries(&folder, "s");
    let nested = ["tool/ptc-dispatch-start", "tool/ptc-dispatch"];
    let expected =
        ["session/open", "tool/call", nested[0], nested[1], nested[0], nested[1], "tool/result"];
    assert_eq!(kinds(&entries), expected);
    let members = |entry: &Value| entry.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let ids =
        ["v", "seq", "at", "type", "rootCallId", "parentCallId", "subCallId", "name", "arguments"];
    assert_eq!(members(&entries[2]), ids);
    assert_eq!(members(&entries[3]), [&ids[..], &["content", "isError"]].concat());
    let (outer, ended) = (&entries[1]["callId"], &entries[3]);
    assert_eq!((&ended["rootCallId"], &ended["parentCallId"]), (outer, outer));
    assert_eq!(ended["subCallId"], format!("{}:1", outer.as_str().unwrap()));
    let direct = run(&mut folder.call(&["read", r#"{"file_path":"a.txt"}"#, "--format", "result"]));
    assert_eq!(ended["content"], direct.json()["content"], "the rendered content");
    assert_eq!(entries[5]["isError"], true);
    let replay = run(&mut folder.tenon(&["replay", "s"]));
    assert_eq!(replay.stdout, "alpha\n");
}

#[test]
fn c2_a_program_gets_a_long_result_whole_and_the_log_keeps_a_pointer() {
    let folder = Folder::with(&[("long.txt", &"0123456789\n".repeat(20_000))]);
    folder.configure("[spill]\nmax_inline_bytes = 2000\n");
    let program = "const { matches } = await tools.grep({ pattern: '^0' }); return matches.length";
    let ran = run(&mut folder.tenon(&["code", "-e", program, "--session", "s"]));
    assert_eq!(ran.stdout, "20000\n");
    let entries = entries(&folder, "s");
    let content = entries[3]["content"].to_string();
    assert!(content.len() < 3_000, "{} bytes", content.len());
    assert!(content.contains("spills"), "{content}");
}

#[test]
fn a_program_changes_only_what_it_has_read() {
    let folder = Folder::with(&[("a.txt", "old")]);
    let write = "await tools.write({ file_path: 'a.txt', content: 'new' });";
    let ran = run(&mut folder.tenon(&["code", "-e", write]));
    assert_eq!(ran.code, 1);
    assert_eq!(fs::read_to_string(folder.path().join("a.txt")).unwrap(), "old");
    let read = format!("await tools.read({{ file_path: 'a.txt' }}); {write}");
    assert_eq!(run(&mut folder.tenon(&["code", "-e", &read])).code, 0);
    assert_eq!(fs::read_to_string(folder.path().join("a.txt")).unwrap(), "new");
}

#[test]
fn a_program_may_do_what_its_calls_may() {
    let folder = Folder::with(&[("a.txt", "alpha")]);
    let program =
        "const page = await tools.read({ file_path: 'a.txt' }); console.log(page.lines[0].text);
        await tools.write({ file_path: 'b.txt', content: 'x' })";
    let ran = run(&mut folder.tenon(&["code", "--access", "read-only", "-e", program]));
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.starts_with("Error: ToolCallError: write may change things"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("Logged until then:\nalpha\n"), "{}", ran.stdout);
    folder.configure("[permissions]\ndeny = ['run_code']\n");
    let ran = run(&mut folder.tenon(&["code", "-e", "return 1"]));
    assert!(ran.stdout.contains("the rule `run_code` forbids this call"), "{}", ran.stdout);
}

#[test]
fn c6_an_interrupt_with_a_nested_command_leaves_nothing_and_a_whole_log() {
    let folder = Folder::with(&[]);
    let mark = format!("code-mark-{}", std::process::id());
    let command = format!(
        "export TEST_MARK={mark}; setsid sleep 100 & (trap '' TERM INT; while :; do sleep 0.1; done) & touch made; sleep 100"
    );
    let program = format!(
        "console.log('begun'); tools.bash({{ command: {}, description: 'waits' }}).catch(() => 0); for (;;) await 0",
        json!(command)
    );
    let mut code = folder.tenon(&["code", "-e", &program, "--session", "s"]);
    code.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = code.spawn().unwrap();
    until("the command runs", || folder.path().join("made").exists());
    let worker = format!("--code-runtime-worker\0{}\0", child.id());
    assert!(alive(&mark) > 0 && alive(&worker) > 0);
    send(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!((alive(&mark), alive(&worker)), (0, 0), "nothing is left");
    let entries = entries(&folder, "s");
    let nested = ["tool/ptc-dispatch-start", "tool/ptc-dispatch"];
    assert_eq!(kinds(&entries), ["session/open", "tool/call", nested[0], nested[1], "tool/result"]);
    assert_eq!(entries[4]["error"]["info"]["code"], "CODE_ABORTED");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("Logged until then:\nbegun\n") && shown.contains("1. bash failed"),
        "{shown}"
    );
}
