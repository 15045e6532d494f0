//! Where programs are run from: a keeper of workers, and one future a run.

mod exit;
mod keeper;
mod link;
mod reactor;
mod run;
mod slot;
mod start;
mod story;

use std::io;
use std::sync::Arc;

use self::keeper::Keeper;
pub use self::run::{Run, Stopper};
use crate::config::{Config, ConfigError};
use crate::host::Host;
use crate::program::Program;

/// Runs programs. Dropped, it ends every worker it has, waits until they are gone, and leaves nothing behind.
#[derive(Debug)]
pub struct Runtime {
    keeper: Keeper,
}

/// Why there is no runtime.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// A limit cannot be kept.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The keeper of the workers could not be started.
    #[error("the keeper of the workers cannot be started")]
    Keeper(#[source] io::Error),
}

impl Runtime {
    /// A runtime, with its workers being started.
    ///
    /// # Errors
    ///
    /// [`RuntimeError`] for limits that cannot be kept, or a system that gives no descriptor or thread. That a worker
    /// cannot be started is told by the run that needs it.
    pub fn new(config: Config) -> Result<Self, RuntimeError> {
        config.check()?;
        let keeper = Keeper::start(Arc::new(config)).map_err(RuntimeError::Keeper)?;
        Ok(Self { keeper })
    }

    /// Begins to run a program; it runs on while the future is polled. `host` answers its calls. Dropped, the future
    /// ends the worker; [`Run::stopper`] ends it and keeps what was logged.
    pub fn run<'h>(&self, program: Program, host: &'h dyn Host) -> Run<'h> {
        Run::begin(self.keeper.shared(), program, host)
    }

    /// Workers that run or are ready, for tests and displays.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.keeper.shared().alive()
    }
}
