//! The log of calls, its replay, and the commands on it.

use std::fs;
use std::io::Write as _;

use serde_json::Value;

use crate::support::{Folder, Ran, run};

fn sample() -> Folder {
    Folder::with(&[("a.txt", "one\ntwo\n"), ("src/b.rs", "fn main() {}\n")])
}

fn logged(folder: &Folder, words: &[&str]) -> Ran {
    let mut command = folder.call(words);
    command.args(["--session", "s1"]);
    run(&mut command)
}

fn log(folder: &Folder) -> Vec<Value> {
    let text = fs::read_to_string(folder.state().join("sessions/s1/log.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_call_is_logged_with_what_was_shown_and_without_its_value() {
    let folder = sample();
    let ran = logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let log = log(&folder);
    let kinds: Vec<_> = log.iter().map(|entry| entry["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["session/open", "tool/call", "tool/result"]);
    assert_eq!(log[1]["arguments"]["file_path"], "a.txt");
    let text = log[2]["content"][0]["text"].as_str().unwrap();
    assert_eq!(format!("{text}\n"), ran.stdout);
    assert_eq!(log[2]["meta"]["path"], "a.txt");
    assert!(log[2].get("value").is_none());
}

#[test]
fn a_failure_is_logged_with_its_code() {
    let folder = sample();
    assert_eq!(logged(&folder, &["nope", "{}"]).code, 1);
    let log = log(&folder);
    assert_eq!(log[2]["error"]["info"]["code"], "UNKNOWN_TOOL");
}

#[test]
fn l4_replay_gives_the_bytes_that_were_shown_when_all_else_is_gone() {
    let folder = sample();
    let calls: [&[&str]; 4] = [
        &["read", r#"{"file_path":"a.txt"}"#],
        &["grep", r#"{"pattern":"fn"}"#],
        &["read", r#"{"file_path":"missing"}"#],
        &["nope", "{}"],
    ];
    let shown: String = calls.iter().map(|words| logged(&folder, words).stdout).collect();
    for name in ["a.txt", "src/b.rs"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    let replay = run(&mut folder.tenon(&["replay", "s1"]));
    assert_eq!((replay.code, replay.stderr.as_str()), (0, ""));
    assert_eq!(replay.stdout, shown);

    let json = run(&mut folder.tenon(&["replay", "s1", "--json"]));
    assert_eq!(
        json.stdout,
        fs::read_to_string(folder.state().join("sessions/s1/log.jsonl")).unwrap()
    );
}

#[test]
fn sessions_are_listed_shown_and_removed() {
    let folder = sample();
    logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]);
    let listed = run(&mut folder.tenon(&["sessions"]));
    assert!(listed.stdout.starts_with("s1  3 entries  "), "{listed:?}");
    let json = run(&mut folder.tenon(&["sessions", "list", "--json"])).json();
    assert_eq!(json[0]["id"], "s1");
    let shown = run(&mut folder.tenon(&["sessions", "show", "s1"]));
    assert_eq!(
        shown.stdout,
        "1  session/open\n2  tool/call  read {\"file_path\":\"a.txt\"}\n3  tool/result  read succeeded\n"
    );
    assert_eq!(run(&mut folder.tenon(&["sessions", "rm", "s1"])).code, 0);
    assert_eq!(run(&mut folder.tenon(&["sessions"])).stdout, "");
}

#[test]
fn a_session_that_is_not_there_or_has_no_name_is_a_usage_error() {
    let folder = sample();
    for (words, part) in [
        (&["replay", "nope"] as &[&str], "there is no session `nope`"),
        (&["sessions", "show", "nope"], "there is no session `nope`"),
        (&["sessions", "rm", "../etc"], "no session id"),
    ] {
        let ran = run(&mut folder.tenon(words));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
    let mut command = folder.call(&["read", "{}", "--session", "../up"]);
    assert_eq!(run(&mut command).code, 2);
}

#[test]
fn a_torn_end_is_reported_and_the_session_goes_on() {
    let folder = sample();
    logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]);
    let path = folder.state().join("sessions/s1/log.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"v\":1,\"seq\":4,\"at\":1,\"ty").unwrap();
    let ran = logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("was cut off and is dropped"), "{ran:?}");
    assert_eq!(log(&folder).len(), 5);
}

#[test]
#[cfg(unix)]
fn a_session_in_use_says_by_whom() {
    let folder = sample();
    let mut huge = fs::File::create(folder.path().join("huge")).unwrap();
    huge.write_all(&b"line of text\n".repeat(1000)).unwrap();
    huge.set_len(1 << 40).unwrap();
    let mut holder = folder.call(&["read", r#"{"file_path":"huge"}"#, "--session", "s1"]);
    let mut child = holder.stdout(std::process::Stdio::null()).spawn().unwrap();
    let began = std::time::Instant::now();
    let open = || fs::read_to_string(folder.state().join("sessions/s1/log.jsonl"));
    // Its call is in the log once it holds the session.
    while !open().is_ok_and(|log| log.contains("tool/call")) && began.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let in_use = logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((in_use.code, in_use.stdout.as_str()), (2, ""), "{in_use:?}");
    assert!(in_use.stderr.contains("in use by"), "{in_use:?}");
    assert!(in_use.stderr.contains(&child.id().to_string()), "{in_use:?}");
    assert_eq!(logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]).code, 0);
}

/// Runs it where no file can grow beyond this.
#[cfg(target_os = "linux")]
fn limited(inner: &std::process::Command, bytes: u64) -> Ran {
    let mut limited = std::process::Command::new("bash");
    limited
        .arg("-c")
        .arg(format!("trap '' XFSZ; exec prlimit --fsize={bytes} -- \"$@\""))
        .arg("bash");
    limited.arg(inner.get_program()).args(inner.get_args());
    for (key, value) in inner.get_envs() {
        limited.env(key, value.unwrap_or_default());
    }
    run(&mut limited)
}

#[test]
#[cfg(target_os = "linux")]
fn l4_a_result_whose_message_cannot_be_logged_is_neither_shown_nor_replayed() {
    let folder = sample();
    let added = "x".repeat(4000);
    let answer = serde_json::json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "additionalContext": added } });
    fs::write(folder.path().join("answer.json"), answer.to_string()).unwrap();
    let hooks = serde_json::json!({ "PostToolUse": [{ "hooks": [{ "type": "command", "command": "cat answer.json" }] }] });
    fs::write(folder.path().join("h.json"), hooks.to_string()).unwrap();
    let path = folder.path().join("h.json");
    folder.configure(&format!("[hooks]\nfiles = [{{ path = {path:?}, format = \"claude\" }}]\n"));
    let read = folder.call(&["read", r#"{"file_path":"a.txt"}"#, "--session", "s1"]);
    // Room for everything but the message.
    let ran = limited(&read, 3000);
    assert_eq!((ran.code, ran.stdout.as_str()), (70, ""), "{ran:?}");
    assert!(ran.stderr.contains("its result is not shown because it is not logged"), "{ran:?}");
    let replay = run(&mut folder.tenon(&["replay", "s1"]));
    assert_eq!((replay.code, replay.stdout.as_str()), (0, ""), "{replay:?}");
    let room = limited(&read, 1 << 20);
    assert_eq!(room.code, 0, "{room:?}");
    assert_eq!(run(&mut folder.tenon(&["replay", "s1"])).stdout, room.stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn l6_a_result_that_cannot_be_logged_is_not_shown_and_says_that_the_call_ran() {
    let folder = sample();
    logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]);
    let size = fs::metadata(folder.state().join("sessions/s1/log.jsonl")).unwrap().len();
    // Room for the entry of the call and not for that of its result.
    let call = folder.call(&["grep", r#"{"pattern":"fn"}"#, "--session", "s1"]);
    let ran = limited(&call, size + 200);
    assert_eq!((ran.code, ran.stdout.as_str()), (70, ""), "{ran:?}");
    assert!(ran.stderr.contains("SESSION_WRITE_FAILED"), "{ran:?}");
    assert!(ran.stderr.contains("the call itself ran"), "{ran:?}");
    // What was there is intact.
    assert_eq!(run(&mut folder.tenon(&["replay", "s1"])).code, 0);
}

#[test]
fn calls_of_one_session_have_ids_of_their_own() {
    let folder = sample();
    for _ in 0..3 {
        assert_eq!(logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]).code, 0);
    }
    let log = log(&folder);
    let calls = log.iter().filter(|entry| entry["type"] == "tool/call");
    let ids: std::collections::BTreeSet<_> =
        calls.map(|call| call["callId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

#[test]
fn a_message_beside_the_result_is_on_stderr_and_in_the_list() {
    let folder = sample();
    for _ in 0..2 {
        assert_eq!(logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]).stderr, "");
    }
    let third = logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]);
    assert!(third.stderr.starts_with("message from "), "{third:?}");
    let shown = run(&mut folder.tenon(&["sessions", "show", "s1"])).stdout;
    assert!(shown.contains("  context/added  "), "{shown}");
    assert!(!shown.contains("context/added\n"), "{shown}");
}

#[test]
fn a_call_that_was_cut_off_is_told_of() {
    let folder = sample();
    assert_eq!(logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]).code, 0);
    let log = folder.state().join("sessions/s1/log.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let whole = text.lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
    fs::write(&log, whole).unwrap();
    let ran = run(&mut folder.tenon(&["replay", "s1"]));
    assert_eq!(ran.stderr, "warning: a call of read has no result: it runs, or was cut off\n");
}

#[test]
fn a_block_of_a_later_kind_does_not_make_a_session_unreadable() {
    let folder = sample();
    assert_eq!(logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]).code, 0);
    let log = folder.state().join("sessions/s1/log.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let later = r#""content":[{"type":"audio","data":"AA=="},"#;
    fs::write(&log, text.replace(r#""content":["#, later)).unwrap();
    let ran = run(&mut folder.tenon(&["replay", "s1"]));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("[audio of a kind this program does not know]\n"), "{ran:?}");
    assert_eq!(logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]).code, 0);
}

#[test]
fn an_emptied_log_is_told_from_one_with_nothing_to_show() {
    let folder = sample();
    assert_eq!(logged(&folder, &["read", r#"{"file_path":"a.txt"}"#]).code, 0);
    fs::write(folder.state().join("sessions/s1/log.jsonl"), "").unwrap();
    for words in [&["replay", "s1"][..], &["sessions", "show", "s1"]] {
        let ran = run(&mut folder.tenon(words));
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
        assert!(ran.stderr.contains("the log of this session is empty"), "{ran:?}");
    }
}

#[test]
fn a_removed_session_takes_its_saved_results_along() {
    let rows = "a row\n".repeat(1000);
    let folder = Folder::with(&[("rows.txt", &rows)]);
    assert_eq!(logged(&folder, &["grep", r#"{"pattern":"row"}"#]).code, 0);
    let spills = folder.state().join("spills");
    let saved = || fs::read_dir(&spills).unwrap().count();
    assert_eq!(saved(), 1);
    let ran = run(&mut folder.tenon(&["sessions", "rm", "s1"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    assert_eq!(saved(), 0);
}

#[test]
fn a_call_repeated_in_a_session_is_pointed_out_though_each_is_a_process() {
    let folder = sample();
    let call = |words: &[&str]| {
        let mut command = folder.call(words);
        command.args(["--session", "s1", "--format", "result"]);
        run(&mut command).json()["additionalContexts"][0]["content"][0]["text"].clone()
    };
    let read = &["read", r#"{"file_path":"a.txt","limit":1}"#];
    assert_eq!([call(read), call(read)], [Value::Null, Value::Null]);
    let said = call(&["read", r#"{"limit":1,"file_path":"a.txt"}"#]);
    assert!(said.as_str().unwrap().starts_with("This is call 3 in a row of `read`"), "{said}");
    call(&["grep", r#"{"pattern":"fn"}"#]);
    assert_eq!([call(read), call(read)], [Value::Null, Value::Null]);
    assert!(call(read).is_string());
}

#[test]
fn what_a_session_holds_is_shown_in_rows_that_it_cannot_add_to() {
    let folder = sample();
    let arguments = "{\"a\":\"\u{9b}2J\u{202e}\u{61c}\u{2028}\"}";
    assert_eq!(logged(&folder, &["x\n9  tool/result  read succeeded\u{1b}[2J", arguments]).code, 1);
    for words in [&["sessions", "show", "s1"][..], &["sessions"]] {
        let ran = run(&mut folder.tenon(words));
        let rows = if words.len() == 3 { 3 } else { 1 };
        assert_eq!(ran.stdout.lines().count(), rows, "{ran:?}");
        assert!(!ran.stdout.chars().any(|c| c != '\n' && c.is_control()), "{ran:?}");
    }
    let shown = run(&mut folder.tenon(&["sessions", "show", "s1"])).stdout;
    assert!(shown.contains(r"  x\n9  tool/result  read succeeded\u{1b}[2J "), "{shown}");
    assert!(shown.contains(r"\u{9b}2J\u{202e}\u{61c}\u{2028}"), "{shown}");
}

#[test]
fn an_emptied_log_begins_anew_with_a_warning() {
    let folder = sample();
    let read = &["read", r#"{"file_path":"a.txt"}"#];
    assert_eq!(logged(&folder, read).stderr, "");
    fs::write(folder.state().join("sessions/s1/log.jsonl"), "").unwrap();
    let ran = logged(&folder, read);
    assert_eq!(ran.code, 0, "{ran:?}");
    let warning = "warning: the log of the session s1 was there and empty; it begins anew\n";
    assert_eq!(ran.stderr, warning);
    assert_eq!(logged(&folder, read).stderr, "");
}

#[test]
fn sessions_removed_at_the_same_time_are_all_removed_with_their_saved_results() {
    let rows = "a row\n".repeat(1000);
    let folder = Folder::with(&[("rows.txt", &rows)]);
    let ids: Vec<_> = (0..12).map(|number| format!("s{number}")).collect();
    for id in &ids {
        let search = ["grep", r#"{"pattern":"row"}"#, "--session", id];
        assert_eq!(run(&mut folder.call(&search)).code, 0);
    }
    std::thread::scope(|scope| {
        for id in &ids {
            let folder = &folder;
            scope.spawn(move || {
                let ran = run(&mut folder.tenon(&["sessions", "rm", id]));
                assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
            });
        }
    });
    for kept in ["sessions", "spills"] {
        assert_eq!(fs::read_dir(folder.state().join(kept)).unwrap().count(), 0, "{kept}");
    }
}
