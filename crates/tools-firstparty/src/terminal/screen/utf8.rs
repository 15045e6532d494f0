//! Bytes of a terminal as text, chunk by chunk: a character may be cut between two, and what is none becomes
//! U+FFFD.

/// The longest start of a character that can be left over, in bytes.
const REST_MAX_BYTES: usize = 3;

/// Keeps the start of a character that the next chunk completes.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    rest: Vec<u8>,
}

impl Decoder {
    /// The text of `bytes`, after what was left over.
    pub(super) fn decode(&mut self, bytes: &[u8]) -> String {
        let joined;
        let bytes = if self.rest.is_empty() {
            bytes
        } else {
            joined = [self.rest.as_slice(), bytes].concat();
            self.rest.clear();
            &joined
        };
        let mut text = String::with_capacity(bytes.len());
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            let is_cut = chunks.peek().is_none() && is_start(invalid);
            if is_cut {
                self.rest = invalid.to_vec();
            } else if !invalid.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    }
}

/// Whether more bytes could make a character of these.
fn is_start(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && bytes.len() <= REST_MAX_BYTES
        && std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cut_character_is_completed() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.decode(b"a\xF0\x9F"), "a");
        assert_eq!(decoder.decode(b"\x98"), "");
        assert_eq!(decoder.decode(b"\x80b"), "😀b");
    }

    #[test]
    fn what_is_no_character_is_replaced() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.decode(b"a\xFFb\xE2\x82"), "a\u{FFFD}b");
        assert_eq!(decoder.decode(b"c"), "\u{FFFD}c");
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(
            bytes in proptest::collection::vec(any::<u8>(), 0..60),
            size in 1usize..7,
        ) {
            let mut decoder = Decoder::default();
            let mut text: String = bytes.chunks(size).map(|chunk| decoder.decode(chunk)).collect();
            if !decoder.rest.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
            prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
        }
    }
}
