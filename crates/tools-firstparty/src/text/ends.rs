//! Both ends of a text that is too long, with a row between them that says how much is missing.

/// `text` itself when it has at most `max_bytes`, else its two ends with the exact number of bytes left out
/// between them. Cuts fall on character boundaries.
pub(crate) fn within(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let room = max_bytes.saturating_sub(GAP_MAX_BYTES);
    let head = text.get(..text.floor_char_boundary(room.div_ceil(2))).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - room / 2)..).unwrap_or_default();
    let omitted = text.len() - head.len() - tail.len();
    join(head, &gap(omitted as u64), tail)
}

/// The longest gap row with the line breaks around it.
const GAP_MAX_BYTES: usize = "\n[18446744073709551615 bytes left out]\n".len();

/// The row that stands for bytes left out.
pub(crate) fn gap(omitted_bytes: u64) -> String {
    format!("[{omitted_bytes} bytes left out]")
}

/// A row between two texts, on a line of its own.
pub(crate) fn join(head: &str, row: &str, tail: &str) -> String {
    let break_before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    format!("{head}{break_before}{row}\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_both_ends_and_counts_the_rest() {
        assert_eq!(within("abc", 3), "abc");
        let long = "ä".repeat(100);
        let short = within(&long, 60);
        assert!(short.len() <= 60, "{short}");
        let (head, rest) = short.split_once("\n[").unwrap();
        let (omitted, tail) = rest.split_once(" bytes left out]\n").unwrap();
        assert_eq!(head.len() + tail.len() + omitted.parse::<usize>().unwrap(), long.len());
    }

    #[test]
    fn the_row_stands_on_a_line_of_its_own() {
        assert_eq!(join("a", &gap(1), "b"), "a\n[1 bytes left out]\nb");
        assert_eq!(join("a\n", &gap(1), "b"), "a\n[1 bytes left out]\nb");
        assert_eq!(join("", &gap(1), "b"), "[1 bytes left out]\nb");
    }
}
