//! The members of a JSON object as the text they stand in.
//!
//! An entry holds whole documents (arguments, meta), each as deep as a document may be, so the entry is
//! deeper than any document reader takes. It is therefore taken apart first, without recursion, and
//! each part read by the reader it belongs to, which is lossless for the documents (contract V1, V5).

use serde::de::IgnoredAny;

use super::decode::{Decode, Fault};

/// An object taken apart. The last word on each member is with whoever reads it.
pub(super) struct Members<'a> {
    members: Vec<(&'a str, &'a str)>,
}

impl<'a> Members<'a> {
    /// Takes apart text that should be one object; checks the syntax of all of it, at any depth.
    pub(super) fn of_untrusted(text: &'a str) -> Result<Self, Fault> {
        serde_json::from_str::<IgnoredAny>(text).map_err(Fault::text)?;
        Self::of(text)
    }

    /// Takes apart text that was checked as part of a larger one.
    pub(super) fn of(text: &'a str) -> Result<Self, Fault> {
        if !text.starts_with('{') {
            return Err(Fault::text("an object is missing"));
        }
        let mut members: Vec<(&str, &str)> = Vec::with_capacity(10);
        for piece in pieces(text) {
            let (key, value) = key_and_value(piece).ok_or_else(|| Fault::text("no member"))?;
            if members.iter().any(|(other, _)| *other == key) {
                return Err(Fault::text(format!("`{key}` occurs twice")));
            }
            members.push((key, value));
        }
        Ok(Self { members })
    }

    /// Reads the member `key`.
    pub(super) fn get<T: Decode>(&self, key: &'static str) -> Result<T, Fault> {
        self.opt(key)?.ok_or_else(|| Fault::text(format!("`{key}` is missing")))
    }

    /// Reads the member `key`, if it is there.
    pub(super) fn opt<T: Decode>(&self, key: &'static str) -> Result<Option<T>, Fault> {
        let found = self.members.iter().find(|(name, _)| *name == key);
        let read = found.map(|(_, text)| T::decode(text));
        read.transpose().map_err(|fault| fault.within(key))
    }
}

/// The elements of an array that was checked as part of a larger text.
pub(super) fn elements(text: &str) -> Result<Vec<&str>, Fault> {
    if text.starts_with('[') { Ok(pieces(text)) } else { Err(Fault::text("an array is missing")) }
}

/// What stands between the commas of a container, its own commas only.
fn pieces(container: &str) -> Vec<&str> {
    let inner = container.get(1..container.len() - 1).unwrap_or_default();
    let mut pieces = Vec::new();
    let (mut start, mut depth, mut string, mut escaped) = (0, 0_usize, false, false);
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => string = !string,
            _ if string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                pieces.extend(inner.get(start..at).map(str::trim));
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.extend(inner.get(start..).map(str::trim).filter(|last| !last.is_empty()));
    pieces
}

/// `"key": value`; the key as it is written, and ours have no escapes.
fn key_and_value(piece: &str) -> Option<(&str, &str)> {
    let rest = piece.strip_prefix('"')?;
    let mut escaped = false;
    let end = rest.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    let (key, value) = rest.split_at_checked(end)?;
    let value = value.strip_prefix('"')?.trim_start().strip_prefix(':')?;
    Some((key, value.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_comes_apart_at_its_own_commas() {
        let text = r#" { "a" : 1 , "b":{"x":[1,2],"y":"},{"} ,"c\"d":"\\", "e":[ ] }"#.trim();
        let members = Members::of_untrusted(text).map_err(|fault| fault.reason).unwrap().members;
        let expected =
            [("a", "1"), ("b", r#"{"x":[1,2],"y":"},{"}"#), (r#"c\"d"#, r#""\\""#), ("e", "[ ]")];
        assert_eq!(members, expected);
    }

    #[test]
    fn an_array_comes_apart_at_its_own_commas() {
        let apart = |text| elements(text).map_err(|fault| fault.reason).unwrap();
        assert_eq!(apart("[]"), Vec::<&str>::new());
        assert_eq!(apart(r#"[{"a":1}, [2,3],"4,5" ]"#), [r#"{"a":1}"#, "[2,3]", r#""4,5""#]);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["", "[]", "1", "{", "{}x", r#"{"a":1,"a":2}"#, "{\"a\":\"\u{0}\"}"] {
            assert!(Members::of_untrusted(text).is_err(), "{text}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(500_000), "]".repeat(500_000));
        assert_eq!(Members::of_untrusted(&deep).map_err(|f| f.reason).unwrap().members.len(), 1);
    }
}
