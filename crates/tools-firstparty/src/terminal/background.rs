//! A send as a background job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use contract_registry::ToolError;
use tool_seams::{JobEnd, JobId, JobOutcome, JobOwner, JobRequest, JobRun};

use super::error::TerminalFault;
use super::ready::WaitReason;
use super::send::{TerminalSent, shown};
use super::sending::{Sent, Slot, Typed};
use super::session::Session;
use super::text;
use super::tool::{Kit, TerminalSetup};
use crate::jobs::error as jobs;

/// What kind of job it is; ids begin with it.
const KIND: &str = "pty-send";

/// Hands a send to the job service. The terminal is claimed before there is a job, so that a send that is
/// still on is said at once.
pub(super) fn start(
    kit: &Kit,
    owner: JobOwner,
    session: Arc<Session>,
    typed: Typed,
) -> Result<JobId, ToolError> {
    let what = if typed.text.trim().is_empty() { "(input)" } else { &typed.text };
    let label = format!("{}: {what}", session.id());
    let page_max_bytes = Some(kit.setup.caps.result_max_bytes);
    let request = JobRequest { owner, kind: KIND.to_owned(), label, page_max_bytes };
    let setup = Arc::clone(&kit.setup);
    let begin = move |_: &JobId| Ok(run(Slot::claim(&session)?, setup, typed));
    Ok(kit.jobs.start(request, Box::new(begin)).map_err(jobs::failure)?.id)
}

fn run(slot: Slot, setup: Arc<TerminalSetup>, typed: Typed) -> JobRun {
    let cancelled = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&cancelled);
    // The service polls on a thread that is this job's own, so it may block there.
    let done = async move {
        let sent = slot.send(&setup.caps, &typed, &|| asked.load(Ordering::Relaxed));
        outcome(sent, setup.caps.result_max_bytes)
    };
    JobRun {
        cancel: Box::new(move |_| cancelled.store(true, Ordering::Relaxed)),
        done: Box::pin(done),
        // A screen has no stream to read along; what came up is the output, once it has.
        output: None,
    }
}

fn outcome(sent: Result<Sent, TerminalFault>, max_bytes: usize) -> JobOutcome {
    let sent = match sent {
        Ok(sent) => TerminalSent::from(sent),
        Err(fault) => {
            let is_cancelled = matches!(fault, TerminalFault::Cancelled(_));
            let end = if is_cancelled { JobEnd::Killed } else { JobEnd::Failed };
            return JobOutcome { end, detail: Some(fault.to_string()), output: None };
        }
    };
    let detail = match sent.wait_reason {
        WaitReason::SessionExit => format!("the terminal {}", text::standing(&sent.session_status)),
        reason @ (WaitReason::StdinRead | WaitReason::InferredIdle | WaitReason::Timeout) => {
            format!("wait: {}", reason.name())
        }
    };
    let output = Some(shown(&sent, max_bytes));
    JobOutcome { end: JobEnd::Completed, detail: Some(detail), output }
}
