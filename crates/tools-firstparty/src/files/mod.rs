//! Family `files`: tools for single files.

mod error;
mod index;
mod lang;
pub mod read;
mod scan;
mod window;

use crate::catalog::{BuildError, Seams, ToolList};
use crate::config::Config;

/// The tools of this family.
pub(crate) fn list(config: &Config, seams: &Seams, list: &mut ToolList) -> Result<(), BuildError> {
    list.add(read::Read::new(seams.fs.clone(), config.read.clone())?)?;
    Ok(())
}
