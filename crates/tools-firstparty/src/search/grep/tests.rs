//! The body of `grep` on real trees, and its page.

use std::fs;
use std::num::NonZeroU64;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::config::SearchCaps;
use crate::seam::fs::Disk;
use crate::search::incomplete::Reason;
use crate::search::matches::GrepMatch;
use crate::text::json_size::json_bytes;

fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().expect("temp dir");
    for (path, content) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, content).expect("write");
    }
    dir
}

fn args(pattern: &str, path: Option<&str>, include: Option<&str>) -> GrepArgs {
    GrepArgs {
        pattern: pattern.to_owned(),
        path: path.map(str::to_owned),
        include: include.map(str::to_owned),
    }
}

fn grep_with(caps: GrepCaps, root: &Path, args: GrepArgs) -> Result<GrepValue, SearchError> {
    let tool = Grep::new(Arc::new(Disk), caps).expect("valid caps");
    Job { tool, workspace_root: root.to_owned(), args }.search(&|| false)
}

fn grep(dir: &TempDir, args: GrepArgs) -> Vec<(String, u64, String)> {
    let value = grep_with(GrepCaps::default(), dir.path(), args).expect("a result");
    assert_eq!(value.incomplete, None);
    value.matches.iter().map(|found| row(found.path, found.line_number, found.line)).collect()
}

fn row(path: &str, number: u64, line: &str) -> (String, u64, String) {
    (path.to_owned(), number, line.to_owned())
}

#[test]
fn matches_come_by_path_then_line_one_for_each_line() {
    let dir = tree(&[("a-b", b"hit\n"), ("a/z", b"no\nhit hit\r\n  hit  "), ("A", b"hit\n")]);
    assert_eq!(
        grep(&dir, args("hit", None, None)),
        [
            row("A", 1, "hit"),
            row("a/z", 2, "hit hit"),
            row("a/z", 3, "  hit  "),
            row("a-b", 1, "hit")
        ]
    );
}

#[test]
fn anchors_and_classes_stay_within_a_line() {
    let dir = tree(&[("f", b"let a;\r\nlet b;\nlet c; \n")]);
    assert_eq!(grep(&dir, args(r"^let \w;$", None, None)).len(), 2, "CR LF is a line end");
    assert_eq!(grep(&dir, args(r";\slet", None, None)), []);
    assert_eq!(grep(&dir, args("(?i)LET A", None, None)).len(), 1);
    assert_eq!(grep(&dir, args(" $", None, None)).len(), 1);
}

#[test]
fn one_file_can_be_searched_even_if_ignored() {
    let dir = tree(&[(".gitignore", b"f\n"), ("f", b"hit\n"), ("g", b"hit\n")]);
    assert_eq!(grep(&dir, args("hit", None, None)), [row("g", 1, "hit")]);
    assert_eq!(grep(&dir, args("hit", Some("f"), None)), [row("f", 1, "hit")]);
    assert_eq!(grep(&dir, args("hit", Some("f"), Some("*.rs"))), []);
    std::os::unix::fs::symlink("f", dir.path().join("l")).expect("link");
    assert_eq!(grep(&dir, args("hit", Some("l"), None)), [row("l", 1, "hit")]);
}

#[test]
fn an_ignored_folder_is_searched_when_path_names_it() {
    let dir = tree(&[(".gitignore", b"out\n"), ("out/sub/f", b"hit\n")]);
    assert_eq!(grep(&dir, args("hit", None, None)), []);
    assert_eq!(grep(&dir, args("hit", Some("out"), None)), [row("out/sub/f", 1, "hit")]);
}

#[test]
fn include_chooses_files_and_finds_what_it_names() {
    let dir = tree(&[
        (".gitignore", b"out\n.env\n"),
        (".env", b"hit\n"),
        (".github/x.yml", b"hit\n"),
        ("out/a.js", b"hit\n"),
        ("src/a.js", b"hit\n"),
        ("src/a.ts", b"hit\n"),
    ]);
    let files = |include: &str| -> Vec<String> {
        grep(&dir, args("hit", None, Some(include))).into_iter().map(|found| found.0).collect()
    };
    assert_eq!(files("*.js"), ["src/a.js"]);
    assert_eq!(files("*.{js,ts}"), ["src/a.js", "src/a.ts"]);
    assert_eq!(files("src/*"), ["src/a.js", "src/a.ts"]);
    assert_eq!(files("out/**"), ["out/a.js"]);
    assert_eq!(files(".env"), [".env"]);
    assert_eq!(files(".env*"), [] as [&str; 0]);
    assert_eq!(files(".github/*"), [".github/x.yml"]);
}

#[test]
fn a_file_is_searched_up_to_its_first_nul() {
    let dir = tree(&[("b", b"hit 1\nhit\0 2\nhit 3\n"), ("c", b"\0hit\n")]);
    assert_eq!(grep(&dir, args("hit", None, None)), [row("b", 1, "hit 1"), row("b", 2, "hit")]);
}

#[test]
fn other_encodings() {
    let utf16: Vec<u8> =
        "\u{FEFF}né\r\nhit é\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let dir = tree(&[("bad", b"hit \xFF\xC3 x\n"), ("bom", b"\xEF\xBB\xBFhit\n"), ("u16", &utf16)]);
    assert_eq!(
        grep(&dir, args("^hit", None, None)),
        [row("bad", 1, "hit \u{FFFD}\u{FFFD} x"), row("bom", 1, "hit"), row("u16", 2, "hit é")]
    );
}

#[test]
fn large_files_are_searched_whole() {
    let mut content = "filler line\n".repeat(1_000_000);
    content.push_str("the needle\r\nlast");
    let dir = tree(&[("big", content.as_bytes())]);
    assert_eq!(grep(&dir, args("needle$", None, None)), [row("big", 1_000_001, "the needle")]);
    assert_eq!(grep(&dir, args("^last$", None, None)), [row("big", 1_000_002, "last")]);
    let utf16: Vec<u8> =
        format!("\u{FEFF}{content}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    let dir = tree(&[("big", &utf16)]);
    assert_eq!(grep(&dir, args("needle$", None, None)), [row("big", 1_000_001, "the needle")]);
}

#[test]
fn a_giant_line_is_cut_and_the_rest_kept() {
    let giant = format!("hit\n{}needle{}\r\nhit\n", "x".repeat(5_000_000), "y".repeat(9_000_000));
    let dir = tree(&[("giant", giant.as_bytes())]);
    let value = grep_with(GrepCaps::default(), dir.path(), args("hit|needle", None, None));
    let value = value.expect("a result");
    let matches: Vec<GrepMatch<'_>> = value.matches.iter().collect();
    let numbers: Vec<u64> = matches.iter().map(|found| found.line_number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(matches[1].line_bytes, NonZeroU64::new(14_000_006));
    assert_eq!(matches[1].line.len(), GrepCaps::default().value_line_max_bytes);
    assert_eq!(matches[2].line_bytes, None);
}

#[test]
fn a_match_on_the_seam_of_two_pieces_is_found() {
    let line = "x".repeat(4 * 1024 * 1024 - 3) + "needle" + &"x".repeat(5_000_000);
    let dir = tree(&[("giant", line.as_bytes())]);
    assert_eq!(
        grep_with(GrepCaps::default(), dir.path(), args("needle", None, None))
            .map(|value| value.matches.len()),
        Ok(1)
    );
}

#[test]
fn a_line_is_cut_on_a_character() {
    let caps = GrepCaps { line_max_bytes: 10, value_line_max_bytes: 10, ..GrepCaps::default() };
    let dir = tree(&[("f", "aé😀😀😀b\n".as_bytes()), ("g", "0123456789\n".as_bytes())]);
    let value = grep_with(caps, dir.path(), args(".", None, None)).expect("a result");
    let lines: Vec<_> = value.matches.iter().map(|found| (found.line, found.line_bytes)).collect();
    assert_eq!(lines, [("aé😀", NonZeroU64::new(16)), ("0123456789", None)]);
}

#[test]
fn a_search_that_meets_its_budget_gives_the_same_part_every_time() {
    let names: Vec<String> = (0..300).map(|at| format!("d{}/f{at:03}", at % 7)).collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), b"hit 1\nhit 2\n".as_slice())).collect();
    let dir = tree(&files);
    let search = SearchCaps { value_max_bytes: 3_000, threads: Some(4), ..SearchCaps::default() };
    let caps = GrepCaps { search, ..GrepCaps::default() };
    let find = || grep_with(caps.clone(), dir.path(), args("hit", None, None)).expect("a result");
    let first = find();
    assert_eq!(first.incomplete.as_ref().expect("cut").reasons, [Reason::ByteBudget]);
    assert!(first.matches.len() > 20);
    let whole = grep_with(GrepCaps::default(), dir.path(), args("hit", None, None));
    let whole = whole.expect("a result").matches;
    assert!(first.matches.iter().eq(whole.iter().take(first.matches.len())));
    for _ in 0..5 {
        assert_eq!(find(), first);
    }
}

#[test]
fn one_file_over_the_budget_is_cut_and_flagged() {
    let dir = tree(&[("f", "hit\n".repeat(100).as_bytes())]);
    let search = SearchCaps { value_max_bytes: 700, ..SearchCaps::default() };
    let caps = GrepCaps { search, ..GrepCaps::default() };
    for path in [None, Some("f")] {
        let value = grep_with(caps.clone(), dir.path(), args("hit", path, None)).expect("a result");
        assert!((5..12).contains(&value.matches.len()), "{}", value.matches.len());
        assert_eq!(value.incomplete.expect("cut").reasons, [Reason::ByteBudget]);
    }
}

#[test]
fn names_that_are_not_utf_8_are_shown_and_counted() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tree(&[("a", b"hit\n")]);
    fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"b\xFF")), "hit\nhit\n").expect("write");
    let value = grep_with(GrepCaps::default(), dir.path(), args("hit", None, None));
    let value = value.expect("a result");
    assert_eq!(value.matches.len(), 3);
    let last = value.matches.iter().last().expect("a match");
    assert_eq!(last.path, "b\u{FFFD}");
    assert_eq!(value.incomplete.expect("flagged").lossy_names, Some(1));
}

#[test]
fn files_that_look_the_same_keep_the_order_of_their_names() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tree(&[]);
    for (name, text) in [(b"b\xFE", "hit 1\n"), (b"b\xFF", "hit 2\n")] {
        fs::write(dir.path().join(std::ffi::OsStr::from_bytes(name)), text).expect("write");
    }
    let value = grep_with(GrepCaps::default(), dir.path(), args("hit", None, None));
    let value = value.expect("a result");
    let lines: Vec<&str> = value.matches.iter().map(|found| found.line).collect();
    assert_eq!(lines, ["hit 1", "hit 2"]);
    let read: GrepValue =
        contract_schema::Json::snapshot(&value).expect("json").to_typed().expect("reads back");
    assert_eq!(read, value);
}

#[test]
fn what_cannot_be_read_is_counted_and_the_rest_kept() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tree(&[("a", b"hit\n"), ("b", b"hit\n"), ("c/d", b"hit\n"), ("e", b"hit\n")]);
    for path in ["b", "c"] {
        let none = fs::Permissions::from_mode(0o000);
        fs::set_permissions(dir.path().join(path), none).expect("mode");
    }
    let is_root = fs::read(dir.path().join("b")).is_ok();
    let value = grep_with(GrepCaps::default(), dir.path(), args("hit", None, None));
    let value = value.expect("a result");
    let incomplete = value.incomplete.unwrap_or_default();
    // Nothing is unreadable for root.
    let (matches, skipped) = if is_root { (4, None) } else { (2, Some(2)) };
    assert_eq!((value.matches.len(), incomplete.skipped), (matches, skipped));
    let all = fs::Permissions::from_mode(0o700);
    fs::set_permissions(dir.path().join("c"), all).expect("mode");
}

#[test]
fn a_tree_deeper_than_paths_go_is_searched_as_far_as_they_go() {
    use rustix::fs::{Mode, OFlags, mkdirat, openat};
    let dir = tree(&[("z", b"hit\n")]);
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = rustix::fs::open(dir.path(), flags, Mode::empty()).expect("open");
    let name = "x".repeat(200);
    for _ in 0..25 {
        mkdirat(&at, &name, Mode::RWXU).expect("folder");
        at = openat(&at, &name, flags, Mode::empty()).expect("open");
    }
    let search = SearchCaps { value_max_bytes: 1_000, ..SearchCaps::default() };
    for caps in [GrepCaps::default(), GrepCaps { search, ..GrepCaps::default() }] {
        let value = grep_with(caps, dir.path(), args("hit", None, None)).expect("a result");
        let incomplete = value.incomplete.expect("something was not reached");
        assert_eq!((value.matches.len(), incomplete.skipped), (1, Some(1)));
        assert_eq!(incomplete.reasons, [Reason::Unreadable]);
    }
}

#[test]
fn more_folders_inside_each_other_than_descriptors_are_no_problem() {
    let path = format!("{}f", "d/".repeat(1_500));
    let dir = tree(&[(&path, b"hit\nhit\n")]);
    let search = SearchCaps { value_max_bytes: 3_200, ..SearchCaps::default() };
    for (caps, count) in [(GrepCaps::default(), 2), (GrepCaps { search, ..GrepCaps::default() }, 1)]
    {
        let value = grep_with(caps, dir.path(), args("hit", None, None)).expect("a result");
        assert_eq!(value.matches.len(), count);
    }
}

#[test]
fn a_large_flat_folder_is_searched_whole() {
    let names: Vec<String> = (0..1_000).map(|at| format!("f{at:04}")).collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), b"hit".as_slice())).collect();
    let dir = tree(&files);
    let search = SearchCaps { threads: Some(3), ..SearchCaps::default() };
    let caps = GrepCaps { search, ..GrepCaps::default() };
    let value = grep_with(caps, dir.path(), args("hit", None, None)).expect("a result");
    let paths: Vec<&str> = value.matches.iter().map(|found| found.path).collect();
    assert_eq!(paths, names);
}

#[test]
fn a_search_out_of_time_keeps_what_it_has_or_fails() {
    let names: Vec<String> = (0..3_000).map(|at| format!("f{at:04}")).collect();
    let files: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), b"hit".as_slice())).collect();
    let dir = tree(&files);
    let search = SearchCaps { gather_max_ms: 1, threads: Some(1), ..SearchCaps::default() };
    let caps = GrepCaps { search, ..GrepCaps::default() };
    let value = grep_with(caps.clone(), dir.path(), args("hit", None, None));
    match value {
        Ok(value) => assert_eq!(value.incomplete.expect("cut").reasons, [Reason::Timeout]),
        Err(error) => assert_eq!(error, SearchError::Timeout { seconds: 1 }),
    }
    let none = grep_with(caps, dir.path(), args("none", None, None));
    assert_eq!(none, Err(SearchError::Timeout { seconds: 1 }));
}

#[test]
fn faults_have_codes() {
    let dir = tree(&[("f", b"")]);
    let code = |args: GrepArgs| {
        let error = grep_with(GrepCaps::default(), dir.path(), args).expect_err("fails");
        ToolError::from(error).info().expect("coded").code.to_string()
    };
    assert_eq!(code(args("(", None, None)), "SEARCH_INVALID_PATTERN");
    assert_eq!(code(args("x", None, Some("!a"))), "SEARCH_INVALID_PATTERN");
    assert_eq!(code(args("x", None, Some("../a"))), "SEARCH_INVALID_PATTERN");
    assert_eq!(code(args("x", Some("none"), None)), "SEARCH_NOT_FOUND");
    assert_eq!(code(args("x", Some("/dev/null"), None)), "SEARCH_NOT_REGULAR_FILE");
}

#[test]
fn text_that_looks_like_options_or_shell_is_only_text() {
    let dir = tree(&[("f", b"-e $(rm) `x` ; --\n")]);
    assert_eq!(grep(&dir, args("-e", None, None)).len(), 1);
    assert_eq!(grep(&dir, args(r"\$\(rm\) `x` ;", None, None)).len(), 1);
    assert_eq!(grep(&dir, args(" ", None, None)).len(), 1);
}

fn found<'m>(path: &'m str, line_number: u64, line: &'m str) -> GrepMatch<'m> {
    GrepMatch { path, line_number, line, line_bytes: None }
}

fn value<'m>(matches: impl IntoIterator<Item = GrepMatch<'m>>) -> GrepValue {
    GrepValue { matches: matches.into_iter().collect(), incomplete: None }
}

fn page(caps: &GrepCaps, matches: Vec<GrepMatch<'_>>) -> String {
    let blocks = Page::of(caps, &value(matches)).render(None);
    match blocks.as_slice() {
        [ContentBlock::Text { text, .. }] => text.clone(),
        other => panic!("one text block, not {other:?}"),
    }
}

#[test]
fn the_page_groups_by_file_and_is_cut_only_over_the_cap() {
    let caps = GrepCaps { page_max_matches: 2, line_max_bytes: 4, ..GrepCaps::default() };
    assert_eq!(page(&caps, vec![]), "No line matches.");
    assert_eq!(page(&caps, vec![found("a", 1, "x")]), "1 match in 1 file\n\na\n1: x");
    assert_eq!(
        page(&caps, vec![found("a", 1, "x"), found("b", 7, "éééé")]),
        "2 matches in 2 files\n\na\n1: x\n\nb\n7: éé… [line of 8 bytes cut]"
    );
    assert_eq!(
        page(&caps, vec![found("a", 1, "x"), found("a", 2, "y"), found("b", 1, "z")]),
        "2 of 3 matches\n\na\n1: x\n2: y\n\n(The list is cut here; narrow the pattern, or use path or \
         include.)"
    );
}

#[test]
fn the_full_text_holds_every_match() {
    let caps = GrepCaps { page_max_matches: 1, ..GrepCaps::default() };
    let value = value([found("a", 1, "x"), found("b", 2, "y")]);
    let overflow = Grep::overflow(&caps, &args("x", None, None), &value).expect("over the cap");
    assert_eq!(overflow.full_text, "2 matches in 2 files\n\na\n1: x\n\nb\n2: y\n");
    assert_eq!((overflow.page)(None), Grep::render(&caps, &args("x", None, None), &value));
    let saved = format!("{:?}", (overflow.page)(Some("/spill/1")));
    assert!(saved.contains("The whole list is in /spill/1"), "{saved}");
}

#[test]
fn metadata_drops_files_at_the_end_to_stay_under_its_cap() {
    let caps = GrepCaps { meta_max_bytes: 600, ..GrepCaps::default() };
    let paths: Vec<String> = (0..40).map(|at| format!("file{at}")).collect();
    let files = value(paths.iter().map(|path| found(path, 1, "some line")));
    let meta = serde_json::to_value(GrepMeta::of(&caps, &files)).expect("json");
    assert!(json_bytes(&meta) <= 600, "{}", json_bytes(&meta));
    assert_eq!((meta["truncated"].as_bool(), meta["total"].as_u64()), (Some(true), Some(40)));
    let one_file = value((1..40).map(|line| found("file", line, "some line")));
    let meta = serde_json::to_value(GrepMeta::of(&caps, &one_file)).expect("json");
    assert!(
        json_bytes(&meta) <= 600
            && meta["files"][0]["matches"].as_array().expect("array").len() > 3
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn matches_are_those_of_a_plain_search(content in "[ab\r\n]{0,60}") {
        let dir = tree(&[("f", content.as_bytes())]);
        let lines = content.split_inclusive('\n').map(|line| {
            let line = line.strip_suffix('\n').unwrap_or(line);
            line.strip_suffix('\r').unwrap_or(line)
        });
        let expected: Vec<_> = lines
            .zip(1..)
            .filter(|(line, _)| line.contains("ab"))
            .map(|(line, number)| row("f", number, line))
            .collect();
        prop_assert_eq!(grep(&dir, args("ab", None, None)), expected);
    }
}

mod few_descriptors;
