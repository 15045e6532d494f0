//! Folders by descriptor: which one it is, and those that are made on the way to a new file.

use std::ffi::OsString;
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::PublishError;
use super::way::Way;

/// Which folder it is, whatever its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FolderId {
    device: u64,
    inode: u64,
}

impl FolderId {
    pub(super) fn of(folder: &OwnedFd) -> Result<Self, PublishError> {
        Ok(Self::from(&rustix::fs::fstat(folder)?))
    }

    /// The folder at a path, links followed, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        rustix::fs::stat(path).ok().as_ref().map(Self::from)
    }
}

impl From<&Stat> for FolderId {
    fn from(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// Opens for listing, locking and syncing what so far was only stood on; `None` when the folder may be
/// passed and written to but not read.
pub(super) fn open(folder: &OwnedFd) -> Result<Option<OwnedFd>, PublishError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match rustix::fs::openat(folder, ".", flags, Mode::empty()) {
        Ok(opened) => Ok(Some(opened)),
        Err(Errno::ACCESS) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// Syncs a folder. Not every file system can, and it is no loss there.
pub(super) fn sync(folder: &OwnedFd) -> Result<(), Errno> {
    match rustix::fs::fsync(folder) {
        Err(Errno::INVAL | Errno::ROFS | Errno::OPNOTSUPP | Errno::BADF) => Ok(()),
        synced => synced,
    }
}

/// Folders made for a file that is still to come; removed again if it does not.
#[derive(Debug, Default)]
pub(super) struct MadeFolders {
    made: Vec<(OwnedFd, OsString)>,
}

impl MadeFolders {
    /// Makes what is missing on the way, and moves the way to the last of it.
    pub(super) fn make(&mut self, way: &mut Way) -> Result<(), PublishError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for name in std::mem::take(&mut way.missing) {
            let made = rustix::fs::mkdirat(&way.folder, &*name, Mode::from_raw_mode(0o777));
            match made {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(Errno::NOENT) => return Err(PublishError::Changed),
                Err(errno) => return Err(errno.into()),
            }
            let inner = rustix::fs::openat(&way.folder, &*name, flags, Mode::empty());
            let outer = match inner {
                Ok(inner) => std::mem::replace(&mut way.folder, inner),
                // Something else has come there, or it is gone again: the way is to be found anew.
                Err(Errno::LOOP | Errno::NOTDIR | Errno::NOENT) => {
                    return Err(PublishError::Changed);
                }
                Err(errno) => return Err(errno.into()),
            };
            if made.is_ok() {
                self.made.push((outer, name));
            }
        }
        Ok(())
    }

    /// Keeps the folders, and syncs those they are in.
    pub(super) fn keep(&mut self) -> Result<(), Errno> {
        for (outer, _) in std::mem::take(&mut self.made) {
            if let Ok(Some(outer)) = open(&outer) {
                sync(&outer)?;
            }
        }
        Ok(())
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for (outer, name) in self.made.drain(..).rev() {
            // A folder that someone else uses by now is not empty, and stays.
            let _ = rustix::fs::unlinkat(&outer, &*name, AtFlags::REMOVEDIR);
        }
    }
}
