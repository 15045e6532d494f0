//! A command as a background job.

use std::path::PathBuf;
use std::sync::Arc;

use contract_registry::AccessMode;
use host_process::{Captured, Cursor, Finished, Output, ProcessError, Running, Status, Stop};
use tool_seams::{JobEnd, JobOutcome, JobOutput, JobRun, JobTail};

use super::sandbox::BashSandbox;
use super::signal;
use crate::seam::process::{Kept, described, keep};
use crate::text::ends::Ends;

/// Hands a command to the job service, which owns it from now on.
pub(super) fn job(running: Running, given: Given) -> JobRun {
    let stopper = running.stopper();
    let output = running.output();
    let output = Arc::new(CommandOutput { output, saved_max_bytes: given.saved_max_bytes });
    JobRun {
        cancel: Box::new(move |_| stopper.stop()),
        done: Box::pin(async move { outcome(running.await, &given) }),
        output: Some(output),
    }
}

/// What a command in the background was given.
pub(super) struct Given {
    pub(super) timeout_ms: Option<u64>,
    pub(super) mode: AccessMode,
    pub(super) root: PathBuf,
    pub(super) network: bool,
    pub(super) saved_max_bytes: u64,
}

fn outcome(ended: Result<Finished, ProcessError>, given: &Given) -> JobOutcome {
    let (end, detail) = match ended {
        Ok(finished) => {
            let (end, how) = how(&finished, given.timeout_ms.unwrap_or_default());
            let sandbox =
                BashSandbox::of(given.mode, finished.confined.as_ref(), &given.root, given.network);
            let failed = finished.status != Status::Exited(0);
            let sayings = sandbox.iter().flat_map(|sandbox| sandbox.sayings(failed));
            (end, sayings.fold(how, |how, saying| format!("{how}; {saying}")))
        }
        Err(error @ ProcessError::NotStarted) => (JobEnd::Killed, error.to_string()),
        Err(error) => (JobEnd::Failed, described(&error)),
    };
    JobOutcome { end, detail: Some(detail), output: None }
}

fn how(finished: &Finished, timeout_ms: u64) -> (JobEnd, String) {
    let (by_itself, how) = match finished.status {
        Status::Exited(code) => (JobEnd::Completed, format!("exit code {code}")),
        Status::Signalled(number) => (JobEnd::Killed, signal::name(number)),
    };
    match finished.stopped {
        None => (by_itself, how),
        Some(Stop::Cancelled) => (JobEnd::Killed, how),
        Some(Stop::Deadline) => (JobEnd::Killed, format!("timed out after {timeout_ms} ms, {how}")),
    }
}

/// What a command has written so far.
struct CommandOutput {
    output: Output,
    saved_max_bytes: u64,
}

/// One reader's place in it.
struct Place {
    output: Output,
    cursor: Cursor,
    saved_max_bytes: u64,
}

impl JobOutput for CommandOutput {
    fn reader(&self) -> Box<dyn JobTail> {
        let (output, saved_max_bytes) = (self.output.clone(), self.saved_max_bytes);
        Box::new(Place { output, cursor: Cursor::default(), saved_max_bytes })
    }
}

impl JobTail for Place {
    fn read(&mut self, max_bytes: usize) -> String {
        let chunk = self.output.read_since(self.cursor);
        self.cursor = chunk.next;
        let both = chunk.stdout.total_bytes() > 0 && chunk.stderr.total_bytes() > 0;
        let room = max_bytes.saturating_sub(ROWS_BYTES);
        let room = if both { room / 2 } else { room };
        let mut text = String::new();
        let mut rows = String::new();
        for (name, heading, stream) in
            [("stdout", "", &chunk.stdout), ("stderr", "[stderr]\n", &chunk.stderr)]
        {
            if stream.total_bytes() > 0 {
                end_row(&mut text);
                text.push_str(heading);
                let ends = Ends::of_bytes(stream.head(), stream.tail(), stream.total_bytes(), room);
                text.push_str(&ends.text);
                if ends.omitted_bytes > 0 {
                    rows.push_str(&self.where_saved(name, stream));
                }
            }
        }
        if !rows.is_empty() {
            end_row(&mut text);
            text.push_str(&rows);
        }
        text
    }
}

impl Place {
    /// A row on a stream of which something was left out.
    fn where_saved(&self, name: &str, stream: &Captured) -> String {
        match keep(stream, self.saved_max_bytes) {
            Some((path, Kept::Whole)) => format!("[all of {name} is in {path}]\n"),
            Some((path, Kept::Beginning)) => {
                format!("[the first {} bytes of {name} are in {path}]\n", self.saved_max_bytes)
            }
            None => String::new(),
        }
    }
}

fn end_row(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// Set aside for the rows around the streams. Long paths take more; then the service cuts the whole.
const ROWS_BYTES: usize = 512;
