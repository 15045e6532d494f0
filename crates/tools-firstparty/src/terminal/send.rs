//! `terminal_send`: types into a terminal, and waits until what it runs has reacted.
//!
//! The value is what a person saw come up: the lines since, or the whole screen when a full-screen program
//! has it. At most `read_max_bytes` of it, the end.

use std::sync::Arc;

use contract_registry::{Annotations, CallContext, Ended, SchemaAdjuster, Tool, ToolError};
use contract_schema::{ContentBlock, Meta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::{JobId, JobOwner};

use super::background;
use super::error::TerminalFault;
use super::keys::Key;
use super::ready::WaitReason;
use super::sending::{Sent, Slot, Typed};
use super::session::{Session, TerminalStatus};
use super::text::{self, Keep};
use super::tool::{Kit, TerminalSetup, check_access};
use crate::config::{HostLife, TerminalCaps};
use crate::text::cut;
use crate::text::escape::one_row;

/// Arguments of `terminal_send`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TerminalSendArgs {
    /// The terminal, such as `pty-1`.
    #[schemars(length(min = 1))]
    pub session_id: String,
    /// What to type.
    pub text: Option<String>,
    /// Keys to press after the text, in order.
    #[schemars(length(max = 256))]
    pub keys: Option<Vec<Key>>,
    /// Press enter at the end. Default: true, but false when keys are given. An empty text without enter only
    /// waits and looks.
    pub submit: Option<bool>,
    /// Do not wait: the send becomes a background job.
    pub run_in_background: Option<bool>,
}

/// What came of a send: the id of a background job, or what came up and why the wait was over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TerminalSendValue {
    /// It is waited for in the background.
    Background {
        /// The job.
        job_id: JobId,
    },
    /// It was waited for.
    Foreground(TerminalSent),
}

/// A send that was waited for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalSent {
    /// The lines that came up, or the whole screen of a full-screen program.
    pub viewport: String,
    /// Why the wait was over.
    pub wait_reason: WaitReason,
    /// Whether the terminal still runs.
    pub session_status: TerminalStatus,
    /// The beginning of what came up is not in `viewport`.
    pub truncated: bool,
    /// Bytes that were not typed, because the program did not read them in time; absent when all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub untyped_bytes: Option<u64>,
}

impl From<Sent> for TerminalSent {
    fn from(sent: Sent) -> Self {
        Self {
            viewport: sent.shown.text,
            wait_reason: sent.reason,
            session_status: sent.status,
            truncated: sent.shown.truncated,
            untyped_bytes: u64::try_from(sent.untyped_bytes).ok().filter(|bytes| *bytes > 0),
        }
    }
}

/// The tool `terminal_send`.
#[derive(Clone, Debug)]
pub struct TerminalSend(pub(super) Kit);

impl Tool for TerminalSend {
    const NAME: &'static str = "terminal_send";
    const FAMILY: &'static str = "terminal";
    type Args = TerminalSendArgs;
    type Value = TerminalSendValue;
    type Caps = TerminalSetup;

    fn description(&self) -> String {
        let caps = &self.0.setup.caps;
        format!(
            "Type into a terminal and wait until what it runs wants input again.\n\
             Gives the lines that came up, or the screen of a full-screen program. The wait is over with the \
             shell's prompt or a program that reads (stdin_read), after {} ms without output \
             (inferred_idle), at the end of the terminal (session_exit), or after {} ms (timeout); what runs \
             then runs on. Cancelling presses Ctrl-C.",
            caps.idle_silence_ms, caps.send_timeout_ms,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { destructive: true, open_world: true, ..Annotations::default() }
    }

    fn caps(&self) -> &TerminalSetup {
        &self.0.setup
    }

    async fn run(
        &self,
        args: &TerminalSendArgs,
        cx: &CallContext,
    ) -> Result<TerminalSendValue, ToolError> {
        let typed = typed(&self.0.setup.caps, args)?;
        let mode = cx.access_mode();
        if args.run_in_background.unwrap_or(false) {
            let (kit, owner, id) = (self.0.clone(), JobOwner::of(cx), args.session_id.clone());
            if !kit.setup.caps.run_in_background {
                return Err(TerminalFault::NoBackground.into());
            }
            let session = kit.terminals.get(&owner, &id)?;
            check_access(&session, mode)?;
            let job_id = background::start(&kit, owner, session, typed)?;
            return Ok(TerminalSendValue::Background { job_id });
        }
        let work = move |kit: &Kit, session: Arc<Session>, stop: &dyn Fn() -> bool| {
            check_access(&session, mode)?;
            Slot::claim(&session)?.send(&kit.setup.caps, &typed, stop)
        };
        let sent = self.0.with(cx, &args.session_id, work).await?;
        Ok(TerminalSendValue::Foreground(sent.into()))
    }

    fn render(
        setup: &TerminalSetup,
        _: &TerminalSendArgs,
        value: &TerminalSendValue,
    ) -> Vec<ContentBlock> {
        let max_bytes = setup.caps.result_max_bytes;
        let text = match value {
            TerminalSendValue::Background { job_id } => started(setup.host_life, job_id.as_str()),
            TerminalSendValue::Foreground(sent) => shown(sent, max_bytes),
        };
        vec![ContentBlock::text(cut::to_bytes(&text, max_bytes))]
    }

    fn presentation_meta(
        setup: &TerminalSetup,
        _: &TerminalSendArgs,
        value: &TerminalSendValue,
    ) -> Option<Meta> {
        match value {
            TerminalSendValue::Background { .. } => None,
            TerminalSendValue::Foreground(sent) => Some(meta(&setup.caps, sent)),
        }
    }

    fn finalize_content(&self, ended: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        text::finalized(ended, self.0.setup.caps.result_max_bytes, Keep::Tail)
    }

    fn adjust_schema(&self, schema: &mut SchemaAdjuster<'_>) {
        let caps = &self.0.setup.caps;
        schema.describe("text", format!("What to type, at most {} bytes.", caps.send_max_bytes));
        if !caps.run_in_background {
            schema.drop_optional("run_in_background");
        }
    }
}

/// What the arguments ask to type.
fn typed(caps: &TerminalCaps, args: &TerminalSendArgs) -> Result<Typed, TerminalFault> {
    let keys = args.keys.clone().unwrap_or_default();
    if args.text.is_none() && keys.is_empty() && args.submit != Some(true) {
        let message = "nothing to send: give text or keys";
        return Err(TerminalFault::Argument(message.to_owned()));
    }
    let text = args.text.clone().unwrap_or_default();
    let (found, max) = (text.len(), caps.send_max_bytes);
    if found > max {
        let message = format!("text has {found} bytes, but at most {max} are typed; use a file");
        return Err(TerminalFault::Argument(message));
    }
    let submit = args.submit.unwrap_or(keys.is_empty());
    Ok(Typed { text, keys, submit })
}

/// Text of a send that was waited for.
pub(super) fn shown(sent: &TerminalSent, max_bytes: usize) -> String {
    let mut rows = vec![format!("[wait: {}]", sent.wait_reason.name())];
    if let Some(bytes) = sent.untyped_bytes {
        rows.push(format!("[not typed: the last {bytes} bytes]"));
    }
    rows.push(format!("[session: {}]", text::standing(&sent.session_status)));
    let cut = sent.truncated.then_some("[output truncated: read the rest with terminal_read]");
    text::with_rows(&sent.viewport, "(no new output)", &rows, cut, max_bytes)
}

fn started(host_life: HostLife, id: &str) -> String {
    let id = one_row(id);
    match host_life {
        HostLife::Session => format!(
            "Started background job {id}. See how it goes with terminal_read, what came of it with job_output."
        ),
        HostLife::OneCall => format!(
            "Started background job {id}, which ended with this call: nothing here outlives one."
        ),
    }
}

/// What an interface shows: the same, within a limit of its own.
fn meta(caps: &TerminalCaps, sent: &TerminalSent) -> Meta {
    let kept = cut::last_bytes(&sent.viewport, caps.meta_max_bytes);
    let truncated = sent.truncated || kept.len() < sent.viewport.len();
    Meta::of(&TerminalSent { viewport: kept.to_owned(), truncated, ..sent.clone() })
}

#[cfg(feature = "samples")]
mod samples;
