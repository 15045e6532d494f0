//! Family `terminal`: shells that live on between calls, with a screen (decisions DR3).

mod background;
pub mod close;
mod error;
pub mod keys;
pub mod list;
pub mod open;
mod prompt;
pub mod read;
pub mod ready;
#[cfg(feature = "samples")]
mod samples;
pub mod sandbox;
mod screen;
pub mod send;
mod sending;
pub mod service;
pub mod session;
pub mod signal;
mod text;
pub mod tool;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tool_seams::Jobs;

use crate::catalog::{BuildError, Seams, ToolList};
use crate::config::Config;
use tool::Kit;

/// The tools of this family.
pub(crate) fn list(
    config: &Config,
    seams: &Seams,
    jobs: &Arc<dyn Jobs>,
    list: &mut ToolList,
) -> Result<(), BuildError> {
    let terminals = seams.terminals.clone().unwrap_or_default();
    let kit = Kit::new(config, terminals, Arc::clone(jobs))?;
    list.add(open::TerminalOpen(kit.clone()))?;
    list.add(list::TerminalList(kit.clone()))?;
    list.add(send::TerminalSend(kit.clone()))?;
    list.add(read::TerminalRead(kit.clone()))?;
    list.add(signal::TerminalSignalTool(kit.clone()))?;
    list.add(close::TerminalClose(kit))?;
    Ok(())
}
