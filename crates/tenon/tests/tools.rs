//! The listing.

use serde_json::json;

use crate::support::{run, tenon};

#[test]
fn every_tool_has_a_line_with_family_name_and_first_line() {
    let ran = run(tenon().arg("tools"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let names: Vec<&str> =
        ran.stdout.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    let expected = [
        "run_code",
        "edit",
        "read",
        "write",
        "job_kill",
        "job_list",
        "job_output",
        "glob",
        "grep",
        "bash",
        "terminal_close",
        "terminal_list",
        "terminal_open",
        "terminal_read",
        "terminal_send",
        "terminal_signal",
    ];
    assert_eq!(names, expected);
    assert!(ran.stdout.lines().all(|line| line.split_whitespace().count() > 3), "{ran:?}");
}

#[test]
fn json_has_everything_about_every_tool() {
    let ran = run(tenon().args(["tools", "--json"]));
    assert_eq!((ran.code, ran.stdout.matches('\n').count()), (0, 1));
    let all = ran.json();
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), 16);
    let keys = ["name", "family", "description", "parameters", "output", "annotations", "enforced"];
    for tool in all {
        assert_eq!(tool.as_object().unwrap().keys().collect::<Vec<_>>(), keys);
        assert_eq!(tool["enforced"], true);
        assert_eq!(tool["parameters"]["additionalProperties"], false);
        let looks = ["read", "glob", "grep", "list", "output"];
        let name = tool["name"].as_str().unwrap();
        let only_looks = looks.iter().any(|looks| name.ends_with(looks));
        assert_eq!(tool["annotations"]["readOnly"], only_looks, "{tool}");
    }
}

#[test]
fn one_tool_is_shown_in_full() {
    let ran = run(tenon().args(["tools", "show", "read"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for part in ["read (files)", "Arguments\n{", "\"file_path\"", "Value\n{", "\"totalLines\""] {
        assert!(ran.stdout.contains(part), "no `{part}` in: {}", ran.stdout);
    }
}

#[test]
fn one_tool_is_shown_as_typescript() {
    let ran = run(tenon().args(["tools", "show", "grep", "--ts"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("pattern: string"), "{}", ran.stdout);
    assert!(ran.stdout.contains("lineNumber: number"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("unknown"), "{}", ran.stdout);
    assert_eq!(run(tenon().args(["tools", "show", "grep", "--ts"])).stdout, ran.stdout);
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_name() {
    let ran = run(tenon().args(["tools", "show", "gerp"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert_eq!(ran.stderr, "error: there is no tool `gerp`; did you mean `grep`?\n");
    let ran = run(tenon().args(["tools", "show", "quux"]));
    assert_eq!(ran.stderr, "error: there is no tool `quux`; `tenon tools` lists them\n");
}

#[test]
fn help_and_version_are_successes() {
    for words in [["--help"], ["--version"]] {
        let ran = run(tenon().args(words));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
    }
    assert_eq!(json!(run(tenon().arg("--version")).stdout), json!("tenon 0.1.0\n"));
}
