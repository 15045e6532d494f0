//! The wire form of an entry: one JSON object a line (contract L6).

mod decode;
mod members;

pub(crate) use decode::decode;

use serde::Serialize;

/// The version this program writes, and the only one it reads. It rises when a kind of event that
/// exists changes, or when content gets a new kind of block.
pub(crate) const FORMAT_VERSION: u64 = 1;

#[derive(Serialize)]
struct Line<'a, E> {
    v: u64,
    seq: u64,
    at: u64,
    /// Tagged with `type`.
    #[serde(flatten)]
    event: &'a E,
}

/// Adds the entry to `out`, with its line feed. Control characters are escaped in JSON, so a line feed
/// or a NUL never stands inside an entry.
pub(crate) fn encode<E: Serialize>(
    seq: u64,
    at: u64,
    event: &E,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *out, &Line { v: FORMAT_VERSION, seq, at, event })?;
    out.push(b'\n');
    Ok(())
}
