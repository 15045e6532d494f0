//! Where full outputs of commands are saved: beside the long results of their session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_registry::SessionId;
use contract_spill::LocalStore;
use tools_firstparty::seam::process::{NoOutputs, OutputStore};

use crate::config::Config;
use crate::policy;

/// The store under the state root; none where there is none, since saving is best effort (contract S2).
pub(crate) fn store(config: &Config, state_root: Option<&Path>) -> Arc<dyn OutputStore> {
    match policy::local(config, state_root) {
        Some(store) => Arc::new(Saved(store)),
        None => Arc::new(NoOutputs),
    }
}

/// The spill store's folders.
#[derive(Debug)]
struct Saved(LocalStore);

impl OutputStore for Saved {
    fn folder(&self, session: Option<&SessionId>) -> Option<PathBuf> {
        let folder = self.0.folder(session);
        folder.inspect_err(|error| tracing::warn!(%error, "full outputs are not saved")).ok()
    }
}
