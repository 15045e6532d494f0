//! What a hook's output begins like: a decision, plain text, or a decision in a wrapping that is no JSON.

/// The mark that some programs put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How an output begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    /// With the brace of a JSON object.
    Decision,
    /// With such a brace behind what must not be there: quotes, a code fence, a list, colors, another
    /// encoding.
    Wrapped,
    /// With nothing but blanks.
    Blank,
    /// With anything else.
    Plain,
}

/// How these bytes begin.
pub(super) fn begins(bytes: &[u8]) -> Begins {
    match bare(bytes).first() {
        None => Begins::Blank,
        Some(b'{') => Begins::Decision,
        Some(_) => {
            let text = String::from_utf8_lossy(bytes);
            let inner = unwrapped(&text);
            match inner.chars().next() {
                None if text.chars().all(is_invisible) => Begins::Blank,
                Some('{') => Begins::Wrapped,
                Some(_) | None => Begins::Plain,
            }
        }
    }
}

/// An output without the blanks around it and the byte order mark before it.
pub(super) fn bare(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.trim_ascii();
    bytes.strip_prefix(BYTE_ORDER_MARK).map_or(bytes, |rest| rest.trim_ascii_start())
}

/// What is behind any wrapping at the beginning.
fn unwrapped(text: &str) -> &str {
    let mut rest = text;
    loop {
        let before = rest.len();
        rest = rest
            .trim_start_matches(|c| is_invisible(c) || matches!(c, '"' | '\'' | '[' | '(' | '\\'));
        rest = without_color(rest);
        rest = without_fence(rest);
        if rest.len() == before {
            return rest;
        }
    }
}

/// Blanks of any script, control characters, and the bytes of other encodings that are no UTF-8.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fffd}')
}

/// Without the end of an escape sequence whose first two characters are gone: `1;39m`.
fn without_color(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
    rest.strip_prefix('m').unwrap_or(text)
}

/// Without the opening line of a code fence.
fn without_fence(text: &str) -> &str {
    let rest = text.trim_start_matches(['`', '~']);
    if rest.len() == text.len() {
        return text;
    }
    rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_told_from_plain_text_and_from_a_wrapped_one() {
        use Begins::{Blank, Decision, Plain, Wrapped};
        let cases: [(&[u8], Begins); 26] = [
            (b"{\"a\":1}", Decision),
            (b" \t\r\n{", Decision),
            (b"\xef\xbb\xbf{", Decision),
            (b"\n\xef\xbb\xbf \n{", Decision),
            (b"{\0\"\0", Decision),
            (b"\0{", Wrapped),
            (b"\xff\xfe{\0\"\0", Wrapped),
            (b"\xfe\xff\0{\0\"", Wrapped),
            (b"\xff\xfe\n\0{\0", Wrapped),
            (b"```json\n{", Wrapped),
            (b"~~~\n{", Wrapped),
            (b"`{}`", Wrapped),
            (b"'{\"decision\":\"block\"}'", Wrapped),
            (b"\"{\\\"decision\\\":1}\"", Wrapped),
            (b"[{\"decision\":\"block\"}]", Wrapped),
            (b"\x1b[1;39m{", Wrapped),
            ("\u{a0}\u{3000}{".as_bytes(), Wrapped),
            (b"\xef\xbb\xbf\xef\xbb\xbf{", Wrapped),
            (b"", Blank),
            (b" \n\xef\xbb\xbf", Blank),
            (b"\0\0\0", Blank),
            (b"not json", Plain),
            (b"[INFO] checked {all}", Plain),
            (b"`cargo test` {passed}", Plain),
            (b"12 tests {ok}", Plain),
            (b"true", Plain),
        ];
        for (bytes, expected) in cases {
            assert_eq!(begins(bytes), expected, "{}", bytes.escape_ascii());
        }
    }
}
