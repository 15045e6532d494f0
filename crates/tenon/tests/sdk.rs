//! `tenon sdk`: what a program is written against.

use crate::support::{run, tenon};

#[test]
fn every_tool_is_declared_as_it_is_shown_and_twice_the_same() {
    let sdk = run(tenon().arg("sdk"));
    assert_eq!((sdk.code, sdk.stderr.as_str()), (0, ""));
    assert_eq!(run(tenon().arg("sdk")).stdout, sdk.stdout);
    assert!(sdk.stdout.ends_with("\ndeclare const tools: Tools;\n"), "{}", sdk.stdout);
    let listed = run(tenon().args(["tools", "--json"])).json();
    for tool in listed.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        if name == "run_code" {
            assert!(!sdk.stdout.contains("run_code("), "{}", sdk.stdout);
            continue;
        }
        let shown = run(tenon().args(["tools", "show", name, "--ts"])).stdout;
        let (types, member) = shown.split_once("interface Tools {\n").unwrap();
        for part in [types, member.trim_end_matches("}\n")] {
            assert_eq!(sdk.stdout.matches(part).count(), 1, "{part}");
        }
    }
}

#[test]
fn a_size_is_kept_and_one_that_is_too_small_is_refused_with_the_least() {
    let ran = run(tenon().args(["sdk", "--max-bytes", "8000"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.len() <= 8000, "{}", ran.stdout.len());
    assert!(ran.stdout.contains("  bash: Undeclared; // "), "{}", ran.stdout);
    let refused = run(tenon().args(["sdk", "--max-bytes", "10"]));
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    let words: Vec<&str> = refused.stderr.split(' ').collect();
    let take = words.iter().position(|word| *word == "take").unwrap();
    let least = run(tenon().args(["sdk", "--max-bytes", words[take + 1]]));
    assert_eq!(least.stdout.len().to_string(), words[take + 1]);
    assert_eq!(run(tenon().args(["sdk", "--max-bytes", "-1"])).code, 2);
}
