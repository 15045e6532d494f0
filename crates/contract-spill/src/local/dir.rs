//! Directories private to the user, reached by descriptor. No name in them is followed through a link.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::name;
use crate::error::SpillError;

const DIRECTORY: OFlags =
    OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::RDONLY);

/// What others may do. Directories here allow none of it.
const OTHERS: Mode = Mode::RWXG.union(Mode::RWXO);

/// An open directory that belongs to the user alone.
#[derive(Debug)]
pub(super) struct PrivateDir {
    file: File,
    path: PathBuf,
}

/// A file that holds a text.
#[derive(Debug, Clone)]
pub(super) struct TextFile {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) modified: SystemTime,
}

impl PrivateDir {
    /// The root, made with its parents if it is not there. It must not be a link itself; its parents may be.
    pub(super) fn root(path: &Path) -> Result<Self, SpillError> {
        if let Some(root) = Self::existing_root(path)? {
            return Ok(root);
        }
        make_all(path)?;
        Self::open(CWD, path, path.to_owned())
    }

    /// The root, if it is there.
    pub(super) fn existing_root(path: &Path) -> Result<Option<Self>, SpillError> {
        if_there(Self::open(CWD, path, path.to_owned()))
    }

    /// The directory `name` in it, made if it is not there; `None` if a sweep took it away at once.
    pub(super) fn child(&self, name: &str) -> Result<Option<Self>, SpillError> {
        match rustix::fs::mkdirat(&self.file, name, Mode::RWXU) {
            Ok(()) => self.sync()?,
            Err(Errno::EXIST) => {}
            Err(error) => {
                let path = self.path.join(name);
                return Err(SpillError::io("create the directory", &path)(error));
            }
        }
        self.existing_child(name)
    }

    /// The directory `name` in it, if it is there.
    pub(super) fn existing_child(&self, name: &str) -> Result<Option<Self>, SpillError> {
        if_there(Self::open(&self.file, Path::new(name), self.path.join(name)))
    }

    fn open(parent: impl rustix::fd::AsFd, name: &Path, path: PathBuf) -> Result<Self, SpillError> {
        let opened = rustix::fs::openat(parent, name, DIRECTORY, Mode::empty())
            .map_err(SpillError::io("open the directory", &path))?;
        let directory = Self { file: opened.into(), path };
        directory.make_private()?;
        Ok(directory)
    }

    /// Refuses a directory of another user, and shuts others out of ours.
    fn make_private(&self) -> Result<(), SpillError> {
        let stat = self.stat()?;
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(SpillError::Foreign { path: self.path.clone() });
        }
        if !Mode::from_raw_mode(stat.st_mode).intersects(OTHERS) {
            return Ok(());
        }
        rustix::fs::fchmod(&self.file, Mode::RWXU)
            .map_err(SpillError::io("keep others out of", &self.path))
    }

    fn stat(&self) -> Result<Stat, SpillError> {
        rustix::fs::fstat(&self.file).map_err(SpillError::io("look at", &self.path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether `child` is still what stands under `name` in it.
    pub(super) fn still_holds(&self, name: &str, child: &Self) -> bool {
        self.is_named(name, &child.file)
    }

    /// Whether `lock` is still its lock file: a sweep may have removed it since it was opened.
    pub(super) fn is_locked_by(&self, lock: &File) -> bool {
        self.is_named(name::LOCK, lock)
    }

    fn is_named(&self, name: &str, open: &File) -> bool {
        let there = rustix::fs::statat(&self.file, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        there
            .zip(rustix::fs::fstat(open).ok())
            .is_some_and(|(there, open)| (there.st_dev, there.st_ino) == (open.st_dev, open.st_ino))
    }

    /// Makes a file that was not there, to be written by the user alone.
    pub(super) fn create(&self, name: &str) -> Result<File, SpillError> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
        self.file(name, flags).map_err(SpillError::io("create", &self.path.join(name)))
    }

    /// The directory's lock file, made if it is not there.
    pub(super) fn lock_file(&self) -> Result<File, SpillError> {
        let opened = self.file(name::LOCK, OFlags::CREATE | OFlags::RDWR | OFlags::NONBLOCK);
        opened.map_err(SpillError::io("open", &self.path.join(name::LOCK)))
    }

    fn file(&self, name: &str, flags: OFlags) -> Result<File, Errno> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.file, name, flags, Mode::RUSR | Mode::WUSR).map(File::from)
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> Result<(), SpillError> {
        rustix::fs::unlinkat(&self.file, name, AtFlags::empty())
            .map_err(SpillError::io("remove", &self.path.join(name)))
    }

    /// Removes an empty directory.
    pub(super) fn remove_dir(&self, name: &str) -> Result<(), SpillError> {
        rustix::fs::unlinkat(&self.file, name, AtFlags::REMOVEDIR)
            .map_err(SpillError::io("remove", &self.path.join(name)))
    }

    /// Makes its entries survive a crash of the machine.
    pub(super) fn sync(&self) -> Result<(), SpillError> {
        self.file.sync_all().map_err(SpillError::io("sync", &self.path))
    }

    /// The names in it that are UTF-8, sorted; ours all are.
    pub(super) fn names(&self) -> Result<Vec<String>, SpillError> {
        let fault = || SpillError::io("list", &self.path);
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.file).map_err(fault())? {
            let entry = entry.map_err(fault())?;
            names.extend(entry.file_name().to_str().ok().map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    /// The files of texts and streams in it.
    pub(super) fn texts(&self) -> Result<Vec<TextFile>, SpillError> {
        let saved = |name: &String| name::is_file(name) || name::is_stream(name);
        let names = self.names()?.into_iter().filter(saved);
        Ok(names.filter_map(|name| self.text(name)).collect())
    }

    fn text(&self, name: String) -> Option<TextFile> {
        let stat = rustix::fs::statat(&self.file, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
        let since = Duration::new(seconds, u32::try_from(stat.st_mtime_nsec).unwrap_or(0));
        let bytes = u64::try_from(stat.st_size).ok()?;
        is_file.then_some(TextFile { name, bytes, modified: UNIX_EPOCH + since })
    }
}

/// Makes a directory and the parents it lacks, each of them durable.
fn make_all(path: &Path) -> Result<(), SpillError> {
    let fault = || SpillError::io("create the directory", path);
    match (rustix::fs::mkdir(path, Mode::RWXU), path.parent()) {
        (Ok(()), parent) => parent.map_or(Ok(()), sync_parent),
        (Err(Errno::EXIST), _) => Ok(()),
        (Err(Errno::NOENT), Some(parent)) => {
            make_all(parent)?;
            rustix::fs::mkdir(path, Mode::RWXU).or_else(unless_there).map_err(fault())?;
            sync_parent(parent)
        }
        (Err(error), _) => Err(fault()(error)),
    }
}

fn unless_there(error: Errno) -> Result<(), Errno> {
    if error == Errno::EXIST { Ok(()) } else { Err(error) }
}

fn sync_parent(parent: &Path) -> Result<(), SpillError> {
    let synced = File::open(parent).and_then(|parent| parent.sync_all());
    synced.map_err(SpillError::io("sync", parent))
}

fn if_there(opened: Result<PrivateDir, SpillError>) -> Result<Option<PrivateDir>, SpillError> {
    match opened {
        Err(SpillError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some),
    }
}
