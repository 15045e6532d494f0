//! Replay: what was shown, from the log alone (contract L4).
//!
//! No tool, renderer, registry or workspace is asked: the log holds content and meta as they were. It
//! holds no values, so none can be rebuilt.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::error::SessionError;
use crate::event::{Entry, Event, Record, ToolCall, ToolResult};
use crate::journal::{Entries, Recovery};
use crate::native::write_native;

/// Why a replay ended early.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The log could not be read further. What stands before was written.
    #[error(transparent)]
    Log(#[from] SessionError),
    /// The output took no more.
    #[error("the replay could not be written")]
    Output(#[source] io::Error),
}

/// What a replay came across besides what it wrote. To be shown beside it, not in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayReport {
    /// How many entries the log has.
    pub entries: u64,
    /// How many direct results it has.
    pub results: u64,
    /// Entries of kinds this program does not know, by kind. [`write_json`] has them, [`write_text`] has not.
    pub unknown: BTreeMap<String, u64>,
    /// Direct calls that have no result: the process ended while they ran, or runs them still.
    pub unanswered: Vec<ToolCall>,
    /// What a crash cut off at the end of the log.
    pub torn: Option<Recovery>,
}

/// The direct results of a log, in order: content and meta exactly as they were shown.
pub fn results(entries: Entries) -> impl Iterator<Item = Result<ToolResult, SessionError>> {
    entries.filter_map(|entry| match entry {
        Ok(Entry { record: Record::Event(Event::ToolResult(result)), .. }) => Some(Ok(result)),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    })
}

/// Writes what was shown as text: each direct result in the native format, and the text of each
/// assistant message in the same way, in the order of the log. For a session of `tenon call`, these are
/// the bytes that those calls printed.
///
/// # Errors
///
/// [`ReplayError`], after what could be read was written.
pub fn write_text(entries: Entries, out: &mut dyn Write) -> Result<ReplayReport, ReplayError> {
    replay(entries, |entry| match entry.event() {
        Some(Event::ToolResult(result)) => write_native(&result.content, out),
        Some(Event::AssistantMessage(message)) if !message.text.is_empty() => {
            write_native(&[contract_schema::ContentBlock::text(message.text.as_str())], out)
        }
        _ => Ok(()),
    })
}

/// Writes every entry as it stands in the log, one JSON object a line: nested calls, hooks and kinds
/// this program does not know included.
///
/// # Errors
///
/// [`ReplayError`], after what could be read was written.
pub fn write_json(entries: Entries, out: &mut dyn Write) -> Result<ReplayReport, ReplayError> {
    replay(entries, |entry| {
        out.write_all(entry.line().as_bytes())?;
        out.write_all(b"\n")
    })
}

fn replay(
    mut entries: Entries,
    mut write: impl FnMut(&Entry) -> io::Result<()>,
) -> Result<ReplayReport, ReplayError> {
    let mut report = ReplayReport::default();
    for entry in entries.by_ref() {
        let entry = entry?;
        write(&entry).map_err(ReplayError::Output)?;
        note(&mut report, entry.record);
    }
    report.entries = entries.count_read();
    report.torn = entries.torn().cloned();
    Ok(report)
}

fn note(report: &mut ReplayReport, record: Record) {
    match record {
        Record::Unknown { kind } => *report.unknown.entry(kind).or_default() += 1,
        Record::Event(Event::ToolCall(call)) => report.unanswered.push(call),
        Record::Event(Event::ToolResult(result)) => {
            report.results += 1;
            let open = report.unanswered.iter().rposition(|call| call.call_id == result.call_id);
            if let Some(open) = open {
                report.unanswered.remove(open);
            }
        }
        Record::Open(_) | Record::Event(_) => {}
    }
}
