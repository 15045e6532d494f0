//! Writing a document out: serde, compact text, a `serde_json` tree.

use std::fmt;

use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use super::view::{JsonKind, JsonRef, Number};

/// Depth is bounded by the document's own limit, so recursion here is too (contract V5).
impl Serialize for JsonRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind() {
            JsonKind::Null => serializer.serialize_unit(),
            JsonKind::Bool => serializer.serialize_bool(self.as_bool() == Some(true)),
            JsonKind::Integer | JsonKind::Number => match self.as_number() {
                Some(Number::Unsigned(value)) => serializer.serialize_u64(value),
                Some(Number::Negative(value)) => serializer.serialize_i64(value),
                Some(Number::Float(value)) => serializer.serialize_f64(value),
                None => serializer.serialize_unit(),
            },
            JsonKind::String => serializer.serialize_str(self.as_str().unwrap_or_default()),
            JsonKind::Array => {
                let mut seq = serializer.serialize_seq(Some(self.len()))?;
                for element in self.elements() {
                    seq.serialize_element(&element)?;
                }
                seq.end()
            }
            JsonKind::Object => {
                let mut map = serializer.serialize_map(Some(self.len()))?;
                for (key, value) in self.members() {
                    map.serialize_entry(key, &value)?;
                }
                map.end()
            }
        }
    }
}

impl JsonRef<'_> {
    /// A copy as a `serde_json` tree, for libraries that want one.
    #[must_use]
    pub fn to_value(self) -> serde_json::Value {
        use serde_json::Value;
        match self.kind() {
            JsonKind::Null => Value::Null,
            JsonKind::Bool => Value::Bool(self.as_bool() == Some(true)),
            JsonKind::Integer | JsonKind::Number => match self.as_number() {
                Some(Number::Unsigned(value)) => value.into(),
                Some(Number::Negative(value)) => value.into(),
                Some(Number::Float(value)) => value.into(),
                None => Value::Null,
            },
            JsonKind::String => self.as_str().unwrap_or_default().into(),
            JsonKind::Array => self.elements().map(JsonRef::to_value).collect(),
            JsonKind::Object => {
                self.members().map(|(key, value)| (key.to_owned(), value.to_value())).collect()
            }
        }
    }
}

/// Passes the writer's bytes on as text.
struct Utf8<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl std::io::Write for Utf8<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(std::io::Error::other)?;
        self.0.write_str(text).map_err(std::io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Compact JSON text.
impl fmt::Display for JsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        serde_json::to_writer(Utf8(f), self).map_err(|_| fmt::Error)
    }
}

impl fmt::Debug for JsonRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
