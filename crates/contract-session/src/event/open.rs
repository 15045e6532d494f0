//! The first entry of a log.

use serde::Serialize;

use crate::id::SessionId;

/// `session/open`: which session this is and what made it (contract L6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "session/open", rename_all = "camelCase")]
pub struct SessionOpen {
    /// The session.
    pub session_id: SessionId,
    /// Name of the program that made it.
    pub program: String,
    /// Version of that program.
    pub program_version: String,
    /// Workspace root at that time, for people; a name that is not UTF-8 is shown lossily.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_root: Option<String>,
}

impl SessionOpen {
    /// The `type` of the entry.
    pub const KIND: &str = "session/open";
}
