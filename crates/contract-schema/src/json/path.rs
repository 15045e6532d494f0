//! JSON pointers in messages.

use std::fmt::Write as _;

/// Longest key shown inside a pointer, in bytes: a path names a place, it does not repeat data.
const MAX_KEY_BYTES: usize = 80;

/// Appends `/key` with the pointer escapes, a very long key cut on a character boundary.
pub(crate) fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    let end = key.floor_char_boundary(MAX_KEY_BYTES);
    let (shown, rest) = key.split_at(end);
    for c in shown.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c if c.is_control() => pointer.extend(c.escape_default()),
            c => pointer.push(c),
        }
    }
    if !rest.is_empty() {
        pointer.push('…');
    }
}

/// Appends `/index`.
pub(crate) fn push_index(pointer: &mut String, index: usize) {
    // Writing to a string cannot fail.
    let _ = write!(pointer, "/{index}");
}

/// How a pointer reads in a sentence: the root has no name of its own.
pub(crate) fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "the top level" } else { pointer }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_escaped_and_long_ones_cut_on_a_character() {
        let mut pointer = String::new();
        push_key(&mut pointer, "a/b~c\n");
        push_index(&mut pointer, 3);
        assert_eq!(pointer, "/a~1b~0c\\n/3");
        let mut long = String::new();
        push_key(&mut long, &"é".repeat(100));
        assert_eq!(long, format!("/{}…", "é".repeat(40)));
    }
}
