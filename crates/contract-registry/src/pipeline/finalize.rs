//! Stage 8: the tool's own last word on content. It cannot fail the call (contract P13).

use crate::contain::contained;
use crate::erased::DynTool;
use crate::outcome::Outcome;
use crate::tool::Ended;

pub(super) fn run(tool: &dyn DynTool, outcome: &mut Outcome) {
    let _stage = tracing::debug_span!("finalize").entered();
    match contained(|| tool.finalize_content(&Ended(outcome))) {
        Ok(Some(blocks)) => outcome.set_content(blocks),
        Ok(None) => {}
        Err(panic) => {
            tracing::warn!(tool = tool.definition().name(), panic, "finalize_content panicked");
        }
    }
}
