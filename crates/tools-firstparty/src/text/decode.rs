//! Which encoding a file is in, and its bytes as text, piece by piece (decisions DF1).
//!
//! Stateless: the caller keeps the bytes that were not used and puts them before the next piece, so any
//! way of cutting a file into pieces gives the same text.

/// Text encodings the tools read. UTF-16 only where a byte order mark says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

/// A byte that is not text in the encoding at hand; counted from the start of the piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadByte {
    pub(crate) offset: usize,
}

impl Encoding {
    /// The encoding of a file that starts with `head`, and the length of its byte order mark in bytes.
    pub(crate) fn sniff(head: &[u8]) -> (Self, usize) {
        match head {
            [0xEF, 0xBB, 0xBF, ..] => (Self::Utf8, 3),
            [0xFF, 0xFE, ..] => (Self::Utf16Le, 2),
            [0xFE, 0xFF, ..] => (Self::Utf16Be, 2),
            _ => (Self::Utf8, 0),
        }
    }

    /// Plain name for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le | Self::Utf16Be => "UTF-16",
        }
    }

    /// Decodes what is whole in `bytes`; gives the text and how many bytes it took.
    ///
    /// At most 3 bytes are left over: a character that the next piece completes.
    pub(crate) fn decode<'a>(
        self,
        bytes: &'a [u8],
        scratch: &'a mut String,
    ) -> Result<(&'a str, usize), BadByte> {
        match self {
            Self::Utf8 => decode_utf8(bytes),
            Self::Utf16Le => decode_utf16(bytes, u16::from_le_bytes, scratch),
            Self::Utf16Be => decode_utf16(bytes, u16::from_be_bytes, scratch),
        }
    }

    /// Like [`decode`](Self::decode), with U+FFFD for what is not text; for searching UTF-16 files.
    pub(crate) fn decode_lossy(self, bytes: &[u8], out: &mut Vec<u8>) -> usize {
        let mut scratch = String::new();
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            match self.decode(rest, &mut scratch) {
                Ok((text, taken)) => {
                    out.extend_from_slice(text.as_bytes());
                    return used + taken;
                }
                Err(bad) => {
                    if let Some(good) = rest.get(..bad.offset)
                        && let Ok((text, _)) = self.decode(good, &mut scratch)
                    {
                        out.extend_from_slice(text.as_bytes());
                    }
                    out.extend_from_slice("\u{FFFD}".as_bytes());
                    used += bad.offset + self.unit_bytes();
                }
            }
        }
        used.min(bytes.len())
    }

    fn unit_bytes(self) -> usize {
        match self {
            Self::Utf8 => 1,
            Self::Utf16Le | Self::Utf16Be => 2,
        }
    }
}

fn decode_utf8(bytes: &[u8]) -> Result<(&str, usize), BadByte> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok((text, bytes.len())),
        Err(error) => {
            let valid = error.valid_up_to();
            // A sequence that the end of the piece cut, not a wrong one, has no length.
            let (None, Some(good)) = (error.error_len(), bytes.get(..valid)) else {
                return Err(BadByte { offset: valid });
            };
            let text = std::str::from_utf8(good).map_err(|_| BadByte { offset: valid })?;
            Ok((text, valid))
        }
    }
}

fn decode_utf16<'a>(
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
    scratch: &'a mut String,
) -> Result<(&'a str, usize), BadByte> {
    scratch.clear();
    let (pairs, _odd) = bytes.as_chunks::<2>();
    let mut used = 0;
    let mut units = pairs.iter().map(|pair| unit(*pair)).peekable();
    while let Some(first) = units.next() {
        let taken = match char::from_u32(u32::from(first)) {
            Some(ch) => {
                scratch.push(ch);
                2
            }
            None => match (first, units.peek()) {
                (0xD800..=0xDBFF, None) => break,
                (0xD800..=0xDBFF, Some(&second @ 0xDC00..=0xDFFF)) => {
                    units.next();
                    scratch.extend(char::decode_utf16([first, second]).flatten());
                    4
                }
                _ => return Err(BadByte { offset: used }),
            },
        };
        used += taken;
    }
    Ok((scratch, used))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    fn decode_in_pieces(encoding: Encoding, bytes: &[u8], piece: usize) -> Result<String, usize> {
        let (mut text, mut scratch) = (String::new(), String::new());
        let (mut start, mut end) = (0, 0);
        while end < bytes.len() {
            end = (end + piece).min(bytes.len());
            let (part, used) = encoding
                .decode(&bytes[start..end], &mut scratch)
                .map_err(|bad| start + bad.offset)?;
            text.push_str(part);
            start += used;
        }
        if start == bytes.len() { Ok(text) } else { Err(start) }
    }

    #[test]
    fn bom_names_the_encoding() {
        assert_eq!(Encoding::sniff(b"\xEF\xBB\xBFa"), (Encoding::Utf8, 3));
        assert_eq!(Encoding::sniff(b"\xFF\xFEa\0"), (Encoding::Utf16Le, 2));
        assert_eq!(Encoding::sniff(b"\xFE\xFF\0a"), (Encoding::Utf16Be, 2));
        assert_eq!(Encoding::sniff(b""), (Encoding::Utf8, 0));
    }

    #[test]
    fn bad_bytes_are_located() {
        let mut scratch = String::new();
        let bad = Encoding::Utf8.decode(b"ab\xFFc", &mut scratch);
        assert_eq!(bad, Err(BadByte { offset: 2 }));
        let lone = utf16("ab", u16::to_le_bytes);
        let lone = [lone.as_slice(), &[0x00, 0xDC], b"c\0"].concat();
        assert_eq!(Encoding::Utf16Le.decode(&lone, &mut scratch), Err(BadByte { offset: 4 }));
        let mut out = Vec::new();
        assert_eq!(Encoding::Utf16Le.decode_lossy(&lone, &mut out), 8);
        assert_eq!(String::from_utf8_lossy(&out), "ab\u{FFFD}c");
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same_text(text in "\\PC{0,40}", piece in 1usize..9) {
            let le = utf16(&text, u16::to_le_bytes);
            let be = utf16(&text, u16::to_be_bytes);
            prop_assert_eq!(decode_in_pieces(Encoding::Utf8, text.as_bytes(), piece), Ok(text.clone()));
            prop_assert_eq!(decode_in_pieces(Encoding::Utf16Le, &le, piece), Ok(text.clone()));
            prop_assert_eq!(decode_in_pieces(Encoding::Utf16Be, &be, piece), Ok(text));
        }

        #[test]
        fn the_first_bad_byte_is_the_same_for_any_pieces(
            bytes in proptest::collection::vec(any::<u8>(), 0..40),
            piece in 1usize..9,
        ) {
            let whole = decode_in_pieces(Encoding::Utf8, &bytes, bytes.len().max(1));
            prop_assert_eq!(decode_in_pieces(Encoding::Utf8, &bytes, piece), whole);
        }
    }
}
