//! `terminal_read`: a page of what a terminal showed, and the screen of a full-screen program.
//!
//! Lines are counted back from the newest. A page is at most `read_max_bytes`; of one that is longer, the
//! newest lines are kept.

use std::sync::Arc;

use contract_registry::{Annotations, CallContext, Ended, SchemaAdjuster, Tool, ToolError};
use contract_schema::ContentBlock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::session::Session;
use super::text::{self, Keep};
use super::tool::{Kit, TerminalSetup};
use crate::text::cut;

/// Arguments of `terminal_read`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TerminalReadArgs {
    /// The terminal, such as `pty-1`.
    #[schemars(length(min = 1))]
    pub session_id: String,
    /// How many of the newest lines to leave out. Default 0.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub offset: Option<u64>,
    /// How many lines to read.
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub count: Option<u64>,
}

/// A page of lines; positions are counted back from the newest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalReadValue {
    /// The lines, oldest first.
    pub text: String,
    /// Lines kept in all.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub total_lines: u64,
    /// The newest line of the page; 0 is the newest of all.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub line_begin: u64,
    /// The line after the oldest of the page.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub line_end: u64,
    /// The page is cut, or older lines than its oldest are gone.
    pub truncated: bool,
    /// The screen of a full-screen program; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<String>,
}

/// The tool `terminal_read`.
#[derive(Clone, Debug)]
pub struct TerminalRead(pub(super) Kit);

impl Tool for TerminalRead {
    const NAME: &'static str = "terminal_read";
    const FAMILY: &'static str = "terminal";
    type Args = TerminalReadArgs;
    type Value = TerminalReadValue;
    type Caps = TerminalSetup;

    fn description(&self) -> String {
        "Read what a terminal shows, or showed before, without typing.\n\
         Without offset and count, a full-screen program's screen as it is now; else lines, counted back \
         from the newest. Reading takes nothing away."
            .to_owned()
    }

    fn annotations(&self) -> Annotations {
        Annotations { read_only: true, ..Annotations::default() }
    }

    fn caps(&self) -> &TerminalSetup {
        &self.0.setup
    }

    async fn run(
        &self,
        args: &TerminalReadArgs,
        cx: &CallContext,
    ) -> Result<TerminalReadValue, ToolError> {
        let args = args.clone();
        let id = args.session_id.clone();
        let read = move |kit: &Kit, session: Arc<Session>, _: &dyn Fn() -> bool| {
            let caps = &kit.setup.caps;
            let offset = as_lines(args.offset.unwrap_or(0));
            let count = as_lines(args.count.unwrap_or(caps.read_default_lines));
            let state = session.shared.state();
            let page = state.screen.page(offset, count, caps.read_max_bytes);
            let screen = state.screen.full_screen();
            drop(state);
            let screen = screen.map(|rows| cut::last_bytes(&rows, caps.read_max_bytes).to_owned());
            let count = |lines: usize| u64::try_from(lines).unwrap_or(u64::MAX);
            Ok(TerminalReadValue {
                text: page.shown.text,
                total_lines: count(page.total),
                line_begin: count(page.begin),
                line_end: count(page.end),
                truncated: page.shown.truncated,
                screen,
            })
        };
        self.0.with(cx, &id, read).await
    }

    fn render(
        setup: &TerminalSetup,
        args: &TerminalReadArgs,
        value: &TerminalReadValue,
    ) -> Vec<ContentBlock> {
        vec![ContentBlock::text(page(args, value, setup.caps.result_max_bytes))]
    }

    fn finalize_content(&self, ended: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        text::finalized(ended, self.0.setup.caps.result_max_bytes, Keep::Tail)
    }

    fn adjust_schema(&self, schema: &mut SchemaAdjuster<'_>) {
        let default = self.0.setup.caps.read_default_lines;
        schema.describe("count", format!("How many lines to read. Default {default}."));
    }
}

/// More lines than memory holds are all of them.
fn as_lines(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn page(args: &TerminalReadArgs, value: &TerminalReadValue, max_bytes: usize) -> String {
    let total = value.total_lines;
    if let Some(screen) = &value.screen
        && args.offset.is_none()
        && args.count.is_none()
    {
        let rows = [format!(
            "[screen of a full-screen program; lines kept from before it: {total}, read them with offset]"
        )];
        return text::with_rows(screen, "(an empty screen)", &rows, None, max_bytes);
    }
    let rows = [format!(
        "[lines: {}-{} of {total}, counted back from the newest]",
        value.line_begin, value.line_end
    )];
    let nothing = if value.line_begin == value.line_end { "(no lines)" } else { "" };
    let cut = value.truncated.then(|| missing(value));
    text::with_rows(&value.text, nothing, &rows, cut.as_deref(), max_bytes)
}

/// What a page lacks. Its oldest line may have lost its beginning, so reading on begins with it again.
fn missing(value: &TerminalReadValue) -> String {
    if value.line_end == value.total_lines {
        return "[output truncated: what came before is no longer kept, or did not fit]".to_owned();
    }
    let next = value.line_end.saturating_sub(1).max(value.line_begin.saturating_add(1));
    format!("[output truncated: read older lines with offset {next}]")
}

#[cfg(feature = "samples")]
mod samples;
