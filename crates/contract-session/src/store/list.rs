//! The listing of sessions.

use serde::Serialize;

use super::LogFormat;
use super::dir::Dir;
use super::lock::{Owner, holder};
use crate::error::SessionError;
use crate::id::SessionId;
use crate::journal::{Lines, decode};
use crate::jsonl;
#[cfg(feature = "sqlite")]
use crate::sqlite;

/// A session as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// The session.
    pub id: SessionId,
    /// How its log is kept.
    pub format: LogFormat,
    /// When it was made: milliseconds since 1970. Absent when the first entry cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<u64>,
    /// When the last entry was appended: milliseconds since 1970. Absent when it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event: Option<u64>,
    /// How many entries it has.
    pub entries: u64,
    /// How many bytes the log takes.
    pub bytes: u64,
    /// Whether some process has it open.
    pub in_use: bool,
    /// Which, as far as that process said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_use_by: Option<Owner>,
    /// Why the first or the last entry cannot be read, or what a crash cut off. The entries between are
    /// not looked at here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Both ends of a log.
pub(crate) struct Ends {
    pub(crate) entries: u64,
    pub(crate) first: Option<Vec<u8>>,
    pub(crate) last: Option<Vec<u8>>,
    pub(crate) torn: Option<String>,
}

impl Ends {
    /// Counts lines up to the end.
    pub(crate) fn of(lines: &mut dyn Lines) -> Result<Self, SessionError> {
        let mut ends = Self { entries: 0, first: None, last: None, torn: None };
        while let Some(line) = lines.next_line() {
            let line = line?;
            ends.entries += 1;
            if ends.first.is_none() {
                ends.first = Some(line.clone());
            }
            ends.last = Some(line);
        }
        ends.torn = lines.torn().map(ToString::to_string);
        Ok(ends)
    }
}

pub(super) fn list(sessions: &Dir) -> Result<Vec<SessionSummary>, SessionError> {
    let names = std::fs::read_dir(sessions.path())
        .map_err(SessionError::io("list the directory", sessions.path()))?;
    let ids = names.flatten().filter_map(|name| SessionId::parse(name.file_name().to_str()?).ok());
    let mut summaries: Vec<_> = ids.filter_map(|id| summary(sessions, id)).collect();
    summaries.sort_by(|a, b| b.last_event.cmp(&a.last_event).then_with(|| a.id.cmp(&b.id)));
    Ok(summaries)
}

/// `None` for what is no session, or was removed just now.
fn summary(sessions: &Dir, id: SessionId) -> Option<SessionSummary> {
    let dir = sessions.child(id.as_str()).ok()??;
    let format = LogFormat::of(&dir)?;
    let holder = holder(&dir);
    let mut summary = SessionSummary {
        id,
        format,
        created: None,
        last_event: None,
        entries: 0,
        bytes: bytes(&dir, format),
        in_use: holder.is_some(),
        in_use_by: holder.flatten(),
        problem: None,
    };
    match ends(&dir, format) {
        Ok(ends) => fill(&mut summary, ends),
        Err(error) => summary.problem = Some(error.to_string()),
    }
    // A session that never got its first entry is none.
    (summary.entries > 0 || summary.in_use || summary.problem.is_some()).then_some(summary)
}

fn fill(summary: &mut SessionSummary, ends: Ends) {
    summary.entries = ends.entries;
    // A writer at work is nothing to worry about.
    summary.problem = ends.torn.filter(|_| !summary.in_use);
    let mut at = |line, bytes: Option<Vec<u8>>| match decode(line, bytes?) {
        Ok(entry) => Some(entry.at),
        Err(error) => {
            summary.problem = Some(error.to_string());
            None
        }
    };
    summary.last_event = at(ends.entries, ends.last);
    summary.created = at(1, ends.first);
}

fn ends(dir: &Dir, format: LogFormat) -> Result<Ends, SessionError> {
    match format {
        LogFormat::JsonLines => jsonl::lines(dir).and_then(|mut lines| Ends::of(&mut lines)),
        #[cfg(feature = "sqlite")]
        LogFormat::Sqlite => sqlite::ends(dir),
    }
}

fn bytes(dir: &Dir, format: LogFormat) -> u64 {
    let size = |name: &str| dir.size(name).unwrap_or(0);
    match format {
        LogFormat::JsonLines => size(jsonl::FILE),
        #[cfg(feature = "sqlite")]
        LogFormat::Sqlite => size(sqlite::FILE) + size(sqlite::WAL_FILE),
    }
}
