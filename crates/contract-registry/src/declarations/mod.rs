//! The declarations a program is written against (contract C3).
//!
//! One TypeScript text: rules as comments, what every program finds, and the exact types of every tool.
//! The same set of tools gives the same bytes, in whatever order they were registered: tools stand by
//! name, and a tool's part of the text depends on nothing but its definition.
//!
//! [`declarations`] declares every tool in full. [`declarations_within`] keeps to a size: as many tools in
//! full as fit, a line for each other one. [`describe`] is one tool's part, for `tools.$describe`.

mod fit;
mod fixed;

use std::sync::Arc;

use contract_schema::typescript::doc_comment;

use self::fit::Entry;
pub use self::fit::TooManyTools;
use crate::registry::ToolDefinition;

/// The text for these tools, each in full. Names occur once, as in [`Scope::list`](crate::Scope::list).
#[must_use]
pub fn declarations(tools: &[Arc<ToolDefinition>]) -> String {
    let mut text = fixed::head();
    for tool in by_name(tools) {
        text.push_str(&describe(tool));
        text.push('\n');
    }
    text.push_str(fixed::TOOLS);
    text
}

/// The text for these tools in at most `max_bytes`.
///
/// When not all fit in full, every tool has a line: its name, and the first line of its description as far
/// as there is room. The lines that cost least get their description first, and when all have one, the
/// tools whose full declarations cost least get those; equal costs go by name. That is the greatest number
/// of tools in full that the size allows.
///
/// # Errors
///
/// [`TooManyTools`]: not even the names fit.
pub fn declarations_within(
    tools: &[Arc<ToolDefinition>],
    max_bytes: usize,
) -> Result<String, TooManyTools> {
    let mut entries: Vec<Entry> = by_name(tools).into_iter().map(Entry::of).collect();
    fit::fit(&mut entries, max_bytes)
}

/// One tool in full: the types of its arguments and of its value, and its member of `tools` with its
/// description.
#[must_use]
pub fn describe(tool: &ToolDefinition) -> String {
    tool.declared(&doc_comment(tool.description(), "  "))
}

fn by_name(tools: &[Arc<ToolDefinition>]) -> Vec<&ToolDefinition> {
    let mut tools: Vec<&ToolDefinition> = tools.iter().map(Arc::as_ref).collect();
    tools.retain(|tool| !tool.is_reserved());
    tools.sort_unstable_by_key(|tool| tool.name());
    tools
}
