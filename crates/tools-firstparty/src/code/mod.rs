//! Family `code`: programs that call the other tools.

mod bridge;
mod engine;
mod error;
pub mod log;
mod notes;
mod render;
pub mod run_code;

use crate::catalog::{BuildError, Seams, ToolList};
use crate::config::Config;

/// The tools of this family.
pub(crate) fn list(config: &Config, seams: &Seams, list: &mut ToolList) -> Result<(), BuildError> {
    list.add(run_code::RunCode::new(config, seams)?)?;
    Ok(())
}
