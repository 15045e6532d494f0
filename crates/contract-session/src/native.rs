//! Content as a terminal shows it: the bytes of `--format native`.

use std::borrow::Cow;
use std::io::{self, Write};

use contract_schema::ContentBlock;

/// Writes blocks joined by one LF, and one LF more when the last byte is not one. An image is its type
/// and its size in bytes.
///
/// # Errors
///
/// What `out` reports.
pub fn write_native(content: &[ContentBlock], out: &mut dyn Write) -> io::Result<()> {
    let mut last = None;
    for (index, block) in content.iter().enumerate() {
        if index > 0 {
            out.write_all(b"\n")?;
            last = Some(b'\n');
        }
        let text = shown(block);
        out.write_all(text.as_bytes())?;
        last = text.bytes().last().or(last);
    }
    if last == Some(b'\n') { Ok(()) } else { out.write_all(b"\n") }
}

/// A block as text.
fn shown(block: &ContentBlock) -> Cow<'_, str> {
    match block {
        ContentBlock::Text { text, .. } => text.as_str().into(),
        ContentBlock::Image { mime_type, data, .. } => {
            let bytes = data.trim_end_matches('=').len() * 3 / 4;
            format!("[image {mime_type}, {bytes} bytes]").into()
        }
        ContentBlock::Other(other) => {
            format!("[{} of a kind this program does not know]", other.kind()).into()
        }
        // Kinds that a later version of the contract adds.
        _ => "[content of a kind this program does not know]".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[ContentBlock], expected: &str) {
        let mut out = Vec::new();
        write_native(content, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn one_line_feed_is_added_where_none_ends_the_text() {
        check(&[], "\n");
        check(&[ContentBlock::text("a")], "a\n");
        check(&[ContentBlock::text("a\n")], "a\n");
        check(&[ContentBlock::text("a\n\n")], "a\n\n");
        check(&[ContentBlock::text("")], "\n");
    }

    #[test]
    fn blocks_are_joined_by_one_line_feed() {
        check(&[ContentBlock::text("a"), ContentBlock::text("b")], "a\nb\n");
        check(&[ContentBlock::text("a\n"), ContentBlock::text("b\n")], "a\n\nb\n");
        check(&[ContentBlock::text("a"), ContentBlock::text("")], "a\n");
        check(&[ContentBlock::text(""), ContentBlock::text("")], "\n");
    }

    #[test]
    fn an_image_is_its_type_and_its_size_in_bytes() {
        for (data, bytes) in [("", 0), ("AA==", 1), ("AAA=", 2), ("AAAA", 3), ("AAAAAA==", 4)] {
            let block = ContentBlock::image("image/png", data);
            check(&[block], &format!("[image image/png, {bytes} bytes]\n"));
        }
    }
}
