//! Family `search`: finding files and lines.

mod error;
pub mod glob;
pub mod grep;
mod grep_meta;
mod grep_page;
mod grep_query;
pub mod incomplete;
pub mod matches;
mod page;
pub(crate) mod pattern;
mod sample_page;
mod target;

use crate::catalog::{BuildError, Seams, ToolList};
use crate::config::Config;

/// The tools of this family.
pub(crate) fn list(config: &Config, seams: &Seams, list: &mut ToolList) -> Result<(), BuildError> {
    list.add(glob::Glob::new(seams.fs.clone(), config.glob.clone())?)?;
    list.add(grep::Grep::new(seams.fs.clone(), config.grep.clone())?)?;
    Ok(())
}
