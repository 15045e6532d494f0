//! Hunks, their bounds, and what they never depend on.

use proptest::prelude::*;

use super::*;

fn diff(before: &str, after: &str) -> Vec<(Option<String>, String)> {
    let meta = DiffMeta::of(&ChangeCaps::default(), "f", Some(before), after);
    assert!(!meta.truncated);
    meta.diffs.into_iter().map(|hunk| (hunk.old_text, hunk.new_text)).collect()
}

fn check(before: &str, after: &str, expected: &[(Option<&str>, &str)]) {
    let found = diff(before, after);
    let found: Vec<_> = found.iter().map(|(old, new)| (old.as_deref(), new.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_change_has_three_lines_around_it() {
    check(
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
        "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
        &[(Some("2\n3\n4\n5\n6\n7\n8"), "2\n3\n4\nfive\n6\n7\n8")],
    );
    check("a\nb\n", "a\nb\nc\n", &[(Some("a\nb"), "a\nb\nc")]);
    check("a\nb\n", "b\n", &[(Some("a\nb"), "b")]);
}

#[test]
fn changes_close_to_each_other_are_one_hunk() {
    let numbers = |range: Range<usize>| range.map(|n| format!("{n}\n")).collect::<String>();
    let near = numbers(0..20).replace("5\n", "five\n").replace("12\n", "twelve\n");
    assert_eq!(diff(&numbers(0..20), &near).len(), 1);
    let far = numbers(0..20).replace("4\n", "four\n").replace("12\n", "twelve\n");
    assert_eq!(diff(&numbers(0..20), &far).len(), 2);
}

#[test]
fn sides_without_lines_are_told_apart() {
    check("", "a\n", &[(None, "a")]);
    check("a\n", "", &[(Some("a"), "")]);
    check("same\n", "same\n", &[]);
    assert!(DiffMeta::of(&ChangeCaps::default(), "f", None, "a\n").diffs.is_empty());
}

#[test]
fn line_breaks_are_all_the_same() {
    check("a\r\nb\r\n", "a\nb\n", &[]);
    check("a\r\nb\r\n", "a\nc\n", &[(Some("a\nb"), "a\nc")]);
    // Whether the last line is ended does show, as a change of that line.
    check("a", "a\n", &[(Some("a"), "a")]);
}

#[test]
fn repeated_lines_at_both_ends_are_not_counted_twice() {
    check("x\nx\n", "x\n", &[(Some("x\nx"), "x")]);
    check("x\n", "x\nx\n", &[(Some("x"), "x\nx")]);
}

#[test]
fn metadata_keeps_under_its_cap() {
    let before: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    let after: String =
        (0..20_000).map(|n| format!("line {}\n", if n % 10 == 0 { n + 1 } else { n })).collect();
    let caps = ChangeCaps::default();
    let meta = DiffMeta::of(&caps, "f", Some(&before), &after);
    let size = json_bytes(&meta);
    assert!(meta.truncated && size <= caps.meta_max_bytes && size > caps.meta_max_bytes - 200);
    let long = "\u{1}".repeat(20_000);
    let meta = DiffMeta::of(&caps, "f", Some("a\n"), &long);
    assert!(meta.truncated && meta.diffs.is_empty());
}

#[test]
fn of_texts_with_too_many_lines_the_first_are_compared() {
    let caps = ChangeCaps { diff_max_lines: 100, ..ChangeCaps::default() };
    let text = |changed: &[u32]| {
        let line = |n| if changed.contains(&n) { "new\n".to_owned() } else { format!("{n}\n") };
        (0..1_000).map(line).collect::<String>()
    };
    let of = |changed: &[u32]| {
        let after = text(changed);
        let meta = DiffMeta::of(&caps, "f", Some(&text(&[])), &after);
        (meta.diffs.len(), meta.truncated)
    };
    assert_eq!(of(&[500]), (1, false));
    assert_eq!(of(&[500, 540]), (2, false));
    assert_eq!(of(&[500, 520, 900]), (2, true));
    // What changes where it was cut is left out.
    assert_eq!(of(&[500, 551, 900]), (1, true));
    let meta = DiffMeta::of(&caps, "f", Some(&"old\n".repeat(60)), &"new\n".repeat(60));
    assert_eq!((meta.diffs.len(), meta.truncated), (0, true));
}

#[test]
fn the_worst_texts_are_done_within_the_limit_of_a_test() {
    // As many lines as are compared, of few kinds in no order: no line can be left out, most do not match.
    let mut state = 1_u64;
    let mut line = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("{}\n", (state >> 33) % 7)
    };
    let before: String = (0..10_000).map(|_| line()).collect();
    let after: String = (0..10_000).map(|_| line()).collect();
    let caps = ChangeCaps { meta_max_bytes: 1 << 20, ..ChangeCaps::default() };
    let meta = DiffMeta::of(&caps, "f", Some(&before), &after);
    assert!(!meta.truncated && !meta.diffs.is_empty());
}

proptest! {
    #[test]
    fn hunks_turn_the_old_text_into_the_new(
        before in proptest::collection::vec("[abc]", 0..40),
        after in proptest::collection::vec("[abc]", 0..40),
    ) {
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let (before, after) = (text(&before), text(&after));
        let sides = Sides::of(&before, &after, 1_000);
        let (mut made, mut at) = (Vec::new(), 0);
        for (old, new) in sides.hunks() {
            made.extend_from_slice(&sides.old[at..old.start]);
            made.extend_from_slice(&sides.new[new]);
            at = old.end;
        }
        made.extend_from_slice(&sides.old[at..]);
        prop_assert_eq!(made, sides.new);
    }
}
