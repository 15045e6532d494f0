//! The list of first-party tools: one line for each family.

use std::sync::Arc;

use contract_registry::{DynTool, RegisterError, TypedTool};
use tool_seams::Jobs;

use crate::config::{Config, ConfigError};
use crate::jobs::service::JobService;
use crate::seam::fs::{Disk, FileSystem};
use crate::seam::process::OutputStore;
use crate::seam::publish::{DiskPublisher, Publisher};
use crate::terminal::service::Terminals;
use crate::{code, files, jobs, search, shell, terminal};

/// What the tools reach the outside with.
#[derive(Clone, Debug)]
pub struct Seams {
    /// Single files.
    pub fs: Arc<dyn FileSystem>,
    /// Changes to single files.
    pub publisher: Arc<dyn Publisher>,
    /// Background jobs; without one, the tools share a service of their own, which ends its jobs with them.
    pub jobs: Option<Arc<dyn Jobs>>,
    /// Where full outputs of commands are saved; without one, in a folder that goes with the tools, or nowhere
    /// on a host that ends with the call.
    pub outputs: Option<Arc<dyn OutputStore>>,
    /// Terminals; without them, the tools share some of their own, which end with them.
    pub terminals: Option<Terminals>,
    /// What runs programs; without it, a runtime that starts with the first program and ends with the tools.
    pub code: Option<Arc<code_runtime::Runtime>>,
}

impl Default for Seams {
    fn default() -> Self {
        Self {
            fs: Arc::new(Disk),
            publisher: Arc::new(DiskPublisher),
            jobs: None,
            outputs: None,
            terminals: None,
            code: None,
        }
    }
}

/// Builds all first-party tools.
///
/// # Errors
/// The first limit that cannot work, or the first tool whose declaration is refused.
pub fn tools(config: &Config, seams: &Seams) -> Result<ToolList, BuildError> {
    config.validate()?;
    let mut list = ToolList::default();
    let jobs = match &seams.jobs {
        Some(jobs) => Arc::clone(jobs),
        None => Arc::new(JobService::new(config.jobs.clone())?),
    };
    files::list(config, seams, &mut list)?;
    search::list(config, seams, &mut list)?;
    jobs::list(config, &jobs, &mut list)?;
    shell::list(config, seams, &jobs, &mut list)?;
    terminal::list(config, seams, &jobs, &mut list)?;
    code::list(config, seams, &mut list)?;
    Ok(list)
}

/// Tools, in the order of their families.
#[derive(Default)]
pub struct ToolList {
    tools: Vec<Arc<dyn DynTool>>,
    #[cfg(feature = "samples")]
    sampled: Vec<contract_registry::samples::SampledTool>,
}

/// What a tool must be to stand in the list: with the feature `samples`, one that knows examples of itself.
#[cfg(feature = "samples")]
pub(crate) trait Listed: contract_registry::samples::ToolSamples + Clone {}
#[cfg(feature = "samples")]
impl<T: contract_registry::samples::ToolSamples + Clone> Listed for T {}

/// What a tool must be to stand in the list: with the feature `samples`, one that knows examples of itself.
#[cfg(not(feature = "samples"))]
pub(crate) trait Listed: contract_registry::Tool + Clone {}
#[cfg(not(feature = "samples"))]
impl<T: contract_registry::Tool + Clone> Listed for T {}

impl ToolList {
    /// The tools, ready for [`Registry::register_dyn`](contract_registry::Registry::register_dyn).
    #[must_use]
    pub fn into_tools(self) -> Vec<Arc<dyn DynTool>> {
        self.tools
    }

    /// The tools with their samples, for sheets and catalogue checks.
    #[cfg(feature = "samples")]
    #[must_use]
    pub fn into_sampled(self) -> Vec<contract_registry::samples::SampledTool> {
        self.sampled
    }

    pub(crate) fn add<T: Listed>(&mut self, tool: T) -> Result<(), BuildError> {
        #[cfg(feature = "samples")]
        self.sampled.push(contract_registry::samples::SampledTool::new(tool.clone())?);
        self.tools.push(Arc::new(TypedTool::new(tool)?));
        Ok(())
    }
}

impl std::fmt::Debug for ToolList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.tools.iter().map(|tool| tool.definition().name().to_owned());
        f.debug_list().entries(names).finish()
    }
}

/// Why the tools cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A limit cannot work.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The declaration of a tool is refused.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// A sample is not lossless JSON.
    #[cfg(feature = "samples")]
    #[error(transparent)]
    Sample(#[from] contract_registry::samples::SampleError),
}
