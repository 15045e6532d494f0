//! A search in a process that can hardly open anything: it fails or says what is missing.

use std::fs::File;
use std::process::Command;

use super::*;

/// Set in the process that has few descriptors.
const INSIDE: &str = "TENON_TEST_FEW_DESCRIPTORS";
const NAME: &str = "search::grep::tests::few_descriptors::no_search_is_silently_empty";

#[test]
fn no_search_is_silently_empty() {
    if std::env::var_os(INSIDE).is_some() {
        return search_with_few();
    }
    // The limit holds for a whole process, and other tests may run in this one.
    let output = Command::new("sh")
        .args(["-c", "ulimit -n 40 && exec \"$0\" --exact \"$1\" --nocapture"])
        .arg(std::env::current_exe().expect("this program"))
        .arg(NAME)
        .env(INSIDE, "1")
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

fn search_with_few() {
    let dir = tree(&[("a/f", b"hit\n"), ("g", b"hit\n")]);
    let mut outcomes = Vec::new();
    for free in 0..10 {
        let mut taken: Vec<File> =
            std::iter::from_fn(|| File::open("/dev/null").ok()).take(1_000).collect();
        taken.truncate(taken.len() - free);
        let found = grep_with(GrepCaps::default(), dir.path(), args("hit", None, None));
        drop(taken);
        if let Ok(value) = &found {
            let missing = value.incomplete.as_ref().and_then(|some| some.skipped);
            assert!(value.matches.len() == 2 || missing > Some(0), "{free} free: {value:?}");
        }
        outcomes.push(
            found.map_err(|error| ToolError::from(error).info().map(|info| info.code.to_string())),
        );
    }
    for (free, outcome) in outcomes.iter().enumerate().take(3) {
        assert_eq!(outcome, &Err(Some("SEARCH_IO_ERROR".to_owned())), "{free} free");
    }
    assert!(
        outcomes
            .last()
            .is_some_and(|outcome| matches!(outcome, Ok(value) if value.matches.len() == 2))
    );
}
