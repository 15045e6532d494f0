//! The way to a file, name by name: which folder it is in, by descriptor, with all links followed.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::PublishError;
use crate::seam::error::{FileKind, FsError};
use crate::seam::fs::kind_of;

/// Links followed on one way; as many as the system follows.
const LINKS_MAX: usize = 40;

/// Flags for standing on something without opening it: never waits, never acts on a device.
const STAND: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Where a file is, or would be.
#[derive(Debug)]
pub(super) struct Way {
    /// The last folder on the way that exists.
    pub(super) folder: OwnedFd,
    /// Folders below it that would have to be made.
    pub(super) missing: Vec<OsString>,
    /// The file's name.
    pub(super) name: OsString,
    /// The whole path, without links.
    pub(super) real: PathBuf,
}

/// Follows an absolute path to a regular file, or to where one can be made.
pub(super) fn find(path: &Path) -> Result<Way, PublishError> {
    if path.as_os_str().as_bytes().contains(&0) {
        return Err(PublishError::BadName);
    }
    let mut walker =
        Walker { folder: root()?, real: PathBuf::from("/"), ahead: VecDeque::new(), links: 0 };
    walker.put_ahead(path, Origin::Asked);
    while let Some(step) = walker.ahead.pop_front() {
        if let Some(way) = walker.take(step)? {
            return Ok(way);
        }
    }
    // It ended on `/` or on `..`.
    Err(FsError::NotRegularFile(FileKind::Directory).into())
}

/// Where a name of the way comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The path that was asked for.
    Asked,
    /// A link.
    Link,
}

struct Step {
    name: OsString,
    origin: Origin,
}

struct Walker {
    folder: OwnedFd,
    real: PathBuf,
    ahead: VecDeque<Step>,
    links: usize,
}

impl Walker {
    /// Takes one step; gives the way when it was the last.
    fn take(&mut self, step: Step) -> Result<Option<Way>, PublishError> {
        if step.name == ".." {
            self.folder = parent(&self.folder)?;
            self.real.pop();
            return Ok(None);
        }
        let there = match rustix::fs::openat(&self.folder, &*step.name, STAND, Mode::empty()) {
            Err(Errno::NOENT) => return self.absent(step).map(Some),
            opened => opened?,
        };
        let stat = rustix::fs::fstat(&there)?;
        if is_link(&stat) {
            self.follow(&there)?;
            return Ok(None);
        }
        match kind_of(&stat) {
            FileKind::Directory if !self.ahead.is_empty() => {
                self.folder = there;
                self.real.push(&step.name);
                Ok(None)
            }
            _ if !self.ahead.is_empty() => {
                Err(PublishError::ParentNotFolder { part: Some(self.real.join(&step.name)) })
            }
            FileKind::Regular => self.arrive(Vec::new(), step.name).map(Some),
            kind @ (FileKind::Directory
            | FileKind::Fifo
            | FileKind::Socket
            | FileKind::Device
            | FileKind::Other) => Err(FsError::NotRegularFile(kind).into()),
        }
    }

    /// The way from here on is still to be made; through a link that leads to nothing it is not.
    fn absent(&mut self, step: Step) -> Result<Way, PublishError> {
        if step.origin == Origin::Link {
            return Err(PublishError::DanglingLink);
        }
        let mut names = vec![step.name];
        names.extend(self.ahead.drain(..).map(|step| step.name));
        if names.iter().any(|name| name == "..") {
            return Err(FsError::NotFound.into());
        }
        let name = names.pop().unwrap_or_default();
        self.arrive(names, name)
    }

    fn arrive(&mut self, missing: Vec<OsString>, name: OsString) -> Result<Way, PublishError> {
        let mut real = self.real.clone();
        real.extend(&missing);
        real.push(&name);
        let folder = self.folder.try_clone().map_err(FsError::from)?;
        Ok(Way { folder, missing, name, real })
    }

    /// Puts what a link spells before what is still ahead.
    fn follow(&mut self, link: &OwnedFd) -> Result<(), PublishError> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(PublishError::LinkLoop);
        }
        let target = rustix::fs::readlinkat(link, "", Vec::new())?.into_bytes();
        let names_folder = target.ends_with(b"/") || target.ends_with(b"/.");
        if names_folder && self.ahead.is_empty() {
            return Err(FsError::NotRegularFile(FileKind::Directory).into());
        }
        let target = PathBuf::from(OsString::from_vec(target));
        if target.is_absolute() {
            self.folder = root()?;
            self.real = PathBuf::from("/");
        }
        self.put_ahead(&target, Origin::Link);
        Ok(())
    }

    fn put_ahead(&mut self, path: &Path, origin: Origin) {
        let names = path.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            Component::ParentDir => Some(OsStr::new("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        });
        for name in names.rev() {
            self.ahead.push_front(Step { name: name.to_owned(), origin });
        }
    }
}

fn root() -> Result<OwnedFd, PublishError> {
    Ok(rustix::fs::open("/", STAND | OFlags::DIRECTORY, Mode::empty())?)
}

/// The folder above; of `/` it is `/` again.
pub(super) fn parent(folder: &OwnedFd) -> Result<OwnedFd, PublishError> {
    match rustix::fs::openat(folder, "..", STAND | OFlags::DIRECTORY, Mode::empty()) {
        // The folder was removed while it was stood on.
        Err(Errno::NOENT) => Err(PublishError::Changed),
        opened => Ok(opened?),
    }
}

/// Whether a status describes a link.
pub(super) fn is_link(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Symlink
}

#[cfg(test)]
mod tests;
