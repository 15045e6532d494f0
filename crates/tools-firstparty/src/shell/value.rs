//! What `bash` returns.

use host_process::{Captured, Finished, Status, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::JobId;

use super::sandbox::BashSandbox;
use super::signal;
use crate::config::BashCaps;
use crate::seam::process::keep;
use crate::text::ends::Ends;

/// What came of a command: the id of a background job, or how it ended and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum BashValue {
    /// It runs in the background.
    Background {
        /// The job.
        job_id: JobId,
    },
    /// It has ended.
    Foreground(Box<BashEnded>),
}

/// A command that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BashEnded {
    /// Its exit code; null when a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGKILL`; null when none did.
    pub signal: Option<String>,
    /// It was told to end because its time was up, however it ended then.
    pub timed_out: bool,
    /// The milliseconds it was given.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub timeout_ms: u64,
    /// What it wrote to stdout.
    pub stdout: BashStream,
    /// What it wrote to stderr.
    pub stderr: BashStream,
    /// How it was confined; absent under full access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<BashSandbox>,
}

/// One stream of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BashStream {
    /// The text. Of a truncated stream both ends, and between them a row with the number of bytes left out.
    pub text: String,
    /// Not all of it is in `text`.
    pub truncated: bool,
    /// Bytes of the whole stream.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub total_bytes: u64,
    /// Bytes that are not in `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub omitted_bytes: Option<u64>,
    /// A file with the stream from its beginning, if it was saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spill_path: Option<String>,
}

impl BashEnded {
    /// What a run gives. Files with full streams are kept from now on, for which it writes to the disk.
    pub(super) fn of(
        caps: &BashCaps,
        finished: &Finished,
        timeout_ms: u64,
        sandbox: Option<BashSandbox>,
    ) -> Self {
        let (exit_code, signal) = match finished.status {
            Status::Exited(code) => (Some(code), None),
            Status::Signalled(number) => (None, Some(signal::name(number))),
        };
        Self {
            exit_code,
            signal,
            timed_out: finished.stopped == Some(Stop::Deadline),
            timeout_ms,
            stdout: BashStream::of(caps, &finished.stdout),
            stderr: BashStream::of(caps, &finished.stderr),
            sandbox,
        }
    }
}

impl BashStream {
    fn of(caps: &BashCaps, captured: &Captured) -> Self {
        let total_bytes = captured.total_bytes();
        let ends = Ends::of_bytes(captured.head(), captured.tail(), total_bytes, usize::MAX);
        let truncated = ends.omitted_bytes > 0;
        let kept = if truncated { keep(captured, caps.saved_max_bytes) } else { None };
        Self {
            text: ends.text,
            truncated,
            total_bytes,
            omitted_bytes: truncated.then_some(ends.omitted_bytes),
            spill_path: kept.map(|(path, _)| path),
        }
    }
}
