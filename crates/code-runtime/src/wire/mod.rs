//! What crosses between a host and a worker: frames, and values in a binary form.
//!
//! A frame is a `u32` length, a `u8` type, a `u32` id and a payload, little endian. Neither side trusts the other: every length
//! is checked before memory is taken for it.

mod frame;
mod inbox;
mod reader;
mod setup;
mod value;
mod write;

pub(crate) use frame::{FRAME_HEAD, Frame, FrameKind, put};
pub(crate) use inbox::Inbox;
pub(crate) use reader::{Broken, Reader};
pub(crate) use setup::{
    limit_number, limit_of, read_program, read_setup, write_program, write_setup,
};
pub(crate) use value::{DecodeError, Token, decode, encode};
pub(crate) use write::{Keys, Writer};

/// What a value begins with.
pub(crate) mod tag {
    pub(crate) const NULL: u8 = 0;
    pub(crate) const FALSE: u8 = 1;
    pub(crate) const TRUE: u8 = 2;
    /// A variable-length `u64`.
    pub(crate) const UNSIGNED: u8 = 3;
    /// A variable-length `u64`: the bits of a negative `i64`, inverted.
    pub(crate) const NEGATIVE: u8 = 4;
    /// Eight bytes.
    pub(crate) const FLOAT: u8 = 5;
    /// A variable-length byte count, then UTF-8.
    pub(crate) const STRING: u8 = 6;
    /// A variable-length count, then the elements.
    pub(crate) const ARRAY: u8 = 7;
    /// Key and value of each member, then a zero. A key is one more than its number among the keys of the value; the first
    /// time it is spelled behind it.
    pub(crate) const OBJECT: u8 = 8;
}
