//! The runtime of programs: the host's own, or one that is made when the first program comes.

use std::sync::{Arc, Mutex, PoisonError};

use code_runtime::{Config, Runtime, RuntimeError};

/// Gives the runtime. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    config: Config,
    runtime: Arc<Mutex<Option<Arc<Runtime>>>>,
}

impl Engine {
    /// `given`, if there is one, else one of this configuration.
    pub(super) fn new(config: Config, given: Option<Arc<Runtime>>) -> Self {
        Self { config, runtime: Arc::new(Mutex::new(given)) }
    }

    /// The runtime; the first caller waits for its threads to be started.
    pub(super) fn runtime(&self) -> Result<Arc<Runtime>, RuntimeError> {
        let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &*runtime {
            return Ok(Arc::clone(runtime));
        }
        let made = Arc::new(Runtime::new(self.config.clone())?);
        Ok(Arc::clone(runtime.insert(made)))
    }
}
