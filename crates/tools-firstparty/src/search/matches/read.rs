//! Reading matches back: their text goes from the source into the buffers, with no string in between.

use std::fmt;
use std::num::NonZeroU64;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::Matches;

/// Matches that room is made for at once, whatever the source says about its length.
const MAX_RESERVED: usize = 1 << 20;

/// Reads the list.
pub(super) struct List;

impl<'de> Visitor<'de> for List {
    type Value = Matches;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of matches")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Matches, A::Error> {
        let mut matches = Matches::default();
        matches.last_part().reserve(list.size_hint().unwrap_or(0).min(MAX_RESERVED));
        while list.next_element_seed(Element(&mut matches))?.is_some() {}
        Ok(matches)
    }
}

const FIELDS: &[&str] = &["path", "lineNumber", "line", "lineBytes"];

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Field {
    Path,
    LineNumber,
    Line,
    LineBytes,
}

/// Reads one match. After an error the list is in disorder, and given up.
struct Element<'m>(&'m mut Matches);

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_struct("GrepMatch", FIELDS, self)
    }
}

impl<'de> Visitor<'de> for Element<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a match")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut path, mut line) = (None, None);
        let mut line_number: Option<u64> = None;
        let mut line_bytes: Option<Option<NonZeroU64>> = None;
        while let Some(field) = map.next_key()? {
            match field {
                Field::Path => {
                    let seed = Text(|path: &str| self.0.start(path));
                    once(&mut path, "path", map.next_value_seed(seed)?)?;
                }
                Field::LineNumber => once(&mut line_number, "lineNumber", map.next_value()?)?,
                Field::Line => {
                    let seed = Text(|line: &str| self.0.last_part().add_text(line));
                    once(&mut line, "line", map.next_value_seed(seed)?)?;
                }
                Field::LineBytes => once(&mut line_bytes, "lineBytes", map.next_value()?)?,
            }
        }
        path.ok_or_else(|| A::Error::missing_field("path"))?;
        let line_number = line_number.ok_or_else(|| A::Error::missing_field("lineNumber"))?;
        line.ok_or_else(|| A::Error::missing_field("line"))?;
        self.0.end(line_number, line_bytes.flatten());
        Ok(())
    }
}

fn once<T, E: Error>(slot: &mut Option<T>, name: &'static str, value: T) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(name)),
    }
}

/// Takes a text where it stands.
struct Text<F>(F);

impl<'de, F: FnOnce(&str)> DeserializeSeed<'de> for Text<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<F: FnOnce(&str)> Visitor<'_> for Text<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        (self.0)(text);
        Ok(())
    }
}
