//! Ignore files that are no files, too large, or no rules.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::{FileType, Mode};
use tempfile::TempDir;

use super::*;
use crate::config::SearchCaps;

/// The verdicts on names after reading `content`, and how much counts as unreadable.
fn verdicts(content: &[u8], names: &[&str]) -> (Vec<Option<bool>>, u64) {
    let dir = tempfile::tempdir().expect("temp dir");
    fs::write(dir.path().join(".ignore"), content).expect("write");
    let caps = SearchCaps::default();
    let budget = Budget::new(&caps, &|| false);
    let reader = RuleReader { budget: &budget, is_counting: true };
    let set = reader.rules(dir.path(), &dir.path().join(".ignore"));
    let verdict = |name: &&str| set.verdict(&dir.path().join(name), false);
    (names.iter().map(verdict).collect(), budget.skipped())
}

#[test]
fn rules_are_read_as_git_reads_them() {
    let content = b"\xEF\xBB\xBFa\r\n# c\n\n*.log\n!keep.log\n\xFF\nb";
    let (found, unreadable) = verdicts(content, &["a", "x.log", "keep.log", "b", "c"]);
    assert_eq!(found, [Some(true), Some(true), Some(false), Some(true), None]);
    assert_eq!(unreadable, 0);
}

#[test]
fn one_line_that_is_too_long_does_not_take_the_rest_away() {
    let content = format!("a\n{}\nb\n", "?".repeat(400_000));
    assert_eq!(verdicts(content.as_bytes(), &["a", "b"]).0, [Some(true); 2]);
}

#[test]
fn portions_of_a_file_are_one_list_of_rules() {
    let filler = "some/other/path.txt\n".repeat(2 * PORTION_BYTES / 20);
    let content = format!("a\nz.log\n{filler}b\n!z.log\n");
    let (found, _) = verdicts(content.as_bytes(), &["a", "b", "z.log", "c"]);
    assert_eq!(found, [Some(true), Some(true), Some(false), None]);
}

#[test]
fn rules_that_are_too_much_at_once_are_compiled_by_halves() {
    let long = "[!a]?".repeat(800);
    let mut lines = vec!["a", "z.log"];
    lines.extend(vec![long.as_str(); 100]);
    lines.extend(["b", "!z.log"]);
    let caps = SearchCaps::default();
    let budget = Budget::new(&caps, &|| false);
    let mut set = RuleSet::default();
    let mut compiler = Compiler { folder: Path::new("/f"), budget: &budget, retries: RETRIES_MAX };
    assert!(compiler.add(&mut set, &lines));
    assert_eq!(set.portions.len(), 2);
    let verdict = |name: &str| set.verdict(&Path::new("/f").join(name), false);
    let found = ["a", "b", "z.log", "c"].map(verdict);
    assert_eq!(found, [Some(true), Some(true), Some(false), None]);
    let mut compiler = Compiler { retries: 0, ..compiler };
    assert!(!compiler.add(&mut RuleSet::default(), &lines), "the attempts are used up");
}

#[test]
fn a_file_counts_up_to_its_limit() {
    let mut content = b"a\n".to_vec();
    content.resize(FILE_MAX_BYTES - 1, b'\n');
    // This line begins within the limit and ends behind it.
    content.extend_from_slice(b"bc\nd\n");
    assert_eq!(verdicts(&content, &["a", "b", "bc", "d"]), (vec![Some(true), None, None, None], 1));
}

/// What is made of `path`; ends at once.
fn unusable(dir: &TempDir) -> (bool, Option<String>, u64) {
    let caps = SearchCaps::default();
    let budget = Budget::new(&caps, &|| false);
    let reader = RuleReader { budget: &budget, is_counting: true };
    let path = dir.path().join("f");
    let is_empty = reader.rules(dir.path(), &path).is_empty();
    (is_empty, reader.link(&path).filter(|text| !text.is_empty()), budget.skipped())
}

#[test]
fn what_is_not_a_regular_file_is_no_rule_file() {
    let dir = tempfile::tempdir().expect("temp dir");
    let path = dir.path().join("f");
    rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::Fifo, Mode::RUSR, 0).expect("fifo");
    assert_eq!(unusable(&dir), (true, None, 0));
    fs::remove_file(&path).expect("remove");
    for target in ["/dev/zero", "/dev/null", "/", "none"] {
        symlink(target, &path).expect("link");
        let (is_empty, link, _) = unusable(&dir);
        assert_eq!((is_empty, link), (true, None), "{target}");
        fs::remove_file(&path).expect("remove");
    }
}

#[test]
fn a_huge_file_is_not_read_to_its_end() {
    let dir = tempfile::tempdir().expect("temp dir");
    let file = fs::File::create(dir.path().join("f")).expect("create");
    file.set_len(1 << 40).expect("a sparse file");
    assert_eq!(unusable(&dir), (true, None, 2));
}

#[test]
fn the_time_of_the_search_holds_for_rules() {
    let dir = tempfile::tempdir().expect("temp dir");
    fs::write(dir.path().join("f"), "a\n").expect("write");
    let caps = SearchCaps { gather_max_ms: 0, ..SearchCaps::default() };
    let budget = Budget::new(&caps, &|| false);
    let reader = RuleReader { budget: &budget, is_counting: true };
    assert!(reader.rules(dir.path(), &dir.path().join("f")).is_empty());
}
