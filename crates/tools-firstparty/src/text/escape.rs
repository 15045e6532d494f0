//! File names as one row of text: a name may hold a line feed, and a row must not.

use std::borrow::Cow;

use super::cut;

/// Bytes of a name that a message repeats; no file system takes longer ones.
const MESSAGE_MAX_BYTES: usize = 4096;

/// `name` with control characters written as escapes, so that it takes one row.
pub(crate) fn one_row(name: &str) -> Cow<'_, str> {
    if !name.contains(char::is_control) {
        return Cow::Borrowed(name);
    }
    let mut row = String::with_capacity(name.len() + 8);
    for ch in name.chars() {
        if ch.is_control() { row.extend(ch.escape_default()) } else { row.push(ch) }
    }
    Cow::Owned(row)
}

/// `name` for a message: one row, and cut where no file could be called that.
pub(crate) fn in_message(name: &str) -> String {
    let cut = cut::to_bytes(name, MESSAGE_MAX_BYTES);
    let mark = if cut.len() < name.len() { "…" } else { "" };
    one_row(cut).into_owned() + mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_control_characters_change() {
        assert_eq!(one_row("a b/ü'\"\\.rs"), "a b/ü'\"\\.rs");
        assert_eq!(one_row("a\nb\u{7}"), "a\\nb\\u{7}");
    }

    #[test]
    fn a_message_repeats_no_more_than_a_file_could_be_called() {
        assert_eq!(in_message("a\nb"), "a\\nb");
        let longest = "é".repeat(2048);
        assert_eq!(in_message(&longest), longest);
        assert_eq!(in_message(&format!("{longest}x")), format!("{longest}…"));
    }
}
