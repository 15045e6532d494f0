//! What an interface shows of a command: how it ended, as facts.

use serde::Serialize;

use super::sandbox::BashSandbox;
use super::value::{BashEnded, BashStream, BashValue};

/// The metadata of `bash`.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum BashMeta<'a> {
    /// It runs in the background.
    Background { job_id: &'a str },
    /// It has ended.
    Foreground {
        exit_code: Option<i32>,
        signal: Option<&'a str>,
        timed_out: bool,
        timeout_ms: u64,
        stdout: StreamMeta<'a>,
        stderr: StreamMeta<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        sandbox: Option<&'a BashSandbox>,
    },
}

/// How much of a stream there is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StreamMeta<'a> {
    total_bytes: u64,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    spill_path: Option<&'a str>,
}

impl<'a> BashMeta<'a> {
    pub(super) fn of(value: &'a BashValue) -> Self {
        match value {
            BashValue::Background { job_id } => Self::Background { job_id: job_id.as_str() },
            BashValue::Foreground(ended) => {
                let BashEnded { exit_code, signal, timed_out, timeout_ms, stdout, stderr, sandbox } =
                    &**ended;
                Self::Foreground {
                    exit_code: *exit_code,
                    signal: signal.as_deref(),
                    timed_out: *timed_out,
                    timeout_ms: *timeout_ms,
                    stdout: StreamMeta::of(stdout),
                    stderr: StreamMeta::of(stderr),
                    sandbox: sandbox.as_ref(),
                }
            }
        }
    }
}

impl<'a> StreamMeta<'a> {
    fn of(stream: &'a BashStream) -> Self {
        let (total_bytes, truncated) = (stream.total_bytes, stream.truncated);
        Self { total_bytes, truncated, spill_path: stream.spill_path.as_deref() }
    }
}
