//! Cutting text to a size, always on a character boundary (decisions DG4).

/// The longest start of `text` that is at most `max_bytes` long.
pub(crate) fn to_bytes(text: &str, max_bytes: usize) -> &str {
    let end = text.floor_char_boundary(max_bytes);
    text.get(..end).unwrap_or(text)
}

/// The longest end of `text` that is at most `max_bytes` long.
pub(crate) fn last_bytes(text: &str, max_bytes: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(max_bytes));
    text.get(start..).unwrap_or(text)
}

/// The start of `text` that holds `max_chars` characters, or `None` when there are not more than that.
pub(crate) fn to_chars(text: &str, max_chars: usize) -> Option<&str> {
    let (end, _) = text.char_indices().nth(max_chars)?;
    text.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_cut_on_a_character_boundary() {
        for (max, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "aé"), (4, "aéb"), (9, "aéb")] {
            assert_eq!(to_bytes("aéb", max), expected, "{max}");
        }
    }

    #[test]
    fn the_end_is_cut_on_a_character_boundary() {
        for (max, expected) in [(0, ""), (1, "b"), (2, "b"), (3, "éb"), (4, "aéb"), (9, "aéb")] {
            assert_eq!(last_bytes("aéb", max), expected, "{max}");
        }
    }

    #[test]
    fn characters_are_cut_only_when_there_are_more() {
        assert_eq!(to_chars("aé😀b", 3), Some("aé😀"));
        assert_eq!(to_chars("aé😀b", 4), None);
        assert_eq!(to_chars("", 0), None);
        assert_eq!(to_chars("a", 0), Some(""));
    }
}
