//! What changes, what stays, and what is refused.

use proptest::prelude::*;

use super::*;

const NO_LIMIT: usize = usize::MAX;

fn one<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
    Replacement { old, new, all: false }
}

fn check(text: &str, old: &str, new: &str, expected: &str) {
    assert_eq!(replace(text, one(old, new), NO_LIMIT, 5).as_deref(), Ok(expected), "{text:?}");
}

fn check_all(text: &str, old: &str, new: &str, expected: &str) {
    let replacement = Replacement { all: true, ..one(old, new) };
    assert_eq!(replace(text, replacement, NO_LIMIT, 5).as_deref(), Ok(expected), "{text:?}");
}

#[test]
fn the_only_place_is_replaced() {
    check("one two three", "two", "2", "one 2 three");
    check("one", "one", "", "");
    check("aé", "é", "ê", "aê");
    check("a€b", "€", "₭", "a₭b");
}

#[test]
fn line_feeds_match_either_ending_and_keep_it() {
    check("a\r\nb\r\nc\r\n", "a\nb\n", "a\nB\n", "a\r\nB\r\nc\r\n");
    check("a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", "a\r\nB\nc\r\n");
    check("a\nb\n", "a\r\nb", "a\r\nc", "a\nc\n");
    check("a\r\nb", "\n", " ", "a b");
}

#[test]
fn new_line_breaks_are_like_those_around() {
    // In the part replaced.
    check("x\na\r\nb\ny\n", "a\nb", "1\n2\n3", "x\n1\r\n2\r\n3\ny\n");
    // In the text found, before or after the part replaced.
    check("x\na\r\nb\ny\n", "a\nb", "a\nnew\nb", "x\na\r\nnew\r\nb\ny\n");
    check("x\na\r\ny\n", "a\n", "new\na\n", "x\nnew\r\na\r\ny\n");
    // After it, else before it.
    check("x\na\r\ny\n", "a", "a\nnew", "x\na\r\nnew\r\ny\n");
    check("x\r\na", "a", "a\nnew\n", "x\r\na\r\nnew\r\n");
    check("x\na", "a", "a\r\nnew\r\n", "x\na\nnew\n");
    // A file without any takes them as they are given.
    check("a", "a", "a\r\nnew\n", "a\r\nnew\n");
    check("ab", "ab", "a\r\nb", "a\r\nb");
}

#[test]
fn a_lone_carriage_return_is_a_character() {
    check("a\rb\r\r\nc", "\nc", "\nC", "a\rb\r\r\nC");
    check("a\rb", "\r", "\n", "a\nb");
    for (text, old) in [("a\r\nb", "\r"), ("b\r\r\nc", "b\n")] {
        assert_eq!(replace(text, one(old, "x"), NO_LIMIT, 5), Err(Refusal::NoMatch));
    }
}

#[test]
fn every_place_takes_the_ending_of_its_own_surroundings() {
    check_all("a\r\n-\na\n-\r\na", "a", "a\nb", "a\r\nb\r\n-\na\nb\n-\r\na\r\nb");
    check_all("aaaa", "aa", "b", "bb");
    check_all("x\r\nx\nx", "x", "", "\r\n\n");
}

#[test]
fn replacements_are_plain_text() {
    for new in ["$0", "$&", "\\1", "${x}", "$$"] {
        check("[a]", "a", new, &format!("[{new}]"));
    }
    check("a.c abc", "a.c", "x", "x abc");
}

#[test]
fn several_places_are_counted_and_the_first_named() {
    let refusal = |text: &str, old: &str| replace(text, one(old, "x"), NO_LIMIT, 2);
    let lines = vec![1, 3];
    assert_eq!(refusal("a\r\nb\na a\n", "a"), Err(Refusal::Ambiguous { count: 3, lines }));
    let lines = vec![1, 2];
    assert_eq!(refusal("a\na\n", "a\n"), Err(Refusal::Ambiguous { count: 2, lines }));
    assert_eq!(refusal("b", "a"), Err(Refusal::NoMatch));
}

#[test]
fn a_result_over_the_limit_is_refused_before_it_is_made() {
    let text = "a".repeat(1_000_000);
    let new = "b".repeat(1_000_000);
    let replacement = Replacement { all: true, ..one("a", &new) };
    assert_eq!(replace(&text, replacement, 2_000_000, 5), Err(Refusal::TooLarge));
    assert_eq!(replace("ab", one("a", "\n\n"), 3, 5).as_deref(), Ok("\n\nb"));
    assert_eq!(replace("ab", one("a", "\n\n"), 2, 5), Err(Refusal::TooLarge));
}

#[test]
fn a_line_that_is_all_of_a_large_file_costs_one_pass() {
    let text = "ab".repeat(1_000_000);
    let replacement = Replacement { all: true, ..one("a", "\n") };
    let after = replace(&text, replacement, NO_LIMIT, 5).expect("replaced");
    assert_eq!(after, "\nb".repeat(1_000_000));
}

const PARTS: [&str; 10] = ["\r", "\r\n", "\n", "a", "b", "ab", "é", "😀", " ", "\u{FEFF}"];

/// Text of some of these parts, with a mark at the start or not.
fn text_of(parts: &'static [&'static str]) -> impl Strategy<Value = String> {
    let parts = proptest::collection::vec(proptest::sample::select(parts), 0..40);
    (any::<bool>(), parts).prop_map(|(is_marked, parts)| {
        let mark = if is_marked { "\u{FEFF}" } else { "" };
        mark.to_owned() + &parts.concat()
    })
}

/// Text with every kind of line break.
fn text() -> impl Strategy<Value = String> {
    text_of(&PARTS)
}

/// Text without a lone CR, which could come to stand before an LF.
fn plain_text() -> impl Strategy<Value = String> {
    text_of(&PARTS[1..])
}

/// Where the view's places lie in the text, found out one character at a time.
fn slow_map(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let is_cut = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
    // A place in the view is where its byte begins in the text: before the CR for an LF that was CRLF.
    let mut map = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        map.push(at);
        at += if is_cut(at) { 2 } else { 1 };
    }
    map.push(bytes.len());
    map
}

proptest! {
    #[test]
    fn only_the_matched_span_changes(
        text in text(), start in 0usize..60, length in 1usize..20, new in plain_text(),
    ) {
        let view = with_lf(&text).into_owned();
        let start = view.floor_char_boundary(start);
        let end = view.floor_char_boundary(start + length);
        let old = view.get(start..end).expect("characters");
        prop_assume!(!old.is_empty() && view.find(old) == Some(start));
        // What CR CR LF looks like in the view, no `old_string` can spell.
        prop_assume!(!old.contains("\r\n"));
        prop_assume!(view.matches(old).count() == 1);
        let after = replace(&text, one(old, &new), NO_LIMIT, 5).expect("replaced");
        let map = slow_map(&text);
        let (head, tail) = (text.split_at(map[start]).0, text.split_at(map[end]).1);
        prop_assert!(after.starts_with(head) && after.ends_with(tail));
        prop_assert!(after.len() >= head.len() + tail.len());
        let middle = after.get(head.len()..after.len() - tail.len()).expect("characters");
        prop_assert_eq!(with_lf(middle), with_lf(&new));
    }

    #[test]
    fn every_place_is_what_a_plain_replacement_gives(
        text in plain_text(), old in "[ab\n]{1,2}", new in "[abé\n]{0,3}",
    ) {
        prop_assume!(old != new);
        let all = Replacement { all: true, ..one(&old, &new) };
        let expected = with_lf(&text).replace(&old, &new);
        match replace(&text, all, NO_LIMIT, 5) {
            Ok(after) => prop_assert_eq!(with_lf(&after), expected),
            Err(refusal) => {
                prop_assert_eq!(refusal, Refusal::NoMatch);
                prop_assert!(!with_lf(&text).contains(&old));
            }
        }
    }

    #[test]
    fn there_and_back_gives_the_same_bytes(text in text(), at in 0usize..60) {
        let at = text.floor_char_boundary(at);
        let (head, tail) = text.split_at(at);
        let marked = format!("{head}<mark>{tail}");
        let gone = replace(&marked, one("<mark>", "<other>"), NO_LIMIT, 5).expect("replaced");
        prop_assert_eq!(replace(&gone, one("<other>", "<mark>"), NO_LIMIT, 5), Ok(marked));
    }
}
