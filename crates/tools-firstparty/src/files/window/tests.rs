//! Windows: what is a line, where a page ends, and that the way a file is cut into pieces never shows.

#![expect(clippy::string_slice, reason = "cuts on character boundaries")]

use proptest::prelude::*;

use super::*;

fn caps(line_max_chars: usize, page_max_bytes: usize) -> ReadCaps {
    ReadCaps { line_max_chars, page_max_bytes, ..ReadCaps::default() }
}

/// Texts of the page from `first` on, and the total.
fn window(caps: &ReadCaps, text: &str, first: u64, limit: u64) -> (Vec<String>, u64) {
    let mut window = Window::new(caps, first, limit);
    window.feed(text);
    let total = window.total_lines();
    (window.into_lines().into_iter().map(|line| line.text).collect(), total)
}

fn check(text: &str, first: u64, limit: u64, lines: &[&str], total: u64) {
    let found = window(&ReadCaps::default(), text, first, limit);
    assert_eq!(found, (lines.iter().map(ToString::to_string).collect(), total), "{text:?}");
}

#[test]
fn lines_are_what_wc_counts_plus_an_unterminated_one() {
    check("", 1, 9, &[], 0);
    check("a\nb\n", 1, 9, &["a", "b"], 2);
    check("a\nb", 1, 9, &["a", "b"], 2);
    check("\n", 1, 9, &[""], 1);
    check("\n\nx", 1, 9, &["", "", "x"], 3);
}

#[test]
fn a_crlf_is_a_line_break_and_a_lone_cr_is_data() {
    check("a\r\nb\rc\r\n\r\r\nd\r", 1, 9, &["a", "b\rc", "\r", "d"], 4);
}

#[test]
fn a_page_starts_at_the_offset_and_ends_at_the_limit() {
    check("1\n2\n3\n4\n5", 2, 2, &["2", "3"], 5);
    check("1\n2\n3\n4\n5", 5, 2, &["5"], 5);
    check("1\n2\n", 3, 2, &[], 2);
}

#[test]
fn a_long_line_is_cut_by_characters() {
    let caps = caps(3, 1_000);
    let lines = window(&caps, "😀😀😀\n😀😀😀😀\nabc\r\nabcd\r\nabc\rx\n", 1, 9).0;
    let mark = "… [line cut at 3 characters]";
    let expected = ["😀😀😀", &format!("😀😀😀{mark}"), "abc", &format!("abc{mark}")];
    assert_eq!(lines[..4], expected.map(|line| line.to_string()));
    // The character after the cut is a lone CR: the tail is not lost without a mark.
    assert_eq!(lines[4], format!("abc{mark}"));
}

#[test]
fn a_page_ends_before_the_line_that_would_pass_its_bytes() {
    let caps = caps(100, 64);
    let text = format!("{}\n{}\nz\n", "x".repeat(30), "y".repeat(33));
    assert_eq!(window(&caps, &text, 1, 9).0.len(), 2, "30 + 1 + 33 bytes fit exactly");
    let text = format!("{}\n{}\nz\n", "x".repeat(30), "y".repeat(34));
    assert_eq!(window(&caps, &text, 1, 9).0.len(), 1);
}

#[test]
fn a_line_larger_than_the_page_is_cut_to_it() {
    let caps = caps(1_000, 64);
    let (lines, total) = window(&caps, &format!("{}\nb\n", "é".repeat(200)), 1, 9);
    assert_eq!((lines.len(), total), (1, 2));
    assert!(lines[0].ends_with("[line cut at 64 bytes]") && lines[0].len() <= 64, "{lines:?}");
}

#[test]
fn a_giant_line_takes_bounded_memory() {
    let caps = ReadCaps::default();
    let mut window = Window::new(&caps, 1, 9);
    for _ in 0..1_000 {
        window.feed(&"x".repeat(10_000));
    }
    assert!(window.line.kept.capacity() < 100_000);
    assert_eq!(window.total_lines(), 1);
}

proptest! {
    #[test]
    fn any_pieces_give_the_same_window(
        text in "[a\u{e9}\u{1F600}\r\n]{0,60}",
        cuts in proptest::collection::vec(0usize..60, 0..8),
        first in 1u64..8,
        limit in 1u64..5,
    ) {
        let caps = caps(3, 64);
        let mut pieces = Window::new(&caps, first, limit);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|at| text.floor_char_boundary(at)).collect();
        cuts.sort_unstable();
        let mut start = 0;
        for end in cuts.into_iter().chain([text.len()]) {
            pieces.feed(&text[start..end]);
            start = end;
        }
        let total = pieces.total_lines();
        let lines: Vec<String> = pieces.into_lines().into_iter().map(|line| line.text).collect();
        prop_assert_eq!((lines, total), window(&caps, &text, first, limit));
    }

    #[test]
    fn pages_in_a_row_give_every_line_once(text in "[ab\r\n]{0,80}", limit in 1u64..4) {
        let caps = caps(50, 64);
        let whole = window(&caps, &text, 1, u64::MAX).0;
        let total = window(&caps, &text, 1, 1).1;
        let mut paged = Vec::new();
        while (paged.len() as u64) < total {
            let page = window(&caps, &text, paged.len() as u64 + 1, limit).0;
            prop_assert!(!page.is_empty());
            paged.extend(page);
        }
        prop_assert!(paged.starts_with(&whole));
    }

    #[test]
    fn going_on_from_the_middle_gives_the_same_window(
        text in "[ab\n]{1,60}",
        at in 0usize..60,
        further in 0u64..4,
    ) {
        let caps = caps(50, 1_000);
        let at = at.min(text.len());
        let before = text[..at].matches('\n').count() as u64;
        let first = before + 2 + further;
        let mut resumed = Window::new(&caps, first, 3);
        resumed.skip_to(before);
        resumed.feed(&text[at..]);
        let lines: Vec<String> = resumed.into_lines().into_iter().map(|line| line.text).collect();
        prop_assert_eq!(lines, window(&caps, &text, first, 3).0);
    }
}
