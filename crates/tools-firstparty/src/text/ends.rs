//! Both ends of what is too long, with a row between them that says how much is missing.

use std::fmt::Write as _;

use host_process::capture::{without_cut_end, without_cut_start};

/// `text` itself when it has at most `max_bytes`, else its two ends with the exact number of bytes left out
/// between them, in at most `max_bytes` together. Cuts fall on character boundaries.
pub(crate) fn within(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let room = max_bytes.saturating_sub(GAP_MAX_BYTES);
    let head = text.get(..text.floor_char_boundary(room.div_ceil(2))).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - room / 2)..).unwrap_or_default();
    join(head, text.len() as u64 - head.len() as u64 - tail.len() as u64, tail)
}

/// The longest gap row with the line breaks around it.
const GAP_MAX_BYTES: usize = "\n[18446744073709551615 bytes left out]\n".len();

/// What was kept of a stream of bytes, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    /// The text; what is not UTF-8 became U+FFFD, and a gap is a row of its own.
    pub(crate) text: String,
    /// The number in that row; 0 when there is none.
    pub(crate) omitted_bytes: u64,
}

impl Ends {
    /// Of the beginning and the end of a stream of `total_bytes`, those parts that fit `max_bytes`. No
    /// character is cut at the gap.
    pub(crate) fn of_bytes(head: &[u8], tail: &[u8], total_bytes: u64, max_bytes: usize) -> Self {
        let kept = head.len() + tail.len();
        if kept as u64 != total_bytes {
            return Self::around_gap(
                first(head, max_bytes.div_ceil(2)),
                last(tail, max_bytes / 2),
                total_bytes,
            );
        }
        let whole = [head, tail].concat();
        if kept > max_bytes {
            return Self::around_gap(
                first(&whole, max_bytes.div_ceil(2)),
                last(&whole, max_bytes / 2),
                total_bytes,
            );
        }
        Self { text: String::from_utf8_lossy(&whole).into_owned(), omitted_bytes: 0 }
    }

    /// The end of a stream of `total_bytes`: at most `max_bytes` of what was kept, and how many bytes came
    /// before that.
    pub(crate) fn last_of(kept: &[u8], total_bytes: u64, max_bytes: usize) -> Self {
        let all = kept.len() as u64 == total_bytes && kept.len() <= max_bytes;
        let tail = if all { kept } else { without_cut_start(last(kept, max_bytes)) };
        let omitted_bytes = total_bytes - tail.len() as u64;
        Self { text: String::from_utf8_lossy(tail).into_owned(), omitted_bytes }
    }

    fn around_gap(head: &[u8], tail: &[u8], total_bytes: u64) -> Self {
        let (head, tail) = (without_cut_end(head), without_cut_start(tail));
        let omitted_bytes = total_bytes - head.len() as u64 - tail.len() as u64;
        let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
        Self { text: join(&head, omitted_bytes, &tail), omitted_bytes }
    }
}

fn join(head: &str, omitted_bytes: u64, tail: &str) -> String {
    let break_before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let mut text = String::with_capacity(head.len() + tail.len() + GAP_MAX_BYTES);
    // Writing to a string cannot fail.
    let _ = write!(text, "{head}{break_before}[{omitted_bytes} bytes left out]\n{tail}");
    text
}

fn first(bytes: &[u8], count: usize) -> &[u8] {
    bytes.get(..count).unwrap_or(bytes)
}

fn last(bytes: &[u8], count: usize) -> &[u8] {
    bytes.get(bytes.len().saturating_sub(count)..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_row_stands_on_a_line_of_its_own() {
        assert_eq!(join("a", 1, "b"), "a\n[1 bytes left out]\nb");
        assert_eq!(join("a\n", 1, "b"), "a\n[1 bytes left out]\nb");
        assert_eq!(join("", 1, "b"), "[1 bytes left out]\nb");
    }

    #[test]
    fn what_fits_is_whole_and_what_is_not_utf_8_is_replaced() {
        let ends = |head: &[u8], tail: &[u8]| {
            Ends::of_bytes(head, tail, (head.len() + tail.len()) as u64, 8)
        };
        assert_eq!(ends(b"ab", b"cd"), Ends { text: "abcd".to_owned(), omitted_bytes: 0 });
        let split = "é".as_bytes().split_at(1);
        assert_eq!(ends(split.0, split.1).text, "é");
        assert_eq!(ends(b"a\xff", b"b").text, "a\u{FFFD}b");
    }

    proptest! {
        #[test]
        fn numbers_are_exact_and_no_character_is_cut(
            text in "[aé€😀\n]{0,60}", head in 0_usize..40, tail in 0_usize..40, max in 0_usize..90,
        ) {
            let bytes = text.as_bytes();
            let (kept_head, kept_tail) = if head + tail >= bytes.len() {
                bytes.split_at(head.min(bytes.len()))
            } else {
                (first(bytes, head), last(bytes, tail))
            };
            let ends = Ends::of_bytes(kept_head, kept_tail, bytes.len() as u64, max);
            let is_cut = ends.text.contains('\u{FFFD}');
            prop_assert!(!is_cut);
            let row = format!("[{} bytes left out]\n", ends.omitted_bytes);
            match ends.text.split_once(&row) {
                None => prop_assert_eq!(&ends.text, &text),
                Some((before, after)) => {
                    let before = if text.starts_with(before) { before } else { before.trim_end_matches('\n') };
                    prop_assert!(text.starts_with(before) && text.ends_with(after));
                    let shown = (before.len() + after.len()) as u64;
                    prop_assert!(shown <= max as u64 + 1);
                    let omitted = bytes.len() as u64 - shown;
                    // A line break at the end of the head may be the text's own or the row's.
                    prop_assert!(ends.omitted_bytes == omitted || ends.omitted_bytes == omitted + 1);
                }
            }
        }

        #[test]
        fn a_long_text_stays_within_its_limit(text in "[aé€😀]{0,200}", max in 45_usize..300) {
            let short = within(&text, max);
            prop_assert!(short.len() <= max);
            prop_assert_eq!(short == text, text.len() <= max);
        }
    }
}
