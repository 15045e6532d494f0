//! Keys of maps: strings and nothing else (contract V1).

use serde::Serialize;
use serde::ser::{Impossible, Serializer};

use super::SnapshotFault;
use super::serializer::{Halt, Writer};

/// Takes a map key; every kind but a string is refused by name.
pub(super) struct KeyWriter<'w, 'b> {
    pub(super) writer: &'w mut Writer<'b>,
}

impl KeyWriter<'_, '_> {
    fn refuse<T>(self, kind: &'static str) -> Result<T, Halt> {
        Err(self.writer.fail(SnapshotFault::KeyNotString(kind)))
    }
}

/// Refuses the scalar kinds that no key may be.
macro_rules! refuse_scalars {
    ($($method:ident($kind_of:ty) => $kind:literal,)*) => {
        $(fn $method(self, _: $kind_of) -> Result<(), Halt> {
            self.refuse($kind)
        })*
    };
}

impl Serializer for KeyWriter<'_, '_> {
    type Ok = ();
    type Error = Halt;
    type SerializeSeq = Impossible<(), Halt>;
    type SerializeTuple = Impossible<(), Halt>;
    type SerializeTupleStruct = Impossible<(), Halt>;
    type SerializeTupleVariant = Impossible<(), Halt>;
    type SerializeMap = Impossible<(), Halt>;
    type SerializeStruct = Impossible<(), Halt>;
    type SerializeStructVariant = Impossible<(), Halt>;

    refuse_scalars! {
        serialize_bool(bool) => "a boolean",
        serialize_i8(i8) => "an integer",
        serialize_i16(i16) => "an integer",
        serialize_i32(i32) => "an integer",
        serialize_i64(i64) => "an integer",
        serialize_i128(i128) => "an integer",
        serialize_u8(u8) => "an integer",
        serialize_u16(u16) => "an integer",
        serialize_u32(u32) => "an integer",
        serialize_u64(u64) => "an integer",
        serialize_u128(u128) => "an integer",
        serialize_f32(f32) => "a number",
        serialize_f64(f64) => "a number",
        serialize_bytes(&[u8]) => "bytes",
        serialize_unit_struct(&'static str) => "null",
    }

    fn serialize_str(self, key: &str) -> Result<(), Halt> {
        let pushed = self.writer.builder.key(key);
        self.writer.check(pushed)
    }

    fn serialize_char(self, key: char) -> Result<(), Halt> {
        self.serialize_str(key.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), Halt> {
        let pushed = self.writer.builder.name(variant);
        self.writer.check(pushed)
    }

    /// A newtype around a string is a string. Its depth is bounded by the writer that called.
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        key: &T,
    ) -> Result<(), Halt> {
        self.writer.enter_wrapper()?;
        let result = key.serialize(KeyWriter { writer: &mut *self.writer });
        self.writer.leave_wrapper();
        result
    }

    fn serialize_none(self) -> Result<(), Halt> {
        self.refuse("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), Halt> {
        self.refuse("an optional value")
    }

    fn serialize_unit(self) -> Result<(), Halt> {
        self.refuse("null")
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<(), Halt> {
        self.refuse("an object")
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Halt> {
        self.refuse("an array")
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Halt> {
        self.refuse("an array")
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleStruct, Halt> {
        self.refuse("an array")
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleVariant, Halt> {
        self.refuse("an object")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Halt> {
        self.refuse("an object")
    }

    fn serialize_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStruct, Halt> {
        self.refuse("an object")
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStructVariant, Halt> {
        self.refuse("an object")
    }
}
