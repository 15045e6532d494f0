//! The body of `glob` on real trees, and its page.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::*;
use crate::config::SearchCaps;
use crate::seam::fs::Disk;
use crate::search::incomplete::Reason;

/// A tree of empty files; each is older than the one before.
fn tree(files: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().expect("temp dir");
    for (age, path) in files.iter().enumerate() {
        write(dir.path(), path, "", age as u64);
    }
    dir
}

fn write(root: &Path, path: &str, content: &str, age_s: u64) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    fs::write(&path, content).expect("write");
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 - age_s);
    fs::File::options().write(true).open(&path).and_then(|f| f.set_modified(then)).expect("time");
}

fn glob_with(
    caps: GlobCaps,
    root: &Path,
    pattern: &str,
    path: Option<&str>,
) -> Result<GlobValue, SearchError> {
    let tool = Glob::new(Arc::new(Disk), caps).expect("valid caps");
    let args = GlobArgs { pattern: pattern.to_owned(), path: path.map(str::to_owned) };
    Job { tool, workspace_root: root.to_owned(), args }.search(&|| false)
}

fn glob(dir: &TempDir, pattern: &str) -> Vec<String> {
    let value = glob_with(GlobCaps::default(), dir.path(), pattern, None).expect("a result");
    assert_eq!(value.incomplete, None);
    value.paths
}

#[test]
fn the_newest_file_comes_first_and_equal_times_by_path() {
    let dir = tree(&["b", "a/x", "c"]);
    assert_eq!(glob(&dir, "*"), ["b", "a/x", "c"]);
    for path in ["z", "a-b", "a/b"] {
        write(dir.path(), path, "", 0);
    }
    write(dir.path(), "b", "", 0);
    assert_eq!(glob(&dir, "*"), ["a/b", "a-b", "b", "z", "a/x", "c"]);
}

#[test]
fn hidden_files_are_found_and_version_control_never() {
    let dir = tree(&[".env", ".github/ci.yml", ".git/config", "a/.hg/x", "sub/.git"]);
    assert_eq!(glob(&dir, "*"), [".env", ".github/ci.yml"]);
    assert_eq!(glob(&dir, ".env*"), [".env"]);
    assert!(glob(&dir, ".git/config").is_empty());
    let inside = glob_with(GlobCaps::default(), dir.path(), "*", Some(".git"));
    assert!(inside.expect("a result").paths.is_empty());
}

#[test]
fn ignore_files_are_respected_unless_the_pattern_names_the_entry() {
    let dir = tree(&["target/debug/a.d", "src/a.rs", "secret.txt", "keep.log", "b.log", "x/y.tmp"]);
    write(dir.path(), ".gitignore", "target/\nsecret.txt\n*.log\n!keep.log\n", 50);
    write(dir.path(), "x/.ignore", "*.tmp\n", 51);
    assert_eq!(glob(&dir, "*"), ["src/a.rs", "keep.log", ".gitignore", "x/.ignore"]);
    assert_eq!(glob(&dir, "target/**"), ["target/debug/a.d"]);
    assert_eq!(glob(&dir, "target/"), ["target/debug/a.d"]);
    assert_eq!(glob(&dir, "**/target/*/*.d"), ["target/debug/a.d"]);
    assert_eq!(glob(&dir, "secret.txt"), ["secret.txt"]);
    assert_eq!(glob(&dir, "{secret.txt,b.log}"), ["secret.txt", "b.log"]);
    assert!(glob(&dir, "s*.txt").is_empty());
    assert!(glob(&dir, "*.d").is_empty());
}

#[test]
fn rules_of_folders_above_the_root_count() {
    let dir = tree(&["sub/a.log", "sub/a.rs"]);
    write(dir.path(), ".gitignore", "*.log\n", 9);
    let value = glob_with(GlobCaps::default(), dir.path(), "*", Some("sub")).expect("a result");
    assert_eq!(value.paths, ["sub/a.rs"]);
    // The folder itself may be ignored: it was asked for.
    write(dir.path(), ".gitignore", "sub/\n", 9);
    let value = glob_with(GlobCaps::default(), dir.path(), "*", Some("sub")).expect("a result");
    assert_eq!(value.paths, ["sub/a.log", "sub/a.rs"]);
}

#[test]
fn a_repository_inside_does_not_inherit_gitignore() {
    let dir = tree(&["repo/.git/info/exclude", "repo/a.log", "repo/b.tmp"]);
    write(dir.path(), ".gitignore", "*.log\n", 9);
    write(dir.path(), "repo/.git/info/exclude", "*.tmp\n", 9);
    assert_eq!(glob(&dir, "a.*"), ["repo/a.log"]);
    assert!(glob(&dir, "*.tmp").is_empty());
}

#[test]
fn patterns_are_anchored_at_the_folder_searched() {
    let dir = tree(&["packages/a/src/x.ts", "src/y.ts"]);
    let at = |pattern: &str, path: &str| {
        glob_with(GlobCaps::default(), dir.path(), pattern, Some(path)).expect("a result").paths
    };
    assert_eq!(at("src/*.ts", "packages/a"), ["packages/a/src/x.ts"]);
    let absolute = dir.path().join("packages/a");
    let absolute = absolute.to_str().expect("UTF-8");
    assert_eq!(at("src/*.ts", absolute), ["packages/a/src/x.ts"]);
    assert_eq!(at(&format!("{absolute}/src/*.ts"), absolute), ["packages/a/src/x.ts"]);
    let elsewhere = glob_with(GlobCaps::default(), Path::new("/usr"), "src/*.ts", Some(absolute));
    assert_eq!(elsewhere.expect("a result").paths, [format!("{absolute}/src/x.ts")]);
}

#[test]
fn odd_names_are_data() {
    let dir = tree(&["-n", "a b", "it's", "x\ny"]);
    assert_eq!(glob(&dir, "-n"), ["-n"]);
    assert_eq!(glob(&dir, "*"), ["-n", "a b", "it's", "x\ny"]);
}

#[test]
fn names_that_are_not_utf_8_are_shown_and_counted() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tree(&["a"]);
    fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"b\xFF")), "").expect("write");
    let value = glob_with(GlobCaps::default(), dir.path(), "*", None).expect("a result");
    assert_eq!(value.paths, ["b\u{FFFD}", "a"]);
    let incomplete = value.incomplete.expect("flagged");
    assert_eq!((incomplete.lossy_names, incomplete.reasons), (Some(1), vec![]));
}

#[test]
fn links_to_files_are_found_and_links_to_folders_not_followed() {
    let dir = tree(&["a/x"]);
    std::os::unix::fs::symlink("a/x", dir.path().join("l")).expect("link");
    std::os::unix::fs::symlink("a", dir.path().join("d")).expect("link");
    std::os::unix::fs::symlink("none", dir.path().join("dangling")).expect("link");
    std::os::unix::fs::symlink("loop", dir.path().join("loop")).expect("link");
    assert_eq!(glob(&dir, "*"), ["a/x", "l"]);
}

#[test]
fn what_stands_in_the_place_of_a_rule_file_holds_nothing_up() {
    let started = std::time::Instant::now();
    for name in [".ignore", ".gitignore", ".rgignore", ".git"] {
        let dir = tree(&["in/a/x", "in/a/y"]);
        let expected = ["in/a/x", "in/a/y"];
        for folder in ["", "in", "in/a"] {
            let path = dir.path().join(folder).join(name);
            let mode = rustix::fs::Mode::RUSR;
            let fifo = rustix::fs::FileType::Fifo;
            rustix::fs::mknodat(rustix::fs::CWD, &path, fifo, mode, 0).expect("fifo");
            let mut found = glob_with(GlobCaps::default(), dir.path(), "*", Some("in"))
                .expect("a result")
                .paths;
            found.sort();
            assert_eq!(found, expected, "a pipe {folder}/{name}");
            fs::remove_file(&path).expect("remove");
            std::os::unix::fs::symlink("/dev/zero", &path).expect("link");
            let found = glob_with(GlobCaps::default(), dir.path(), "*", Some("in"));
            let found = found.expect("a result").paths;
            let listed = found.iter().filter(|path| !path.ends_with(name)).count();
            assert_eq!(listed, 2, "a device {folder}/{name}: {found:?}");
            fs::remove_file(&path).expect("remove");
        }
    }
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
}

#[test]
fn what_a_repository_is_said_to_hold_holds_nothing_up() {
    let dir = tree(&["in/x", "git/a", "git/info/a", "common/info/exclude"]);
    fs::write(dir.path().join("in/.git"), "gitdir: ../git\n").expect("write");
    fs::write(dir.path().join("common/info/exclude"), "x\n").expect("write");
    let find = || glob_with(GlobCaps::default(), dir.path(), "*", Some("in")).expect("a result");
    for name in ["git/commondir", "git/info/exclude"] {
        let (path, mode) = (dir.path().join(name), rustix::fs::Mode::RUSR);
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &path, fifo, mode, 0).expect("fifo");
        assert_eq!(find().paths, ["in/x"]);
        fs::remove_file(path).expect("remove");
    }
    fs::write(dir.path().join("git/commondir"), "../common\n").expect("write");
    assert_eq!(find().paths, Vec::<String>::new());
}

#[test]
fn pipes_and_sockets_are_not_files() {
    let dir = tree(&["a"]);
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("s")).expect("socket");
    assert_eq!(glob(&dir, "*"), ["a"]);
}

#[test]
fn faults_have_codes_and_say_what_to_do() {
    let dir = tree(&["f"]);
    let fail = |pattern: &str, path: Option<&str>| {
        let error = glob_with(GlobCaps::default(), dir.path(), pattern, path).expect_err("fails");
        let error = ToolError::from(error);
        (error.info().expect("coded").code.to_string(), error.message().to_owned())
    };
    assert_eq!(fail("a[", None).0, "SEARCH_INVALID_PATTERN");
    assert_eq!(fail(" ", None).0, "SEARCH_INVALID_PATTERN");
    assert_eq!(fail("*", Some(" ")).0, "SEARCH_INVALID_ARGUMENT");
    assert_eq!(
        fail("*", Some("none")),
        ("SEARCH_NOT_FOUND".to_owned(), "none: no such file".to_owned())
    );
    assert_eq!(
        fail("*", Some("f")),
        ("SEARCH_NOT_DIRECTORY".to_owned(), "f: not a folder".to_owned())
    );
}

fn limited(search: SearchCaps) -> GlobCaps {
    GlobCaps { search, ..GlobCaps::default() }
}

#[test]
fn a_search_that_meets_its_budget_gives_the_same_part_every_time() {
    let names: Vec<String> = (0..600).map(|at| format!("d{}/f{at:03}", at % 7)).collect();
    let dir = tree(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let caps =
        limited(SearchCaps { value_max_bytes: 2_000, threads: Some(4), ..SearchCaps::default() });
    let find = || glob_with(caps.clone(), dir.path(), "*", None).expect("a result");
    let first = find();
    assert_eq!(first.incomplete.as_ref().expect("cut").reasons, [Reason::ByteBudget]);
    assert!(first.paths.len() > 20 && first.paths.iter().all(|path| path.starts_with("d0/")));
    for _ in 0..5 {
        assert_eq!(find(), first);
    }
}

#[test]
fn a_search_that_meets_its_entry_cap_says_so() {
    let dir = tree(&["a", "b", "c/d", "e"]);
    let caps = limited(SearchCaps { max_entries: 2, ..SearchCaps::default() });
    let value = glob_with(caps, dir.path(), "*", None).expect("a result");
    assert_eq!(value.paths, ["a", "b"]);
    assert_eq!(value.incomplete.expect("cut").reasons, [Reason::EntryCap]);
}

#[test]
fn cancelling_ends_the_search() {
    let dir = tree(&["a"]);
    let tool = Glob::new(Arc::new(Disk), GlobCaps::default()).expect("valid caps");
    let args = GlobArgs { pattern: "*".to_owned(), path: None };
    let job = Job { tool, workspace_root: dir.path().to_owned(), args };
    assert_eq!(job.search(&|| true), Err(SearchError::Cancelled));
}

fn page(caps: &GlobCaps, paths: &[&str]) -> String {
    let paths = paths.iter().map(ToString::to_string).collect();
    let blocks = Page::of(caps, &GlobValue { paths, incomplete: None }).render(None);
    match blocks.as_slice() {
        [ContentBlock::Text { text, .. }] => text.clone(),
        other => panic!("one text block, not {other:?}"),
    }
}

#[test]
fn the_page_is_cut_only_over_the_cap() {
    let caps = GlobCaps { page_max_paths: 2, ..GlobCaps::default() };
    assert_eq!(page(&caps, &[]), "No file matches.");
    assert_eq!(page(&caps, &["a"]), "a");
    assert_eq!(page(&caps, &["a", "b\n"]), "a\nb\\n");
    assert_eq!(
        page(&caps, &["a", "b", "c"]),
        "a\nb\n\n(2 of 3 files shown, most recently changed first. The list is cut here; narrow the pattern, \
         or give a folder as path.)"
    );
    assert_eq!(
        page(&caps, &["p/a/1", "p/a/2", "p/b/1"]),
        "p/a/1\np/b/1\n\n(2 of 3 files shown: an even choice from 2 of 2 top entries of p/, not the \
         most recently changed. The list is cut here; narrow the pattern, or give a folder as path.)"
    );
}

#[test]
fn metadata_drops_paths_at_the_end_to_stay_under_its_cap() {
    let caps = GlobCaps { meta_max_bytes: 256, ..GlobCaps::default() };
    let paths = (0..50).map(|at| format!("some/path/{at:02}")).collect();
    let value = GlobValue { paths, incomplete: None };
    let meta = GlobMeta::of(&caps, &value);
    assert!(meta.truncated && meta.total == 50 && json_bytes(&meta) <= 256);
    let one = GlobValue { paths: vec!["x".repeat(500)], incomplete: None };
    assert_eq!(GlobMeta::of(&caps, &one).paths.len(), 1);
}
