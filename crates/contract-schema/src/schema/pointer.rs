//! JSON pointers in messages about schemas and values.

/// Longest name shown, in bytes: a path names a place, it does not repeat data.
const MAX_NAME_BYTES: usize = 80;

/// Appends `/name` with the pointer escapes and nothing cut, so that the pointer can be followed.
pub(crate) fn push(pointer: &mut String, name: &str) {
    pointer.push('/');
    for c in name.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// A name cut on a character boundary, control characters escaped.
pub(crate) fn clip(name: &str) -> String {
    let end = name.floor_char_boundary(MAX_NAME_BYTES);
    let (shown, rest) = name.split_at(end);
    let mut text = String::with_capacity(shown.len());
    for c in shown.chars() {
        let breaks_line = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        if breaks_line { text.extend(c.escape_default()) } else { text.push(c) }
    }
    if !rest.is_empty() {
        text.push('…');
    }
    text
}

/// A pointer for a reader: every long name in it cut.
pub(crate) fn clip_pointer(pointer: &str) -> String {
    let mut text = String::with_capacity(pointer.len());
    for (i, name) in pointer.split('/').enumerate() {
        if i > 0 {
            text.push('/');
        }
        text.push_str(&clip(name));
    }
    text
}

/// How a pointer reads in a sentence: the root has no name of its own.
pub(crate) fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "the top level" } else { pointer }
}
