//! Directories private to the user, reached by descriptor: names in them are never followed through
//! links.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::error::SessionError;

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::RDONLY);

/// An open directory.
#[derive(Debug)]
pub(crate) struct Dir {
    file: File,
    path: PathBuf,
}

impl Dir {
    /// Opens the state root, made if it is not there. It may be reached through links: the user put
    /// them there.
    pub(crate) fn root(path: &Path) -> Result<Self, SessionError> {
        let mut builder = DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(path);
        made.map_err(SessionError::io("create the directory", path))?;
        let opened = rustix::fs::openat(CWD, path, DIRECTORY, Mode::empty());
        let file = File::from(opened.map_err(SessionError::io("open the directory", path))?);
        Ok(Self { file, path: path.to_owned() })
    }

    /// Where it is, as it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the directory `name` in it; `None` when there is none.
    pub(crate) fn child(&self, name: &str) -> Result<Option<Self>, SessionError> {
        let path = self.path.join(name);
        match rustix::fs::openat(&self.file, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(opened) => Ok(Some(Self { file: opened.into(), path })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(SessionError::io("open the directory", path)(error)),
        }
    }

    /// Whether the directory `name` in it is `child`, and not another one or none by now.
    pub(crate) fn holds(&self, name: &str, child: &Self) -> Result<bool, SessionError> {
        let fault = || SessionError::io("look up", child.path.as_path());
        let opened = rustix::fs::fstat(&child.file).map_err(fault())?;
        match rustix::fs::statat(&self.file, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) => Ok((named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(fault()(error)),
        }
    }

    /// Makes the directory `name` in it, for the user alone; whether it was not there before.
    pub(crate) fn make_child(&self, name: &str) -> Result<bool, SessionError> {
        match rustix::fs::mkdirat(&self.file, name, Mode::RWXU) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => {
                Err(SessionError::io("create the directory", self.path.join(name))(error))
            }
        }
    }

    /// Refuses a directory of another user, and shuts others out of ours.
    pub(crate) fn make_private(&self) -> Result<(), SessionError> {
        const ACTION: &str = "keep private";
        let stat = rustix::fs::fstat(&self.file).map_err(SessionError::io(ACTION, &self.path))?;
        let user = rustix::process::geteuid();
        if stat.st_uid != user.as_raw() && !user.is_root() {
            let source = io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the directory belongs to another user",
            );
            return Err(SessionError::io(ACTION, &self.path)(source));
        }
        if !Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO) {
            return Ok(());
        }
        rustix::fs::fchmod(&self.file, Mode::RWXU).map_err(SessionError::io(ACTION, &self.path))
    }

    /// Opens the regular file `name` in it; a file that this makes is for the user alone.
    pub(crate) fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        // NONBLOCK: a FIFO under that name must not hold us up.
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let opened = rustix::fs::openat(&self.file, name, flags, Mode::RUSR | Mode::WUSR)?;
        let stat = rustix::fs::fstat(&opened)?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
            Ok(opened.into())
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
        }
    }

    /// Size of the file `name` in bytes, if it is there.
    pub(crate) fn size(&self, name: &str) -> Option<u64> {
        let stat = rustix::fs::statat(&self.file, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        u64::try_from(stat.st_size).ok()
    }

    /// Renames an entry of it.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), SessionError> {
        rustix::fs::renameat(&self.file, from, &self.file, to)
            .map_err(SessionError::io("rename", self.path.join(from)))
    }

    /// Makes its entries safe against a crash of the machine.
    pub(crate) fn sync(&self) -> Result<(), SessionError> {
        self.file.sync_all().map_err(SessionError::io("sync the directory", &self.path))
    }
}
