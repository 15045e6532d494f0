//! `bash` in the foreground, through the registry.

use std::sync::Arc;
use std::time::{Duration, Instant};

use contract_registry::{CallEnv, CallRequest, CancelSource, Registry, SessionId};
use serde_json::{Value, json};
use tools_firstparty::seam::process::OutputStore;
use tools_firstparty::{BashCaps, Config, HostLife, Seams};

use crate::processes::{alive, marked, until};
use crate::support::Workspace;

fn args(command: &str) -> Value {
    json!({ "command": command, "description": "test" })
}

fn with_caps(change: impl FnOnce(&mut BashCaps)) -> Workspace {
    let mut config = Config::default();
    change(&mut config.bash);
    Workspace::with(&[], &config)
}

#[tokio::test]
async fn the_value_is_as_declared_and_the_text_follows_it() {
    let workspace = Workspace::new(&[]);
    let outcome = workspace.call("bash", &args("printf out; echo err >&2; exit 3")).await;
    let union = serde_json::to_value(outcome.union()).unwrap();
    assert_eq!(
        union["value"],
        json!({
            "kind": "foreground", "exitCode": 3, "signal": null, "timedOut": false, "timeoutMs": 120_000,
            "stdout": { "text": "out", "truncated": false, "totalBytes": 3 },
            "stderr": { "text": "err\n", "truncated": false, "totalBytes": 4 },
            "sandbox": { "mode": "workspace-write", "enforcement": "full", "denied": false },
        })
    );
    assert_eq!(union["content"][0]["text"], "out\n[stderr]\nerr\n[exit code: 3]");
    assert_eq!(union["meta"]["exitCode"], 3);
    assert_eq!(union["meta"]["stderr"]["totalBytes"], 4);
}

#[tokio::test]
async fn texts_of_every_kind() {
    let workspace = Workspace::new(&[]);
    for (command, text) in [
        ("echo a", "a\n"),
        ("printf a", "a"),
        ("true", "(no output)"),
        ("echo e >&2", "[stderr]\ne\n"),
        ("false", "(no output)\n[exit code: 1]"),
        ("kill -KILL $$", "(no output)\n[ended by SIGKILL]"),
        ("no_such_command_here 2>/dev/null", "(no output)\n[exit code: 127]"),
        // Only the last row counts, and it is ours.
        ("echo '[exit code: 1]'", "[exit code: 1]\n[exit code: 0]"),
        ("printf 'x\\n [ended by SIGKILL]\\n\\n'", "x\n [ended by SIGKILL]\n\n[exit code: 0]"),
        ("echo '[timed out after 5 ms]' >&2", "[stderr]\n[timed out after 5 ms]\n[exit code: 0]"),
        ("echo '[exit code: 0]'; exit 4", "[exit code: 0]\n[exit code: 4]"),
        ("echo '[1] not last'; echo last", "[1] not last\nlast\n"),
    ] {
        assert_eq!(workspace.text("bash", args(command)).await, text, "{command}");
    }
}

#[tokio::test]
async fn exit_codes_and_signals_are_structured() {
    let workspace = Workspace::new(&[]);
    for (command, code, signal) in [
        ("exit 0", json!(0), Value::Null),
        ("exit 255", json!(255), Value::Null),
        ("kill -TERM $$", Value::Null, json!("SIGTERM")),
        ("kill -SEGV $$", Value::Null, json!("SIGSEGV")),
    ] {
        let value = workspace.value("bash", args(command)).await;
        let found = (&value["exitCode"], &value["signal"], &value["timedOut"]);
        assert_eq!(found, (&code, &signal, &json!(false)), "{command}");
    }
}

#[tokio::test]
async fn a_command_whose_time_is_up_is_a_success_that_says_so() {
    let workspace = Workspace::new(&[]);
    let arguments = |command| json!({ "command": command, "description": "t", "timeout_ms": 300 });
    let value = workspace.value("bash", arguments("echo early; sleep 100; echo late")).await;
    let ended = (&value["timedOut"], &value["timeoutMs"], &value["signal"], &value["exitCode"]);
    assert_eq!(ended, (&json!(true), &json!(300), &json!("SIGTERM"), &Value::Null));
    assert_eq!(value["stdout"]["text"], "early\n");
    let caught = "trap 'echo caught; exit 0' TERM; sleep 100 & wait";
    let outcome = workspace.call("bash", &arguments(caught)).await;
    let union = serde_json::to_value(outcome.union()).unwrap();
    assert_eq!((&union["meta"]["timedOut"], &union["meta"]["exitCode"]), (&json!(true), &json!(0)));
    assert_eq!(union["content"][0]["text"], "caught\n[timed out after 300 ms]");
    let deaf = "trap '' TERM; while :; do sleep 0.1; done";
    assert_eq!(
        workspace.text("bash", arguments(deaf)).await,
        "(no output)\n[timed out after 300 ms]\n[ended by SIGKILL]"
    );
}

#[tokio::test]
async fn a_child_left_behind_is_not_waited_for() {
    let workspace = Workspace::new(&[]);
    let begun = Instant::now();
    let value = workspace.value("bash", args("sleep 100 & echo hi")).await;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!((&value["stdout"]["text"], &value["exitCode"]), (&json!("hi\n"), &json!(0)));
}

#[tokio::test]
async fn a_short_stream_is_whole_beside_a_long_one() {
    let workspace = with_caps(|caps| (caps.head_max_bytes, caps.tail_max_bytes) = (1_000, 1_000));
    let command = "for n in $(seq 500); do echo line number $n; done; echo 'a
b
c' >&2";
    let value = workspace.value("bash", args(command)).await;
    let (stdout, stderr) = (&value["stdout"], &value["stderr"]);
    assert_eq!(stderr, &json!({ "text": "a\nb\nc\n", "truncated": false, "totalBytes": 6 }));
    let full: String = (1..=500).map(|number| format!("line number {number}\n")).collect();
    let text = stdout["text"].as_str().unwrap();
    let omitted = stdout["omittedBytes"].as_u64().unwrap();
    let row = format!("\n[{omitted} bytes left out]\n");
    let (head, tail) = text.split_once(&row).unwrap();
    assert!(full.starts_with(head) && full.ends_with(tail));
    assert_eq!(stdout["totalBytes"].as_u64().unwrap(), full.len() as u64);
    assert_eq!((head.len() + tail.len()) as u64 + omitted, full.len() as u64);
    let path = stdout["spillPath"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), full);
}

#[tokio::test]
async fn exactly_what_is_kept_is_not_truncated() {
    let workspace = with_caps(|caps| (caps.head_max_bytes, caps.tail_max_bytes) = (64, 64));
    for (bytes, truncated) in [(127, false), (128, false), (129, true)] {
        let command = format!("head -c {bytes} /dev/zero | tr '\\0' x");
        let stdout = workspace.value("bash", args(&command)).await["stdout"].take();
        assert_eq!(stdout["truncated"], truncated, "{bytes}");
        assert_eq!(stdout.get("spillPath").is_some(), truncated, "{bytes}");
        assert_eq!(stdout["totalBytes"], bytes);
    }
}

#[tokio::test]
async fn no_character_is_cut_and_what_is_not_text_is_shown_as_such() {
    let workspace = with_caps(|caps| (caps.head_max_bytes, caps.tail_max_bytes) = (64, 64));
    for pad in ["", "x", "xx", "xxx"] {
        let command = format!("printf '{pad}'; printf '%0.s€' $(seq 200)");
        let stdout = workspace.value("bash", args(&command)).await["stdout"].take();
        let text = stdout["text"].as_str().unwrap();
        assert!(!text.contains('\u{FFFD}'), "{text}");
        let shown = text.matches('€').count() * 3 + pad.len();
        let omitted = usize::try_from(stdout["omittedBytes"].as_u64().unwrap()).unwrap();
        assert_eq!(shown + omitted, 600 + pad.len());
    }
    let value = workspace.value("bash", args(r"printf 'a\xffb'")).await;
    assert_eq!(
        (&value["stdout"]["text"], &value["stdout"]["totalBytes"]),
        (&json!("a\u{FFFD}b"), &json!(3))
    );
}

#[tokio::test]
async fn a_stream_longer_than_what_is_saved_points_to_its_beginning() {
    let workspace = with_caps(|caps| {
        (caps.head_max_bytes, caps.tail_max_bytes, caps.saved_max_bytes) = (64, 64, 1_000);
    });
    let outcome = workspace.call("bash", &args("seq 10000")).await;
    let value = outcome.value().unwrap().json().to_value();
    let path = value["stdout"]["spillPath"].as_str().unwrap();
    let full: String = (1..=10_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(std::fs::read_to_string(path).unwrap().as_str(), full.get(..1_000).unwrap());
    let text = workspace.text("bash", args("seq 10000")).await;
    assert!(
        text.contains("[stdout truncated: 48894 bytes in all; its first 1000 bytes are in "),
        "{text}"
    );
    assert!(value["stdout"]["text"].as_str().unwrap().ends_with("9999\n10000\n"));
}

#[tokio::test]
async fn a_saved_stream_goes_with_the_tools_and_is_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = Workspace::new(&[]);
    let value = workspace.value("bash", args("seq 100000")).await;
    let path = std::path::PathBuf::from(value["stdout"]["spillPath"].as_str().unwrap());
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    let read =
        workspace.value("read", json!({ "file_path": path, "offset": 50_000, "limit": 1 })).await;
    assert_eq!(read["lines"][0]["text"], "50000");
    drop(workspace);
    assert!(!path.parent().unwrap().exists());
}

#[tokio::test]
async fn both_ends_of_few_long_lines_are_kept() {
    let workspace = Workspace::new(&[]);
    let command = "for n in 1 2 3 4; do head -c 40000 /dev/zero | tr '\\0' $n; echo; done; \
                   head -c 40000 /dev/zero | tr '\\0' 5; echo error";
    let text = workspace.text("bash", args(command)).await;
    assert!(
        text.starts_with("1111") && text.contains("5555error\n[stdout truncated: "),
        "{}",
        text.len()
    );
}

#[tokio::test]
async fn an_early_pointer_still_opens_after_many_long_results() {
    let workspace = Workspace::new(&[]);
    let mut paths = Vec::new();
    for number in 0..20 {
        let command = format!("echo {number}; seq 20000");
        let value = workspace.value("bash", args(&command)).await;
        paths.push(value["stdout"]["spillPath"].as_str().unwrap().to_owned());
    }
    for (number, path) in paths.iter().enumerate() {
        let page = json!({ "file_path": path, "limit": 1 });
        assert_eq!(workspace.value("read", page).await["lines"][0]["text"], number.to_string());
    }
}

/// Saves where nothing can be.
#[derive(Debug)]
struct Nowhere(std::path::PathBuf);

impl OutputStore for Nowhere {
    fn folder(&self, _: Option<&SessionId>) -> Option<std::path::PathBuf> {
        Some(self.0.clone())
    }
}

#[tokio::test]
async fn a_store_that_fails_leaves_the_result_without_a_pointer() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for folder in ["/no/such/folder".into(), file.path().to_owned()] {
        let seams = Seams { outputs: Some(Arc::new(Nowhere(folder))), ..Seams::default() };
        let registry = Registry::new();
        for tool in tools_firstparty::tools(&Config::default(), &seams).unwrap().into_tools() {
            registry.register_dyn(tool).unwrap().keep();
        }
        let request = CallRequest::from_text("bash", &args("seq 100000").to_string())
            .with_env(Arc::new(CallEnv::new("/")));
        let outcome = registry.dispatch(request).await;
        let stdout = outcome.value().unwrap().json().to_value()["stdout"].take();
        assert_eq!((&stdout["truncated"], stdout.get("spillPath")), (&json!(true), None));
    }
}

#[tokio::test]
async fn a_host_that_ends_with_the_call_saves_nothing_by_itself() {
    let config = Config { host_life: HostLife::OneCall, ..Config::default() };
    let workspace = Workspace::with(&[], &config);
    let value = workspace.value("bash", args("seq 100000")).await;
    assert_eq!(value["stdout"].get("spillPath"), None);
    let text = workspace.text("bash", args("seq 100000")).await;
    assert!(text.ends_with("[stdout truncated: 588895 bytes in all; it was not saved]"), "{text}");
}

#[tokio::test]
async fn a_command_starts_where_it_should() {
    let workspace = Workspace::new(&[("sub/deep/f", "")]);
    let root = workspace.dir.path().canonicalize().unwrap();
    let at =
        |workdir: Value| json!({ "command": "pwd -P", "description": "t", "workdir": workdir });
    let shown = |folder: &str| format!("{}\n", root.join(folder).display());
    for (arguments, expected) in [
        (args("pwd -P"), format!("{}\n", root.display())),
        (at(json!("sub")), shown("sub")),
        (at(json!("sub/deep/..")), shown("sub")),
        (at(json!(root.join("sub/deep"))), shown("sub/deep")),
    ] {
        assert_eq!(workspace.text("bash", arguments).await, expected);
    }
    for (workdir, code) in [
        ("none", "BASH_NOT_RUN"),
        ("sub/deep/f", "BASH_NOT_RUN"),
        ("none/..", "BASH_WORKDIR"),
        (" ", "BASH_INVALID_ARGUMENT"),
    ] {
        let (found, message) = workspace.failure("bash", at(json!(workdir))).await;
        assert_eq!(found, code, "{workdir}: {message}");
    }
    for (workdir, why) in
        [("none", "there is no such folder"), ("sub/deep/f", "it is not a folder")]
    {
        let (_, message) = workspace.failure("bash", at(json!(workdir))).await;
        let folder = root.join(workdir);
        let told = format!("{} cannot be used: {why}; give an existing folder", folder.display());
        assert!(message.ends_with(&told), "{message}");
    }
}

#[tokio::test]
async fn nothing_of_a_shell_is_left_for_the_next() {
    let workspace = Workspace::new(&[]);
    workspace.value("bash", args("cd /; export LEFT=1; set -e; alias ls=false")).await;
    assert_eq!(
        workspace.text("bash", args("echo ${LEFT-none}; false; echo on")).await,
        "none\non\n"
    );
}

#[tokio::test]
async fn arguments_that_cannot_work_are_refused_before_anything_runs() {
    let workspace = Workspace::new(&[]);
    let with = |key: &str, value: Value| {
        let mut arguments = args("touch made");
        arguments[key] = value;
        arguments
    };
    for (arguments, code) in [
        (args(""), "INVALID_TOOL_ARGS"),
        (args(" \n"), "BASH_INVALID_ARGUMENT"),
        (args("touch made; echo \0"), "BASH_INVALID_ARGUMENT"),
        (args(&format!("touch made;{}", " ".repeat(128 * 1024))), "BASH_INVALID_ARGUMENT"),
        (with("description", json!("")), "INVALID_TOOL_ARGS"),
        (json!({ "command": "touch made" }), "INVALID_TOOL_ARGS"),
        (with("timeout_ms", json!(0)), "INVALID_TOOL_ARGS"),
        (with("timeout_ms", json!(-5)), "INVALID_TOOL_ARGS"),
        (with("timeout_ms", json!(1.5)), "INVALID_TOOL_ARGS"),
        (with("timeout_ms", json!(600_001)), "INVALID_TOOL_ARGS"),
        (with("env", json!({ "A": "b" })), "INVALID_TOOL_ARGS"),
        (with("stdin", json!("x")), "INVALID_TOOL_ARGS"),
        (with("sandbox_permissions", json!("x")), "INVALID_TOOL_ARGS"),
    ] {
        let (found, message) = workspace.failure("bash", arguments).await;
        assert_eq!(found, code, "{message}");
    }
    assert!(!workspace.dir.path().join("made").exists());
    let longest = format!("echo {}", "x".repeat(128 * 1024 - 6));
    assert_eq!(workspace.value("bash", args(&longest)).await["exitCode"], 0);
}

#[tokio::test]
async fn a_command_sees_no_credentials_no_terminal_and_no_input() {
    let workspace = Workspace::new(&[]);
    let command = "for name in PATH NO_COLOR TERM PAGER GIT_PAGER GIT_TERMINAL_PROMPT TENON_SHELL \
                   TENON_SESSION_ID; do echo $name=${!name-unset}; done; cat; test -t 1 || echo no terminal; \
                   ls -l /proc/self/fd/0";
    let env = CallEnv::new(workspace.dir.path()).with_session(SessionId::new("s-1"));
    let request =
        CallRequest::from_text("bash", &args(command).to_string()).with_env(Arc::new(env));
    let outcome = workspace.registry.dispatch(request).await;
    let value = outcome.value().unwrap().json().to_value();
    let text = value["stdout"]["text"].as_str().unwrap();
    for row in [
        "NO_COLOR=1",
        "TERM=dumb",
        "PAGER=cat",
        "GIT_PAGER=cat",
        "GIT_TERMINAL_PROMPT=0",
        "TENON_SHELL=1",
        "TENON_SESSION_ID=s-1",
        "no terminal",
    ] {
        assert!(text.lines().any(|line| line == row), "{row}: {text}");
    }
    assert!(text.trim_end().ends_with("/dev/null"), "{text}");
    let text = workspace.text("bash", args("echo ${TENON_SESSION_ID-unset}")).await;
    assert_eq!(text, "unset\n", "no session, no id, whatever this process has");
}

#[tokio::test]
async fn two_sessions_start_in_their_own_folders() {
    let (one, two) = (Workspace::new(&[("one", "")]), tempfile::tempdir().unwrap());
    let call = |root: &std::path::Path| {
        let request = CallRequest::from_text("bash", &args("ls").to_string());
        one.registry.dispatch(request.with_env(Arc::new(CallEnv::new(root))))
    };
    let text = |outcome: &contract_registry::Outcome| outcome.value().unwrap().json().to_value();
    assert_eq!(text(&call(one.dir.path()).await)["stdout"]["text"], "one\n");
    assert_eq!(text(&call(two.path()).await)["stdout"]["text"], "");
}

/// Calls `bash` and cancels once `ready` says so.
async fn cancelled(
    registry: &Registry,
    root: &std::path::Path,
    command: &str,
    ready: impl Fn() -> bool,
) -> (String, String) {
    let source = CancelSource::new();
    let request = CallRequest::from_text("bash", &args(command).to_string())
        .with_env(Arc::new(CallEnv::new(root)))
        .with_cancel(source.signal());
    let (outcome, ()) = tokio::join!(registry.dispatch(request), async {
        until("the command runs", ready).await;
        source.cancel();
    });
    let failure = outcome.error().unwrap();
    (failure.code().unwrap().to_owned(), failure.message().to_owned())
}

#[tokio::test]
async fn a_cancelled_command_ends_and_shows_the_last_of_its_output() {
    let workspace = Workspace::new(&[]);
    let made = workspace.dir.path().join("made");
    let script = "seq 100000; echo warning >&2; touch made; sleep 100";
    let command = marked("mark-bash-cancel", script);
    let (code, message) =
        cancelled(&workspace.registry, workspace.dir.path(), &command, || made.exists()).await;
    assert_eq!(code, "BASH_ABORTED");
    let (first, rest) = message.split_once('\n').unwrap();
    assert!(first.starts_with("the call was cancelled; the command had run for "), "{first}");
    let (stdout, stderr) = rest.split_once("\n[stderr]\n").unwrap();
    assert_eq!(stderr, "warning");
    let (row, tail) = stdout.split_once('\n').unwrap();
    assert_eq!(row, "[stdout, 580703 bytes left out before]");
    assert!(tail.ends_with("\n99999\n100000") && tail.len() <= 8 * 1024, "{}", tail.len());
    until("it is gone", || alive("mark-bash-cancel") == 0).await;
}

#[tokio::test]
async fn a_cancelled_command_that_hears_nothing_is_killed() {
    let workspace = Workspace::new(&[]);
    let made = workspace.dir.path().join("made");
    let script = "trap '' TERM; touch made; while :; do sleep 0.1; done";
    let command = marked("mark-bash-deaf", script);
    let (code, _) =
        cancelled(&workspace.registry, workspace.dir.path(), &command, || made.exists()).await;
    assert_eq!(code, "BASH_ABORTED");
    until("it is gone", || alive("mark-bash-deaf") == 0).await;
}

#[tokio::test]
async fn what_is_cancelled_before_it_starts_never_runs() {
    let workspace = Workspace::new(&[]);
    let source = CancelSource::new();
    source.cancel();
    let request = CallRequest::from_text("bash", &args("touch made").to_string())
        .with_env(Arc::new(CallEnv::new(workspace.dir.path())))
        .with_cancel(source.signal());
    let outcome = workspace.registry.dispatch(request).await;
    assert_eq!(outcome.error().unwrap().code(), Some("ABORTED_BEFORE_DISPATCH"));
    assert!(!workspace.dir.path().join("made").exists());
}

#[tokio::test]
async fn limits_in_force_show_in_the_schema() {
    let workspace = with_caps(|caps| {
        (caps.timeout_default_ms, caps.timeout_max_ms, caps.background) = (5, 7, false);
    });
    let definition = workspace.registry.get("bash").unwrap();
    let properties = &definition.parameters().document()["properties"];
    assert_eq!(properties["timeout_ms"]["maximum"], 7);
    assert!(properties["timeout_ms"]["description"].as_str().unwrap().contains("Default 5"));
    assert_eq!(properties.get("run_in_background"), None);
    let mut arguments = args("true");
    arguments["run_in_background"] = json!(true);
    assert_eq!(workspace.failure("bash", arguments).await.0, "INVALID_TOOL_ARGS");
    let mut config = Config::default();
    config.bash.timeout_default_ms = 600_001;
    assert!(tools_firstparty::tools(&config, &Seams::default()).is_err());
}
