//! The private temporary folder of one command.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::unique::unique;

/// A folder that only this user may enter. Removed with all that is in it.
#[derive(Debug)]
pub(super) struct PrivateFolder {
    path: PathBuf,
}

impl PrivateFolder {
    pub(super) fn new(within: &Path) -> io::Result<Self> {
        let path = within.canonicalize()?.join(format!("command-{}", unique()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.path).is_err() {
            // The command may have taken rights from its own folders. What had a hand in it is gone by now.
            open_up(&self.path);
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    let Ok(entries) = fs::read_dir(folder) else { return };
    // The type of the entry itself: no link is followed.
    let inner = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|is| is.is_dir()));
    for entry in inner {
        open_up(&entry.path());
    }
}
