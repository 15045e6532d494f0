//! Pure text helpers the families share: decoding, cutting on character boundaries, names on one row,
//! sizes as JSON.

pub(crate) mod cut;
pub(crate) mod decode;
pub(crate) mod ends;
pub(crate) mod escape;
pub(crate) mod json_size;
