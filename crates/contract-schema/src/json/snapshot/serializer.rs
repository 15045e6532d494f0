//! The serializer behind the snapshot.

use std::fmt;

use serde::Serialize;
use serde::ser::{self, Serializer};

use super::key::KeyWriter;
use super::{SnapshotError, SnapshotFault};
use crate::json::MAX_DEPTH;
use crate::json::builder::{Builder, Refusal};

/// Newtypes and `Some`s that may be open at once: two for every container. They add no container, so the
/// depth limit alone would not stop a recursive wrapper type from overflowing the stack.
const MAX_WRAPPERS: usize = 2 * (MAX_DEPTH + 1);
/// Names by which `serde_json` smuggles raw text and digits through serde; their content was never checked.
const SMUGGLED: [&str; 2] = ["$serde_json::private::RawValue", "$serde_json::private::Number"];

pub(super) fn write<T: Serialize + ?Sized>(
    value: &T,
    builder: &mut Builder,
) -> Result<(), SnapshotError> {
    let mut writer = Writer { builder, wrappers: 0, failed: None };
    let result = value.serialize(&mut writer);
    let result = writer.noted(result);
    match (writer.failed.take(), result) {
        (Some(error), _) => Err(*error),
        (None, Ok(())) if writer.builder.in_object().is_none() => Ok(()),
        (None, _) => {
            let fault = SnapshotFault::Custom("it left a container open".to_owned());
            Err(SnapshotError { path: writer.builder.path(), fault })
        }
    }
}

/// The serializer. It remembers the first failure, so that a `Serialize` that swallows an error cannot
/// pass a partial document off as whole.
pub(super) struct Writer<'b> {
    pub(super) builder: &'b mut Builder,
    wrappers: usize,
    failed: Option<Box<SnapshotError>>,
}

impl Writer<'_> {
    #[cold]
    pub(super) fn fail(&mut self, fault: impl Into<SnapshotFault>) -> Halt {
        let path = self.builder.path();
        self.failed.get_or_insert_with(|| Box::new(SnapshotError { path, fault: fault.into() }));
        Halt(None)
    }

    /// Notes an error of the type's own where it was met: a parent that swallows it cannot go on as if
    /// nothing had been written.
    #[inline]
    fn noted(&mut self, result: Result<(), Halt>) -> Result<(), Halt> {
        match result {
            Ok(()) => Ok(()),
            Err(Halt(message)) => Err(match message {
                Some(message) => self.fail(SnapshotFault::Custom(*message)),
                None => Halt(None),
            }),
        }
    }

    #[inline]
    pub(super) fn check(&mut self, result: Result<(), Refusal>) -> Result<(), Halt> {
        match result {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.fail(refusal)),
        }
    }

    fn begin(&mut self, is_object: bool, expected: Option<usize>) -> Result<(), Halt> {
        let begun = self.builder.begin(is_object, expected.unwrap_or_default());
        self.check(begun)
    }

    /// Opens `{ variant: `, the outer object of a variant that has content.
    fn begin_variant(&mut self, variant: &'static str) -> Result<(), Halt> {
        self.begin(true, Some(1))?;
        let named = self.builder.name(variant);
        self.check(named)
    }

    fn end(&mut self) -> Result<(), Halt> {
        if self.builder.has_pending_key() {
            return Err(self.fail(SnapshotFault::Custom("a map key without a value".to_owned())));
        }
        let ended = self.builder.end();
        self.check(ended)
    }

    fn wrapped<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        self.enter_wrapper()?;
        let result = value.serialize(&mut *self);
        self.leave_wrapper();
        self.noted(result)
    }

    pub(super) fn enter_wrapper(&mut self) -> Result<(), Halt> {
        if self.wrappers == MAX_WRAPPERS {
            return Err(self.fail(SnapshotFault::TooDeep));
        }
        self.wrappers += 1;
        Ok(())
    }

    pub(super) fn leave_wrapper(&mut self) {
        self.wrappers -= 1;
    }
}

/// Stops the serialization. What happened is with the writer, unless the type itself complained.
#[derive(Debug)]
#[expect(clippy::box_collection, reason = "keeps every Result of the serializer pointer-sized")]
pub(super) struct Halt(Option<Box<String>>);

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_ref().map_or("not lossless", |message| message.as_str()))
    }
}

impl std::error::Error for Halt {}

impl ser::Error for Halt {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Some(Box::new(message.to_string())))
    }
}

impl Serializer for &mut Writer<'_> {
    type Ok = ();
    type Error = Halt;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Variant<Self>;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Variant<Self>;

    fn serialize_bool(self, value: bool) -> Result<(), Halt> {
        self.builder.bool(value);
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Halt> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i16(self, value: i16) -> Result<(), Halt> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i32(self, value: i32) -> Result<(), Halt> {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i64(self, value: i64) -> Result<(), Halt> {
        self.builder.signed(value);
        Ok(())
    }

    fn serialize_i128(self, value: i128) -> Result<(), Halt> {
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => self.serialize_i64(value),
            (Err(_), Ok(value)) => self.serialize_u64(value),
            (Err(_), Err(_)) => Err(self.fail(SnapshotFault::IntegerOutOfRange)),
        }
    }

    fn serialize_u8(self, value: u8) -> Result<(), Halt> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Result<(), Halt> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Result<(), Halt> {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Result<(), Halt> {
        self.builder.unsigned(value);
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> Result<(), Halt> {
        match u64::try_from(value) {
            Ok(value) => self.serialize_u64(value),
            Err(_) => Err(self.fail(SnapshotFault::IntegerOutOfRange)),
        }
    }

    /// Widened to its exact `f64`, which is what a reader gives back.
    fn serialize_f32(self, value: f32) -> Result<(), Halt> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Halt> {
        let pushed = self.builder.float(value);
        self.check(pushed)
    }

    fn serialize_char(self, value: char) -> Result<(), Halt> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Halt> {
        let pushed = self.builder.string(value);
        self.check(pushed)
    }

    /// An array of integers, as the standard writer has it.
    fn serialize_bytes(self, value: &[u8]) -> Result<(), Halt> {
        self.begin(false, Some(value.len()))?;
        for byte in value {
            self.builder.unsigned(u64::from(*byte));
        }
        self.end()
    }

    fn serialize_none(self) -> Result<(), Halt> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Halt> {
        self.wrapped(value)
    }

    fn serialize_unit(self) -> Result<(), Halt> {
        self.builder.null();
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Halt> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), Halt> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), Halt> {
        self.wrapped(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Halt> {
        self.begin_variant(variant)?;
        self.wrapped(value)?;
        self.end()
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self, Halt> {
        self.begin(false, len)?;
        Ok(self)
    }

    fn serialize_tuple(self, len: usize) -> Result<Self, Halt> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Self, Halt> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Variant<Self>, Halt> {
        self.begin_variant(variant)?;
        self.begin(false, Some(len))?;
        Ok(Variant(self))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self, Halt> {
        self.begin(true, len)?;
        Ok(self)
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self, Halt> {
        if let Some(smuggled) = SMUGGLED.iter().find(|smuggled| **smuggled == name) {
            return Err(self.fail(SnapshotFault::Unchecked(smuggled)));
        }
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Variant<Self>, Halt> {
        self.begin_variant(variant)?;
        self.begin(true, Some(len))?;
        Ok(Variant(self))
    }
}

impl ser::SerializeSeq for &mut Writer<'_> {
    type Ok = ();
    type Error = Halt;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        let written = value.serialize(&mut **self);
        self.noted(written)
    }

    fn end(self) -> Result<(), Halt> {
        Writer::end(self)
    }
}

impl ser::SerializeTuple for &mut Writer<'_> {
    type Ok = ();
    type Error = Halt;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        let written = value.serialize(&mut **self);
        self.noted(written)
    }

    fn end(self) -> Result<(), Halt> {
        Writer::end(self)
    }
}

impl ser::SerializeTupleStruct for &mut Writer<'_> {
    type Ok = ();
    type Error = Halt;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        let written = value.serialize(&mut **self);
        self.noted(written)
    }

    fn end(self) -> Result<(), Halt> {
        Writer::end(self)
    }
}

impl ser::SerializeMap for &mut Writer<'_> {
    type Ok = ();
    type Error = Halt;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Halt> {
        if self.builder.has_pending_key() {
            return Err(self.fail(SnapshotFault::Custom("a map key without a value".to_owned())));
        }
        let written = key.serialize(KeyWriter { writer: self });
        self.noted(written)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        if !self.builder.has_pending_key() {
            return Err(self.fail(SnapshotFault::Custom("a map value without a key".to_owned())));
        }
        let written = value.serialize(&mut **self);
        self.noted(written)
    }

    fn end(self) -> Result<(), Halt> {
        Writer::end(self)
    }
}

impl ser::SerializeStruct for &mut Writer<'_> {
    type Ok = ();
    type Error = Halt;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Halt> {
        let named = self.builder.name(key);
        self.check(named)?;
        let written = value.serialize(&mut **self);
        self.noted(written)
    }

    fn end(self) -> Result<(), Halt> {
        Writer::end(self)
    }
}

/// Closes the object around a variant's content as well.
pub(super) struct Variant<W>(W);

impl ser::SerializeTupleVariant for Variant<&mut Writer<'_>> {
    type Ok = ();
    type Error = Halt;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Halt> {
        let written = value.serialize(&mut *self.0);
        self.0.noted(written)
    }

    fn end(self) -> Result<(), Halt> {
        self.0.end()?;
        self.0.end()
    }
}

impl ser::SerializeStructVariant for Variant<&mut Writer<'_>> {
    type Ok = ();
    type Error = Halt;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Halt> {
        ser::SerializeStruct::serialize_field(&mut self.0, key, value)
    }

    fn end(self) -> Result<(), Halt> {
        self.0.end()?;
        self.0.end()
    }
}
