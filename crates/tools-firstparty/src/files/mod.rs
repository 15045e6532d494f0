//! Family `files`: tools for single files.

mod change;
mod change_error;
mod diff;
pub mod edit;
mod error;
mod hint;
mod index;
mod lang;
pub mod observe;
pub mod read;
mod replace;
mod scan;
mod window;
pub mod write;

use crate::catalog::{BuildError, Seams, ToolList};
use crate::config::Config;

/// The tools of this family.
pub(crate) fn list(config: &Config, seams: &Seams, list: &mut ToolList) -> Result<(), BuildError> {
    list.add(read::Read::new(seams.fs.clone(), config.read.clone())?)?;
    list.add(write::Write::new(seams, config.access.clone(), config.write.clone())?)?;
    list.add(edit::Edit::new(seams, config.access.clone(), config.edit.clone())?)?;
    Ok(())
}
