//! `terminal_signal`: a signal for what runs in front.

use std::sync::Arc;

use contract_registry::{Annotations, CallContext, Ended, Tool, ToolError};
use contract_schema::ContentBlock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::TerminalFault;
use super::session::{Session, TerminalStatus};
use super::text::{self, Keep};
use super::tool::{Kit, TerminalSetup, check_access};
use crate::seam::terminal::{PtyError, TerminalSignal};
use crate::text::escape::one_row;

/// Arguments of `terminal_signal`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TerminalSignalArgs {
    /// The terminal, such as `pty-1`.
    #[schemars(length(min = 1))]
    pub session_id: String,
    /// The signal.
    pub signal: TerminalSignal,
}

/// Whether there was anything to signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalSignalValue {
    /// False when the terminal had ended.
    pub delivered: bool,
    /// The process group that was signalled; absent when none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub target_pgid: Option<i32>,
    /// How the terminal stood right after.
    pub session_status: TerminalStatus,
}

/// The tool `terminal_signal`.
#[derive(Clone, Debug)]
pub struct TerminalSignalTool(pub(super) Kit);

impl Tool for TerminalSignalTool {
    const NAME: &'static str = "terminal_signal";
    const FAMILY: &'static str = "terminal";
    type Args = TerminalSignalArgs;
    type Value = TerminalSignalValue;
    type Caps = TerminalSetup;

    fn description(&self) -> String {
        "Signal the program in front of a terminal: the one that reads what is typed, or the shell.\n\
         It does not wait for what comes of it. With the shell itself in front, SIGKILL is refused, SIGHUP ends \
         it, and at its prompt it takes no notice of SIGTERM; to end it use terminal_close."
            .to_owned()
    }

    fn annotations(&self) -> Annotations {
        Annotations { destructive: true, ..Annotations::default() }
    }

    fn caps(&self) -> &TerminalSetup {
        &self.0.setup
    }

    async fn run(
        &self,
        args: &TerminalSignalArgs,
        cx: &CallContext,
    ) -> Result<TerminalSignalValue, ToolError> {
        let (signal, mode) = (args.signal, cx.access_mode());
        let work = move |_: &Kit, session: Arc<Session>, _: &dyn Fn() -> bool| {
            check_access(&session, mode)?;
            deliver(&session, signal)
        };
        self.0.with(cx, &args.session_id, work).await
    }

    fn render(
        _: &TerminalSetup,
        args: &TerminalSignalArgs,
        value: &TerminalSignalValue,
    ) -> Vec<ContentBlock> {
        let signal = args.signal;
        let id = one_row(&args.session_id);
        let text = match value.target_pgid.filter(|_| value.delivered) {
            Some(group) => format!("Sent {signal} to process group {group} of {id}"),
            None => format!("{signal} not sent: {id} {}", text::standing(&value.session_status)),
        };
        vec![ContentBlock::text(text)]
    }

    fn finalize_content(&self, ended: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        text::finalized(ended, self.0.setup.caps.result_max_bytes, Keep::Head)
    }
}

fn deliver(
    session: &Session,
    signal: TerminalSignal,
) -> Result<TerminalSignalValue, TerminalFault> {
    let value = |target_pgid: Option<i32>| TerminalSignalValue {
        delivered: target_pgid.is_some(),
        target_pgid,
        session_status: session.status(),
    };
    if session.pty.exit().is_some() {
        return Ok(value(None));
    }
    if session.shared.state().is_closing {
        return Err(TerminalFault::Closing(session.id()));
    }
    let in_front = session.pty.foreground();
    if signal == TerminalSignal::SigKill && in_front == Some(session.pty.pid()) {
        return Err(TerminalFault::ShellInFront { signal });
    }
    match session.pty.signal_foreground(signal) {
        Ok(group) => Ok(value(Some(group))),
        Err(PtyError::Ended) => Ok(value(None)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(feature = "samples")]
mod samples;
