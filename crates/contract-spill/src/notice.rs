//! What a model is told below a preview: that the call ended, where the rest is and how to page it.

use crate::store::Plan;

/// How the call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Succeeded,
    Failed,
}

impl Ending {
    pub(crate) fn of(is_error: bool) -> Self {
        if is_error { Self::Failed } else { Self::Succeeded }
    }
}

/// The notice for a text that was saved whole.
pub(crate) fn saved(ending: Ending, bytes: u64, plan: &Plan) -> String {
    let ended = match ending {
        Ending::Succeeded => "The call returned. Its result is too long to show",
        Ending::Failed => "The call failed. What it reports is too long to show",
    };
    placed(&format!("{ended}; all {bytes} bytes are in"), plan)
}

/// The notice for a tool's own page: what it stands for was saved before (contract S3).
pub(crate) fn page(bytes: u64, plan: &Plan) -> String {
    let what = "The call returned. This page of its result is too long to show";
    placed(&format!("{what} ({bytes} bytes); the whole result is in"), plan)
}

/// The place stands on a row of its own, so that nothing is glued to it.
fn placed(what: &str, plan: &Plan) -> String {
    format!("({what}\n{}\n{})", plan.locator(), plan.hint())
}
