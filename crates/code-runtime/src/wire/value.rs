//! `Json` to the binary form and back.

use std::borrow::Cow;
use std::cell::RefCell;
use std::convert::Infallible;

use contract_schema::{Elements, Json, JsonKind, JsonRef, Members, Number, SnapshotError};
use serde::ser::{Error as _, SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use super::reader::{Broken, Reader};
use super::tag;
use super::write::{Keys, Writer};

/// A container whose members are being written.
enum Open<'a> {
    Array(Elements<'a>),
    Object(Members<'a>),
}

/// Appends a document. A loop, so that depth takes no stack.
pub(crate) fn encode(out: &mut Vec<u8>, json: &Json) {
    let mut writer = Writer { out };
    let mut keys = Keys::new();
    let mut open = Vec::new();
    open.extend(scalar_or_open(&mut writer, json.root()));
    while let Some(innermost) = open.last_mut() {
        let next = match innermost {
            Open::Array(elements) => elements.next(),
            Open::Object(members) => members.next().map(|(key, value)| {
                let spelled = keys.write(&mut writer, key, || Ok::<_, Infallible>(Cow::from(key)));
                let Ok(()) = spelled;
                value
            }),
        };
        match next {
            None => close(&mut writer, open.pop()),
            Some(value) => open.extend(scalar_or_open(&mut writer, value)),
        }
    }
}

fn close(writer: &mut Writer<'_>, closed: Option<Open<'_>>) {
    if let Some(Open::Object(_)) = closed {
        writer.close_object();
    }
}

fn scalar_or_open<'a>(writer: &mut Writer<'_>, value: JsonRef<'a>) -> Option<Open<'a>> {
    match value.kind() {
        JsonKind::Null => writer.tag(tag::NULL),
        JsonKind::Bool => {
            writer.tag(if value.as_bool() == Some(true) { tag::TRUE } else { tag::FALSE });
        }
        JsonKind::Integer | JsonKind::Number => match value.as_number() {
            Some(Number::Unsigned(number)) => writer.unsigned(number),
            Some(Number::Negative(number)) => writer.negative(number),
            Some(Number::Float(number)) => writer.float(number),
            None => writer.tag(tag::NULL),
        },
        JsonKind::String => writer.string(value.as_str().unwrap_or_default()),
        JsonKind::Array => {
            writer.open_array(value.len());
            return Some(Open::Array(value.elements()));
        }
        JsonKind::Object => {
            writer.open_object();
            return Some(Open::Object(value.members()));
        }
    }
    None
}

/// A document from the binary form, under every rule of a snapshot (contract V1).
pub(crate) fn decode(payload: &[u8]) -> Result<Json, DecodeError> {
    let source = RefCell::new(Source { reader: Reader::new(payload), keys: Vec::new() });
    let json = Json::snapshot(&Value { source: &source })?;
    if !source.borrow().reader.is_empty() {
        return Err(DecodeError::Broken(Broken("bytes after a value")));
    }
    Ok(json)
}

/// Why bytes are no document.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The bytes are not in the form.
    #[error("{0}")]
    Broken(Broken),
    /// They are, and what they say is refused.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// The cursor, and the keys spelled so far.
struct Source<'a> {
    reader: Reader<'a>,
    keys: Vec<&'a str>,
}

impl<'a> Source<'a> {
    /// The next key; `None` at the end of the object.
    fn key(&mut self) -> Result<Option<&'a str>, Broken> {
        let number = self.reader.number()?;
        let Some(index) = number.checked_sub(1) else { return Ok(None) };
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        if index == self.keys.len() {
            self.keys.push(self.reader.text()?);
        }
        let key = self.keys.get(index).copied();
        key.map(Some).ok_or(Broken("a key that was not spelled"))
    }
}

/// The next value of the source, read while it is serialized. The snapshot bounds its depth.
struct Value<'s, 'a> {
    source: &'s RefCell<Source<'a>>,
}

impl Value<'_, '_> {
    fn array<S: Serializer>(&self, serializer: S, count: usize) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(Some(count))?;
        for _ in 0..count {
            array.serialize_element(self)?;
        }
        array.end()
    }

    fn object<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        loop {
            let key = self.source.borrow_mut().key().map_err(S::Error::custom)?;
            let Some(key) = key else { return object.end() };
            object.serialize_entry(key, self)?;
        }
    }
}

/// What a value begins with, its content included where it is a scalar.
#[derive(Debug)]
pub(crate) enum Token<'a> {
    Null,
    Bool(bool),
    Unsigned(u64),
    Negative(i64),
    Float(f64),
    String(&'a str),
    Array(usize),
    Object,
}

impl<'a> Token<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, Broken> {
        Ok(match reader.byte()? {
            tag::NULL => Self::Null,
            tag::FALSE => Self::Bool(false),
            tag::TRUE => Self::Bool(true),
            tag::UNSIGNED => Self::Unsigned(reader.number()?),
            tag::NEGATIVE => Self::Negative((!reader.number()?).cast_signed()),
            tag::FLOAT => Self::Float(reader.float()?),
            tag::STRING => Self::String(reader.text()?),
            tag::ARRAY => Self::Array(reader.count()?),
            tag::OBJECT => Self::Object,
            _ => return Err(Broken("a value of no known kind")),
        })
    }
}

impl Serialize for Value<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let token = Token::read(&mut self.source.borrow_mut().reader).map_err(S::Error::custom)?;
        match token {
            Token::Null => serializer.serialize_unit(),
            Token::Bool(value) => serializer.serialize_bool(value),
            Token::Unsigned(value) => serializer.serialize_u64(value),
            Token::Negative(value) => serializer.serialize_i64(value),
            Token::Float(value) => serializer.serialize_f64(value),
            Token::String(value) => serializer.serialize_str(value),
            Token::Array(count) => self.array(serializer, count),
            Token::Object => self.object(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) {
        let json = Json::parse(text).unwrap_or_default();
        let mut bytes = Vec::new();
        encode(&mut bytes, &json);
        assert!(decode(&bytes).is_ok_and(|back| back == json), "{text}");
    }

    #[test]
    fn documents_survive() {
        round("null");
        round("[true,false,0,-1,9223372036854775807,-9223372036854775808,18446744073709551615]");
        round("[1.0,0.1,1e300,-5e-324,\"\",\"a\\u0000\u{1f600}\"]");
        round(r#"{"__proto__":{"a":[{"a":1},{"a":2,"":[]}]},"constructor":{}}"#);
        round(&format!("{}{}", "[".repeat(127), "]".repeat(127)));
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for bytes in [
            &[][..],
            &[9],
            &[tag::STRING, 5, b'a'],
            &[tag::STRING, 1, 0xff],
            &[tag::ARRAY, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            &[tag::OBJECT, 7, tag::NULL, 0],
            &[tag::OBJECT, 1, 1, b'a', tag::NULL],
            &[tag::OBJECT, 1, 1, b'a', tag::NULL, 1, tag::NULL, 0],
            &[tag::NULL, tag::NULL],
            &[tag::FLOAT, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
        ] {
            assert!(decode(bytes).is_err(), "{bytes:?}");
        }
        let mut deep = [tag::ARRAY, 1].repeat(100_000);
        deep.extend([tag::ARRAY, 0]);
        assert!(decode(&deep).is_err());
    }
}
