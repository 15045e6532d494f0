//! Choosing what of each tool is told within a size.

use contract_schema::typescript::{property, remark};
use thiserror::Error;

use super::{describe, fixed};
use crate::registry::ToolDefinition;

/// Longest description of a tool that has a line only, in bytes.
const MAX_REMARK_BYTES: usize = 100;

/// Not even the names of the tools fit into the size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the declarations of {tools} tools take {needed_bytes} bytes at least, and {max_bytes} are allowed"
)]
pub struct TooManyTools {
    /// The tools.
    pub tools: usize,
    /// The size that was given.
    pub max_bytes: usize,
    /// The least that does.
    pub needed_bytes: usize,
}

/// How much is told of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// A line with the name.
    Name,
    /// A line with name and description.
    Line,
    /// The full declaration.
    Full,
}

/// One tool, told in three ways.
#[derive(Debug)]
pub(super) struct Entry {
    name: String,
    line: String,
    full: String,
    level: Level,
}

impl Entry {
    pub(super) fn of(tool: &ToolDefinition) -> Self {
        let name = format!("  {}: Undeclared;", property(tool.name()));
        let line = match remark(tool.description(), MAX_REMARK_BYTES) {
            remark if remark.is_empty() => format!("{name}\n"),
            remark => format!("{name} // {remark}\n"),
        };
        Self { name: name + "\n", line, full: describe(tool) + "\n", level: Level::Full }
    }

    fn at(&self, level: Level) -> &str {
        match level {
            Level::Name => &self.name,
            Level::Line => &self.line,
            Level::Full => &self.full,
        }
    }
}

/// The text, with as much of each tool as the size allows. `entries` are in the order of their names.
pub(super) fn fit(entries: &mut [Entry], max_bytes: usize) -> Result<String, TooManyTools> {
    let fixed = fixed::head().len() + fixed::TOOLS.len();
    let full = fixed + total(entries, Level::Full);
    if full > max_bytes {
        let index = fixed::INDEX.len() + fixed::INDEX_END.len();
        let least = fixed + index + total(entries, Level::Name);
        let Some(mut left) = max_bytes.checked_sub(least) else {
            let needed_bytes = least.min(full);
            return Err(TooManyTools { tools: entries.len(), max_bytes, needed_bytes });
        };
        for entry in &mut *entries {
            entry.level = Level::Name;
        }
        if raise(entries, Level::Line, &mut left) {
            raise(entries, Level::Full, &mut left);
        }
    }
    Ok(text(entries))
}

fn total(entries: &[Entry], level: Level) -> usize {
    entries.iter().map(|entry| entry.at(level).len()).sum()
}

/// Raises the cheapest entries for as long as there is room; whether all were.
fn raise(entries: &mut [Entry], to: Level, left: &mut usize) -> bool {
    let cost = |entry: &Entry| entry.at(to).len().saturating_sub(entry.at(entry.level).len());
    let mut order: Vec<(usize, usize)> = entries.iter().map(cost).zip(0..).collect();
    order.sort_unstable();
    for (cost, at) in order {
        match left.checked_sub(cost) {
            Some(rest) => *left = rest,
            None => return false,
        }
        entries[at].level = to;
    }
    true
}

fn text(entries: &[Entry]) -> String {
    let mut text = fixed::head();
    let (full, index): (Vec<_>, Vec<_>) =
        entries.iter().partition(|entry| entry.level == Level::Full);
    text.extend(full.iter().map(|entry| entry.full.as_str()));
    if !index.is_empty() {
        text.push_str(fixed::INDEX);
        text.extend(index.iter().map(|entry| entry.at(entry.level)));
        text.push_str(fixed::INDEX_END);
    }
    text.push_str(fixed::TOOLS);
    text
}
