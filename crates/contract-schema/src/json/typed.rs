//! Reading a document back into a Rust type, strings borrowed where the type can borrow.

use std::fmt;

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::path::{push_index, push_key, shown};
use super::view::{Elements, JsonKind, JsonRef, Members, Number};

/// A type that does not accept a document, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    message: String,
    /// Outermost last: segments are added while the error travels up.
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Key(String),
    Index(usize),
}

impl DecodeError {
    /// JSON pointer to the value that was not accepted; empty for the document itself.
    #[must_use]
    pub fn path(&self) -> String {
        let mut pointer = String::new();
        for segment in self.segments.iter().rev() {
            match segment {
                Segment::Key(key) => push_key(&mut pointer, key),
                Segment::Index(index) => push_index(&mut pointer, *index),
            }
        }
        pointer
    }

    /// The type's own words. They may quote the value.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// What was expected and where; never the value (decisions DG7).
impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // serde's messages end in what was expected; what they quote of the value stands before it.
        let what = match self.message.rfind(", expected ") {
            Some(at) => self.message.get(at + 2..).unwrap_or_default(),
            None if self.message.starts_with("missing field") => &self.message,
            None => "not what the type accepts",
        };
        write!(f, "{what} at {}", shown(&self.path()))
    }
}

impl std::error::Error for DecodeError {}

/// Keeps the error pointer-sized on the hot path.
#[derive(Debug)]
struct Refused(Box<DecodeError>);

impl Refused {
    #[cold]
    fn inside(mut self, segment: Segment) -> Self {
        self.0.segments.push(segment);
        self
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Box::new(DecodeError { message: message.to_string(), segments: Vec::new() }))
    }
}

/// Decodes exactly first. Types that buffer (untagged and internally tagged enums, flattened structs) ask
/// for "any" and would then refuse an integral float in an integer field, so a refusal is tried
/// once more with integral floats given as integers (contract P2).
pub(crate) fn decode<T: DeserializeOwned>(value: JsonRef<'_>) -> Result<T, DecodeError> {
    T::deserialize(Typed { value, integral: false })
        .or_else(|first| T::deserialize(Typed { value, integral: true }).map_err(|_| *first.0))
}

#[derive(Clone, Copy)]
struct Typed<'de> {
    value: JsonRef<'de>,
    /// Give integral floats as integers when the type asks for "any".
    integral: bool,
}

impl<'de> Typed<'de> {
    fn child(self, value: JsonRef<'de>) -> Self {
        Self { value, integral: self.integral }
    }

    fn number<V: Visitor<'de>>(self, integral: bool, visitor: V) -> Result<V::Value, Refused> {
        match self.value.as_number() {
            Some(Number::Unsigned(value)) => visitor.visit_u64(value),
            Some(Number::Negative(value)) => visitor.visit_i64(value),
            Some(Number::Float(value)) => match integer_of(value) {
                Some(Number::Unsigned(integer)) if integral => visitor.visit_u64(integer),
                Some(Number::Negative(integer)) if integral => visitor.visit_i64(integer),
                _ => visitor.visit_f64(value),
            },
            None => self.deserialize_any(visitor),
        }
    }

    fn seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let mut seq = Seq { parent: self, elements: self.value.elements(), index: 0 };
        let value = visitor.visit_seq(&mut seq)?;
        match seq.elements.len() {
            0 => Ok(value),
            _ => Err(de::Error::invalid_length(self.value.len(), &"fewer elements in the array")),
        }
    }

    fn map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_map(Map { parent: self, members: self.value.members(), next: None })
    }
}

/// The integer an integral float stands for, if one of 64 bits does.
fn integer_of(value: f64) -> Option<Number> {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    if value.fract() != 0.0 || !(-TWO_TO_63..2.0 * TWO_TO_63).contains(&value) {
        return None;
    }
    // Exact: an integral float within the range of an integer is that integer.
    Some(if value < 0.0 { Number::Negative(value as i64) } else { Number::Unsigned(value as u64) })
}

macro_rules! integers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            self.number(true, visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Typed<'de> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.value.kind() {
            JsonKind::Null => visitor.visit_unit(),
            JsonKind::Bool => visitor.visit_bool(self.value.as_bool() == Some(true)),
            JsonKind::Integer | JsonKind::Number => self.number(self.integral, visitor),
            JsonKind::String => visitor.visit_borrowed_str(self.value.as_str().unwrap_or_default()),
            JsonKind::Array => self.seq(visitor),
            JsonKind::Object => self.map(visitor),
        }
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.number(false, visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.number(false, visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        if let Some(variant) = self.value.as_str() {
            return visitor.visit_enum(variant.into_deserializer());
        }
        let mut members = self.value.members();
        match (members.next(), members.next()) {
            (Some((variant, content)), None) => {
                visitor.visit_enum(Variant { name: variant, content: self.child(content) })
            }
            _ => Err(de::Error::custom(format_args!(
                "expected the name of a variant or an object with one key, found {}",
                self.value.kind()
            ))),
        }
    }

    forward_to_deserialize_any! {
        bool char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

struct Seq<'de> {
    parent: Typed<'de>,
    elements: Elements<'de>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Seq<'de> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        let Some(element) = self.elements.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(self.parent.child(element))
            .map(Some)
            .map_err(|refused| refused.inside(Segment::Index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.elements.len())
    }
}

struct Map<'de> {
    parent: Typed<'de>,
    members: Members<'de>,
    next: Option<(&'de str, JsonRef<'de>)>,
}

impl<'de> MapAccess<'de> for Map<'de> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        self.next = self.members.next();
        match self.next {
            Some((key, _)) => seed.deserialize(Key(key)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        let Some((key, value)) = self.next.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        seed.deserialize(self.parent.child(value))
            .map_err(|refused| refused.inside(Segment::Key(key.to_owned())))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// The key of a member: a string, or a newtype around one, or an integer written as one.
struct Key<'de>(&'de str);

macro_rules! integer_keys {
    ($($method:ident $visit:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            match self.0.parse() {
                Ok(integer) => visitor.$visit(integer),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_borrowed_str(self.0)
    }

    integer_keys! {
        deserialize_i8 visit_i64 deserialize_i16 visit_i64
        deserialize_i32 visit_i64 deserialize_i64 visit_i64
        deserialize_u8 visit_u64 deserialize_u16 visit_u64
        deserialize_u32 visit_u64 deserialize_u64 visit_u64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

struct Variant<'de> {
    name: &'de str,
    content: Typed<'de>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Refused;
    type Variant = Typed<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Typed<'de>), Refused> {
        let name = seed.deserialize(de::value::BorrowedStrDeserializer::new(self.name))?;
        Ok((name, self.content))
    }
}

impl<'de> VariantAccess<'de> for Typed<'de> {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        de::Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refused> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.deserialize_any(visitor)
    }
}
