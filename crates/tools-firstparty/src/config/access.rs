//! What the access mode leaves open: further folders, and the network (decisions DF5, DR6).

use std::path::PathBuf;

use super::ConfigError;

/// What tools that change things may reach beyond what the access mode says by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessCaps {
    /// Absolute folders that may be written to under `workspace-write`, besides the workspace root and the
    /// temporary folder: caches of package managers, say.
    pub writable_roots: Vec<PathBuf>,
    /// Whether commands may open network connections. Under `full` they always may.
    pub network: bool,
}

impl Default for AccessCaps {
    fn default() -> Self {
        Self { writable_roots: Vec::new(), network: true }
    }
}

impl AccessCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        match self.writable_roots.iter().find(|folder| !folder.is_absolute()) {
            Some(folder) => Err(ConfigError::RelativeRoot { folder: folder.clone() }),
            None => Ok(()),
        }
    }
}
