//! The log as a file of JSON lines: the format the contract describes (L6).

mod read;
mod write;

pub(crate) use read::lines;
pub(crate) use write::Writer;

use crate::error::SessionError;
use crate::journal::Entries;

/// Name of the log within its session's directory.
pub(crate) const FILE: &str = "log.jsonl";

/// Reads the log of a session that may be open elsewhere.
pub(crate) fn entries(dir: &crate::store::Dir) -> Result<Entries, SessionError> {
    Ok(Entries::new(Box::new(lines(dir)?)))
}
