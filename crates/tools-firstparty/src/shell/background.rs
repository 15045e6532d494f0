//! A command as a background job.

use std::path::PathBuf;
use std::sync::Arc;

use contract_registry::AccessMode;
use host_process::{Captured, Cursor, Finished, Output, ProcessError, Running, Status, Stop};
use tool_seams::{JobEnd, JobOutcome, JobOutput, JobRun, JobTail};

use super::error::with_source;
use super::sandbox::BashSandbox;
use super::{signal, value};
use crate::text::ends::Ends;

/// Hands a command to the job service, which owns it from now on.
pub(super) fn job(running: Running, given: Given) -> JobRun {
    let stopper = running.stopper();
    let output = Arc::new(CommandOutput(running.output()));
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
}

fn outcome(ended: Result<Finished, ProcessError>, given: &Given) -> JobOutcome {
    let (end, detail) = match ended {
        Ok(finished) => {
            let (end, how) = how(&finished, given.timeout_ms.unwrap_or_default());
            let sandbox = BashSandbox::of(given.mode, finished.confined.as_ref(), &given.root);
            let sayings = sandbox.iter().flat_map(BashSandbox::sayings);
            (end, sayings.fold(how, |how, saying| format!("{how}; {saying}")))
        }
        Err(error @ ProcessError::NotStarted) => (JobEnd::Killed, error.to_string()),
        Err(error) => (JobEnd::Failed, with_source(&error)),
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
struct CommandOutput(Output);

/// One reader's place in it.
struct Place {
    output: Output,
    cursor: Cursor,
}

impl JobOutput for CommandOutput {
    fn reader(&self) -> Box<dyn JobTail> {
        Box::new(Place { output: self.0.clone(), cursor: Cursor::default() })
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
        let mut saved = Vec::new();
        for (name, stream) in [("", &chunk.stdout), ("[stderr]\n", &chunk.stderr)] {
            if stream.total_bytes() == 0 {
                continue;
            }
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(name);
            text.push_str(&part(stream, room, &mut saved));
        }
        if !saved.is_empty() {
            let line_break = if text.ends_with('\n') { "" } else { "\n" };
            text.push_str(&format!("{line_break}[what was left out is in {}]\n", saved.join(", ")));
        }
        text
    }
}

/// Set aside for the rows around the streams.
const ROWS_BYTES: usize = 256;

fn part(stream: &Captured, max_bytes: usize, saved: &mut Vec<String>) -> String {
    let (head, tail) = (stream.head(), stream.tail());
    let ends = Ends::of_bytes(head, tail, stream.total_bytes(), max_bytes);
    if ends.omitted_bytes > 0 {
        saved.extend(value::saved(stream));
    }
    ends.text
}
