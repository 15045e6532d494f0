//! What is printed of an outcome, byte for byte.

use std::io::{self, BufWriter, Write, stderr, stdout};

use contract_registry::Outcome;
use contract_schema::ContentBlock;
use serde::Serialize;

use crate::cli::Format;
use crate::exit::{Stop, written};

/// Prints an outcome: the result to stdout, diagnostics to stderr.
pub(crate) fn print(outcome: &Outcome, format: Format) -> Result<(), Stop> {
    match (format, outcome.result()) {
        (Format::Native, _) => to_stdout(|out| native(outcome.content(), out)),
        (Format::Result, _) => json_line(&outcome.union()),
        (Format::Value, Ok(success)) => json_line(success.value()),
        (Format::Value, Err(failure)) => {
            // Nobody to tell when stderr is gone.
            let _ = writeln!(stderr(), "error: {}", failure.message());
            Ok(())
        }
    }
}

/// Prints a value as one line of JSON.
pub(crate) fn json_line<T: Serialize + ?Sized>(value: &T) -> Result<(), Stop> {
    to_stdout(|out| {
        serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
        out.write_all(b"\n")
    })
}

/// Writes to stdout through a buffer.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Stop> {
    let mut out = BufWriter::with_capacity(64 * 1024, stdout().lock());
    let result = write(&mut out).and_then(|()| out.flush());
    // What is left in the buffer has nowhere to go.
    let _ = out.into_parts();
    written(result)
}

/// Blocks joined by one LF; one LF more when the last byte is not one.
fn native(content: &[ContentBlock], out: &mut dyn Write) -> io::Result<()> {
    let mut ended = false;
    for (block, index) in content.iter().zip(0..) {
        if index > 0 {
            out.write_all(b"\n")?;
        }
        let text = shown(block);
        out.write_all(text.as_bytes())?;
        ended = text.ends_with('\n') || (text.is_empty() && index > 0);
    }
    if ended { Ok(()) } else { out.write_all(b"\n") }
}

/// A block as text: an image as its type and size.
fn shown(block: &ContentBlock) -> std::borrow::Cow<'_, str> {
    match block {
        ContentBlock::Text { text, .. } => text.as_str().into(),
        ContentBlock::Image { mime_type, data, .. } => {
            format!("[image {mime_type}, {} bytes]", decoded_bytes(data)).into()
        }
        // Kinds that a later version of the contract adds.
        _ => "[content of a kind this program does not know]".into(),
    }
}

/// How many bytes a text in base64 stands for.
fn decoded_bytes(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[ContentBlock], expected: &str) {
        let mut out = Vec::new();
        native(content, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn one_line_feed_is_added_where_none_ends_the_text() {
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
    }

    #[test]
    fn an_image_is_its_type_and_its_size_in_bytes() {
        for (data, bytes) in [("", 0), ("AA==", 1), ("AAA=", 2), ("AAAA", 3), ("AAAAAA==", 4)] {
            let block = ContentBlock::image("image/png", data);
            check(&[block], &format!("[image image/png, {bytes} bytes]\n"));
        }
    }
}
