//! Family `shell`: commands.

mod abort;
mod background;
pub mod bash;
mod error;
mod meta;
mod rows;
pub mod sandbox;
pub(crate) mod signal;
pub mod value;

use std::sync::Arc;

use tool_seams::Jobs;

use crate::catalog::{BuildError, Seams, ToolList};
use crate::config::Config;

/// The tools of this family.
pub(crate) fn list(
    config: &Config,
    seams: &Seams,
    jobs: &Arc<dyn Jobs>,
    list: &mut ToolList,
) -> Result<(), BuildError> {
    list.add(bash::Bash::new(config, seams, Arc::clone(jobs))?)?;
    Ok(())
}
