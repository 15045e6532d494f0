//! Previews of any text under any budget.

use contract_spill::{SpillText, preview};
use proptest::prelude::*;

/// Texts of short and long lines, of wide characters, and in several pieces.
fn pieces() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        "[a-z ]{0,40}",
        "[é😀x]{0,80}",
        (1_usize..600).prop_map(|count| "w".repeat(count)),
        Just(String::new()),
    ];
    let text = proptest::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"));
    proptest::collection::vec(text, 1..4)
}

/// Head, gap row and tail, found by what the preview says of itself.
fn parts<'p>(shown: &'p str, row: &str) -> Option<(&'p str, &'p str)> {
    shown.split_once(row)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_preview_keeps_its_promises(pieces in pieces(), budget in 0_usize..1500) {
        let joined = pieces.join("\n");
        let text = SpillText::joined(pieces.iter().map(String::as_str));
        prop_assert_eq!(text.to_string(), &*joined);
        prop_assert_eq!(text.bytes(), joined.len() as u64);
        prop_assert_eq!(text.line_feeds(), joined.matches('\n').count() as u64);
        let Some(preview) = preview(&text, budget) else {
            prop_assert!(budget < 100 && joined.len() > budget);
            return Ok(());
        };
        prop_assert!(preview.text.len() <= budget);
        if joined.len() <= budget {
            prop_assert_eq!(preview.text, joined);
            prop_assert_eq!((preview.omitted_bytes, preview.omitted_lines), (0, Some(0)));
            return Ok(());
        }
        let bytes = match preview.omitted_bytes {
            1 => "1 byte".to_owned(),
            bytes => format!("{bytes} bytes"),
        };
        let row = match preview.omitted_lines {
            None => format!("[… {bytes} left out …]\n"),
            Some(1) => format!("[… 1 line left out ({bytes}) …]\n"),
            Some(lines) => format!("[… {lines} lines left out ({bytes}) …]\n"),
        };
        let (head, tail) = parts(&preview.text, &row).unwrap();
        prop_assert!(!head.is_empty() && !tail.is_empty());
        prop_assert!(joined.ends_with(tail));
        // A head cut inside a line has a line feed of the row's own.
        let omitted = usize::try_from(preview.omitted_bytes).unwrap();
        let head_bytes = joined.len() - omitted - tail.len();
        let head = &head[..head_bytes];
        prop_assert!(joined.starts_with(head));
        if let Some(lines) = preview.omitted_lines {
            let gap = &joined[head.len()..joined.len() - tail.len()];
            prop_assert!(head.ends_with('\n') && gap.ends_with('\n'));
            prop_assert_eq!(gap.matches('\n').count() as u64, lines);
        }
    }

    #[test]
    fn ends_are_cut_at_characters(pieces in pieces(), max in 0_usize..700) {
        let joined = pieces.join("\n");
        let text = SpillText::joined(pieces.iter().map(String::as_str));
        let (head, tail) = (text.head(max), text.tail(max));
        prop_assert!(joined.starts_with(&head) && joined.ends_with(&tail));
        for end in [&head, &tail] {
            prop_assert!(end.len() <= max);
            prop_assert!(end.len() + 4 > max.min(joined.len()));
        }
    }
}

fn check(text: &str, budget: usize, expected: Option<&str>) {
    let preview = preview(&SpillText::from(text), budget);
    assert_eq!(preview.as_ref().map(|preview| &*preview.text), expected);
}

#[test]
fn whole_lines_are_kept_where_they_make_enough_of_the_share() {
    let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\n";
    check(
        &text.repeat(2),
        66,
        Some("one\ntwo\n[… 17 lines left out (88 bytes) …]\nnine\nten\neleven\n"),
    );
    check(&"x".repeat(99), 50, Some("xxxxxx\n[… 88 bytes left out …]\nxxxxx"));
    check(&"x".repeat(99), 40, None);
    check(&"x".repeat(99), 99, Some(&"x".repeat(99)));
    check("", 0, Some(""));
}
