//! What `old_string` may have meant, when it is not in the file. A hint only: nothing is changed by it.

use std::borrow::Cow;

/// Text close to what was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Near {
    /// The same words with other blanks or line breaks between them.
    Blanks { line: usize },
    /// The same without the numbers that `read` puts before lines.
    LineNumbers { line: usize },
}

/// Comparisons of words, so that text that repeats itself costs no more than other text.
const COMPARISONS_MAX: usize = 1_000_000;

/// The first place in the start of `text` that is close to `old`, both with LF line breaks.
pub(super) fn near(text: &str, old: &str, max_bytes: usize) -> Option<Near> {
    let head = crate::text::cut::to_bytes(text, max_bytes);
    if let Some(bare) = without_numbers(old)
        && let Some(at) = head.find(&*bare)
    {
        return Some(Near::LineNumbers { line: line_at(head, at) });
    }
    let at = same_words(head, old)?;
    Some(Near::Blanks { line: line_at(head, at) })
}

/// `old` without a number and `: ` at the start of every line; `None` unless every line has them.
fn without_numbers(old: &str) -> Option<Cow<'_, str>> {
    let bare = |line: &'_ str| -> Option<usize> {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0 && line.get(digits..)?.starts_with(": ")).then_some(digits + 2)
    };
    let mut lines = Vec::new();
    for line in old.split('\n') {
        // The text after a last line break is no line.
        lines.push(if line.is_empty() { line } else { line.get(bare(line)?..)? });
    }
    Some(lines.join("\n").into()).filter(|text: &Cow<'_, str>| !text.is_empty())
}

/// Where the words of `old` stand in `text`, whatever is between them. The first and the last may be parts of
/// words.
fn same_words(text: &str, old: &str) -> Option<usize> {
    let wanted: Vec<&str> = old.split_whitespace().collect();
    let (first, rest) = wanted.split_first()?;
    let (last, middle) = rest.split_last()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut left = COMPARISONS_MAX;
    for (at, word) in words.iter().enumerate() {
        left = left.checked_sub(1)?;
        if !word.ends_with(first) {
            continue;
        }
        let following = words.get(at + 1..).unwrap_or_default();
        let same = following.iter().zip(middle).take_while(|(a, b)| a == b).count();
        left = left.checked_sub(same)?;
        let ends = following.get(middle.len()).is_some_and(|word| word.starts_with(last));
        if same == middle.len() && ends {
            return Some(offset_in(text, word) + word.len() - first.len());
        }
    }
    None
}

/// Where `part`, which is a part of `text`, begins.
fn offset_in(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// The number of the line at an offset, counted from 1.
fn line_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    memchr::memchr_iter(b'\n', before).count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn a() {\n\tlet  x = 1;\n    go( x );\n}\nfn b() {\n}\n";

    #[test]
    fn other_blanks_are_near() {
        let blanks = |line| Some(Near::Blanks { line });
        assert_eq!(near(TEXT, "    let x = 1;\n", 1_000), blanks(2));
        assert_eq!(near(TEXT, "= 1;\ngo( x", 1_000), blanks(2));
        assert_eq!(near(TEXT, "fn  b()  {", 1_000), blanks(5));
        assert_eq!(near(TEXT, "o( x );\n  }", 1_000), blanks(3));
    }

    #[test]
    fn numbers_of_read_are_noticed() {
        assert_eq!(near(TEXT, "4: }\n5: fn b() {\n", 1_000), Some(Near::LineNumbers { line: 4 }));
        assert_eq!(near(TEXT, "4: }\nfn c() {", 1_000), None);
    }

    #[test]
    fn other_words_are_not_near() {
        for old in ["fn c() {", "let x = 2;", " \n ", "}", "go( x ); } fn b( )"] {
            assert_eq!(near(TEXT, old, 1_000), None, "{old}");
        }
    }

    #[test]
    fn only_the_start_is_searched_and_repetition_is_bounded() {
        assert_eq!(near(TEXT, "fn  b()  {", 20), None);
        let text = "a ".repeat(500_000);
        let old = "a ".repeat(10_000) + "\nb";
        assert_eq!(near(&text, &old, usize::MAX), None);
    }
}
