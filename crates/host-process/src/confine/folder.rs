//! The private temporary folder of one command.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::clearing::Clearing;
use crate::unique::unique;

/// A folder that only this user may enter. Removed with all that is in it.
#[derive(Debug)]
pub(super) struct PrivateFolder {
    path: PathBuf,
    clearing: Option<Clearing>,
    removed: bool,
}

impl PrivateFolder {
    pub(super) fn new(within: &Path) -> io::Result<Self> {
        let path = within.canonicalize()?.join(format!("command-{}", unique()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path, clearing: None, removed: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, or as much as can be done by `until`; without that, all. Whether it is through: what cannot be
    /// removed stays, with a warning in the trace.
    pub(super) fn remove(&mut self, until: Option<Instant>) -> bool {
        if self.removed {
            return true;
        }
        let mut fault = None;
        if self.clearing.is_none() {
            match Clearing::new(&self.path) {
                Ok(clearing) => self.clearing = Some(clearing),
                Err(error) => fault = Some(error),
            }
        }
        if let Some(clearing) = &mut self.clearing {
            if !clearing.advance(until) {
                return false;
            }
            fault = clearing.fault().map(io::Error::from);
        }
        // The descriptor goes first, for systems on which it holds the folder.
        self.clearing = None;
        self.removed = true;
        if let Err(error) = fs::remove_dir(&self.path) {
            let error = fault.unwrap_or(error);
            tracing::warn!(path = %self.path.display(), %error, "a temporary folder could not be removed");
        }
        true
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        self.remove(None);
    }
}
