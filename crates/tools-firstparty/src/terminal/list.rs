//! `terminal_list`: the caller's terminals.

use contract_registry::{Annotations, CallContext, Ended, Tool, ToolError};
use contract_schema::ContentBlock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::JobOwner;

use super::text::{self, Keep};
use super::tool::{Kit, TerminalSetup, TerminalSnapshot};

/// Arguments of `terminal_list`: none.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TerminalListArgs {}

/// Terminals, in the order in which they were opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TerminalListValue(pub Vec<TerminalSnapshot>);

/// The tool `terminal_list`.
#[derive(Clone, Debug)]
pub struct TerminalList(pub(super) Kit);

impl Tool for TerminalList {
    const NAME: &'static str = "terminal_list";
    const FAMILY: &'static str = "terminal";
    type Args = TerminalListArgs;
    type Value = TerminalListValue;
    type Caps = TerminalSetup;

    fn description(&self) -> String {
        "List your terminals and whether they still run.".to_owned()
    }

    fn annotations(&self) -> Annotations {
        Annotations { read_only: true, idempotent: true, ..Annotations::default() }
    }

    fn caps(&self) -> &TerminalSetup {
        &self.0.setup
    }

    async fn run(
        &self,
        _: &TerminalListArgs,
        cx: &CallContext,
    ) -> Result<TerminalListValue, ToolError> {
        let sessions = self.0.terminals.list(&JobOwner::of(cx));
        let snapshots = sessions.iter().map(|session| TerminalSnapshot::of(session));
        Ok(TerminalListValue(snapshots.collect()))
    }

    fn render(
        _: &TerminalSetup,
        _: &TerminalListArgs,
        value: &TerminalListValue,
    ) -> Vec<ContentBlock> {
        let rows: Vec<String> = value.0.iter().map(TerminalSnapshot::row).collect();
        let text = if rows.is_empty() { "(no terminals)".to_owned() } else { rows.join("\n") };
        vec![ContentBlock::text(text)]
    }

    fn finalize_content(&self, ended: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        text::finalized(ended, self.0.setup.caps.result_max_bytes, Keep::Head)
    }
}

#[cfg(feature = "samples")]
mod samples;
