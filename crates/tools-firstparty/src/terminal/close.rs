//! `terminal_close`: ends a terminal with all that runs in it.

use contract_registry::{Annotations, CallContext, Ended, Tool, ToolError};
use contract_schema::ContentBlock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::JobOwner;

use super::service::Closing;
use super::text::{self, Keep};
use super::tool::{Kit, TerminalSetup};
use crate::text::escape::one_row;

/// Arguments of `terminal_close`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TerminalCloseArgs {
    /// The terminal, such as `pty-1`.
    #[schemars(length(min = 1))]
    pub session_id: String,
}

/// What came of closing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalCloseValue {
    /// The terminal.
    pub session_id: String,
    /// Whether this call closed it.
    pub outcome: CloseOutcome,
}

/// Whether a call closed a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CloseOutcome {
    /// It did.
    Closed,
    /// Another call was closing it, or had closed it; it is gone all the same.
    AlreadyClosing,
}

/// The tool `terminal_close`.
#[derive(Clone, Debug)]
pub struct TerminalClose(pub(super) Kit);

impl Tool for TerminalClose {
    const NAME: &'static str = "terminal_close";
    const FAMILY: &'static str = "terminal";
    type Args = TerminalCloseArgs;
    type Value = TerminalCloseValue;
    type Caps = TerminalSetup;

    fn description(&self) -> String {
        format!(
            "Close a terminal and end all that runs in it.\n\
             Programs are told to end and killed after {} ms. Closing it again does no harm.",
            self.0.setup.caps.close_grace_ms,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { destructive: true, idempotent: true, ..Annotations::default() }
    }

    fn caps(&self) -> &TerminalSetup {
        &self.0.setup
    }

    async fn run(
        &self,
        args: &TerminalCloseArgs,
        cx: &CallContext,
    ) -> Result<TerminalCloseValue, ToolError> {
        let Kit { terminals, setup, .. } = self.0.clone();
        let (owner, id) = (JobOwner::of(cx), args.session_id.clone());
        let close = move |cancel: &contract_registry::CancelFlag| {
            terminals.close(&setup.caps, &owner, &id, &|| cancel.is_cancelled())
        };
        let outcome = match cx.blocking(close).await?? {
            Closing::Closed => CloseOutcome::Closed,
            Closing::Already => CloseOutcome::AlreadyClosing,
        };
        Ok(TerminalCloseValue { session_id: args.session_id.clone(), outcome })
    }

    fn render(
        _: &TerminalSetup,
        _: &TerminalCloseArgs,
        value: &TerminalCloseValue,
    ) -> Vec<ContentBlock> {
        let id = one_row(&value.session_id);
        let text = match value.outcome {
            CloseOutcome::Closed => format!("Closed {id}"),
            CloseOutcome::AlreadyClosing => format!("{id} was being closed already, and is gone"),
        };
        vec![ContentBlock::text(text)]
    }

    fn finalize_content(&self, ended: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        text::finalized(ended, self.0.setup.caps.result_max_bytes, Keep::Head)
    }
}

#[cfg(feature = "samples")]
mod samples;
