//! Family `jobs`: the service that holds background jobs, and the tools that show them.

pub(crate) mod error;
pub mod kill;
pub mod list;
pub mod output;
mod rows;
#[cfg(feature = "samples")]
mod samples;
pub mod service;

use std::sync::Arc;

use tool_seams::Jobs;

use crate::catalog::{BuildError, ToolList};
use crate::config::Config;
pub(crate) use error::failure;

/// The tools of this family.
pub(crate) fn list(
    config: &Config,
    jobs: &Arc<dyn Jobs>,
    list: &mut ToolList,
) -> Result<(), BuildError> {
    list.add(output::JobOutput::new(Arc::clone(jobs), config.jobs.clone())?)?;
    list.add(list::JobList::new(Arc::clone(jobs), config.jobs.clone())?)?;
    list.add(kill::JobKill::new(Arc::clone(jobs), config.jobs.clone())?)?;
    Ok(())
}
