//! What may be changed: the access mode, judged on the folder that will be written through (decisions DF5,
//! DR6).

use std::path::{Path, PathBuf};

use contract_registry::AccessMode;
use rustix::fd::OwnedFd;

use super::PublishError;
use super::folders::FolderId;
use super::way::{self, Way};
use crate::config::AccessCaps;

/// Folders that one search for an open parent goes up; deeper than a path can be.
const PARENTS_MAX: usize = 4_096;

/// Where changes are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    mode: AccessMode,
    /// Folders that are open under `workspace-write`.
    roots: Vec<PathBuf>,
}

impl Reach {
    /// What the mode leaves open: everything, nothing, or the workspace root, the temporary folder and what
    /// the configuration adds.
    #[must_use]
    pub fn new(mode: AccessMode, workspace_root: &Path, access: &AccessCaps) -> Self {
        let mut roots = vec![workspace_root.to_owned(), std::env::temp_dir()];
        roots.extend(access.writable_roots.iter().cloned());
        Self::over(mode, roots)
    }

    /// The same with exactly these folders open under `workspace-write`.
    #[must_use]
    pub fn over(mode: AccessMode, roots: Vec<PathBuf>) -> Self {
        Self { mode, roots }
    }

    /// Refuses what no path could make allowed.
    pub(super) fn check_mode(&self, path: &Path) -> Result<(), PublishError> {
        match self.mode {
            AccessMode::ReadOnly => Err(self.denied(path)),
            AccessMode::WorkspaceWrite | AccessMode::Full => Ok(()),
        }
    }

    /// Refuses a way whose last folder is neither an open one nor below one.
    pub(super) fn check(&self, way: &Way) -> Result<(), PublishError> {
        self.check_mode(&way.real)?;
        if self.mode == AccessMode::Full || self.holds(&way.folder)? {
            return Ok(());
        }
        Err(self.denied(&way.real))
    }

    fn holds(&self, folder: &OwnedFd) -> Result<bool, PublishError> {
        // Asked for anew each time: a root can be made or replaced while the session runs.
        let roots: Vec<FolderId> =
            self.roots.iter().filter_map(|root| FolderId::at(root)).collect();
        let mut at = FolderId::of(folder)?;
        let mut above = way::parent(folder)?;
        for _ in 0..PARENTS_MAX {
            if roots.contains(&at) {
                return Ok(true);
            }
            let next = FolderId::of(&above)?;
            if next == at {
                return Ok(false);
            }
            at = next;
            above = way::parent(&above)?;
        }
        Ok(false)
    }

    fn denied(&self, path: &Path) -> PublishError {
        PublishError::Denied { mode: self.mode, real: path.to_owned() }
    }
}
