//! Holding and publishing on the file systems of this machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fd::OwnedFd;
use rustix::fs::{Access, AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::folders::{self, FolderId, MadeFolders};
use super::temp::{self, Rename, TempFile};
use super::turns::{self, Turn};
use super::way::{self, Way, is_link};
use super::{HeldFile, Patience, PublishError, Publisher, Request, flock};
use crate::seam::fs::{DiskFile, OpenFile as _, require_regular};
use crate::seam::version::VersionToken;

/// How often the way is found anew when others change it under one's feet.
const TRIES_MAX: usize = 16;

/// Changes files on this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskPublisher;

impl Publisher for DiskPublisher {
    fn hold(&self, request: &Request<'_>) -> Result<Box<dyn HeldFile>, PublishError> {
        request.reach.check_mode(request.path)?;
        let until = Instant::now() + request.patience.max;
        for _ in 0..TRIES_MAX {
            match hold_once(request, until) {
                Err(PublishError::Changed) => {}
                Err(error) => return Err(error),
                Ok(held) => return Ok(Box::new(held)),
            }
        }
        Err(PublishError::Changed)
    }
}

fn hold_once(request: &Request<'_>, until: Instant) -> Result<Held, PublishError> {
    let mut way = way::find(request.path)?;
    request.reach.check(&way)?;
    let mut made = MadeFolders::default();
    if !way.missing.is_empty() {
        if !request.makes_folders {
            return Err(PublishError::NoFolder { real: way.real });
        }
        made.make(&mut way)?;
        request.reach.check(&way)?;
    }
    let folder = Folder::enter(&way, request.patience, until)?;
    // While it waited, the way may have come to lead elsewhere.
    let again = way::find(request.path)?;
    let is_same = again.missing.is_empty()
        && again.name == way.name
        && FolderId::of(&again.folder)? == folder.id;
    if !is_same {
        return Err(PublishError::Changed);
    }
    let file = Found::look(&folder, &way)?;
    Ok(Held { file, made, folder, name: way.name, real: way.real })
}

/// A folder in which no other call of Tenon changes anything meanwhile.
#[derive(Debug)]
struct Folder {
    fd: OwnedFd,
    id: FolderId,
    /// It may be read, and so locked, listed and synced. Without that only this process waits for its turn.
    can_read: bool,
    is_locked: bool,
    _turn: Turn,
}

impl Folder {
    fn enter(way: &Way, patience: Patience<'_>, until: Instant) -> Result<Self, PublishError> {
        let opened = folders::open(&way.folder)?;
        let can_read = opened.is_some();
        let fd = match opened {
            Some(fd) => fd,
            None => way.folder.try_clone().map_err(crate::seam::error::FsError::from)?,
        };
        let id = FolderId::of(&fd)?;
        let turn = turns::enter(id, patience, until)?;
        let is_locked = can_read && flock::lock(&fd, patience, until)?;
        Ok(Self { fd, id, can_read, is_locked, _turn: turn })
    }

    fn sync(&self) -> Result<(), Errno> {
        if self.can_read { folders::sync(&self.fd) } else { Ok(()) }
    }
}

/// The file that is there already.
#[derive(Debug)]
struct Found {
    file: DiskFile,
    stat: Stat,
    version: VersionToken,
}

impl Found {
    fn look(folder: &Folder, way: &Way) -> Result<Option<Self>, PublishError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
        let Some(stat) = stat(&folder.fd, &way.name)? else { return Ok(None) };
        require_regular(&stat)?;
        let fd = match rustix::fs::openat(
            &folder.fd,
            &*way.name,
            flags | OFlags::CLOEXEC,
            Mode::empty(),
        ) {
            Err(Errno::LOOP | Errno::NOENT) => return Err(PublishError::Changed),
            opened => opened?,
        };
        let stat = rustix::fs::fstat(&fd)?;
        require_regular(&stat)?;
        // A name can be given to another file without leave to write to this one; that leave is asked for.
        match rustix::fs::accessat(&folder.fd, &*way.name, Access::WRITE_OK, AtFlags::EACCESS) {
            Ok(()) | Err(Errno::NOSYS | Errno::INVAL) => {}
            Err(errno) => return Err(errno.into()),
        }
        let file = DiskFile::from(fd);
        let version = VersionToken::of(&file)?;
        Ok(Some(Self { file, stat, version }))
    }
}

/// The status of an entry, links not followed; `None` when there is none.
fn stat(folder: &OwnedFd, name: &OsString) -> Result<Option<Stat>, PublishError> {
    match rustix::fs::statat(folder, &**name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if is_link(&stat) => Err(PublishError::Changed),
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

// Fields are dropped in this order: folders that were made go before the lock on their folder does.
#[derive(Debug)]
struct Held {
    file: Option<Found>,
    made: MadeFolders,
    folder: Folder,
    name: OsString,
    real: PathBuf,
}

impl HeldFile for Held {
    fn real_path(&self) -> &Path {
        &self.real
    }

    fn version(&self) -> Option<&VersionToken> {
        self.file.as_ref().map(|found| &found.version)
    }

    fn read(&self, max_bytes: usize) -> Result<Option<Vec<u8>>, PublishError> {
        let Some(found) = &self.file else { return Ok(Some(Vec::new())) };
        let size = usize::try_from(found.version.size()).unwrap_or(usize::MAX);
        if size > max_bytes {
            return Ok(None);
        }
        read_all(&found.file, size, max_bytes)
    }

    fn publish(
        mut self: Box<Self>,
        content: &[u8],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<VersionToken, PublishError> {
        if self.folder.can_read {
            temp::sweep(&self.folder.fd, self.folder.is_locked);
        }
        // Dropped after the temporary file and before the folder, so that what was made is empty by then.
        let mut made = std::mem::take(&mut self.made);
        let mut temp = self.prepare(content, is_cancelled)?;
        if is_cancelled() {
            return Err(PublishError::Cancelled);
        }
        self.check_unchanged()?;
        let how = if self.file.is_some() { Rename::Replace } else { Rename::Create };
        temp.rename(&self.name, how)?;
        let synced = self.folder.sync().and(made.keep());
        synced.map_err(|errno| PublishError::Unsure(std::io::Error::from(errno).to_string()))?;
        let version = crate::seam::fs::version_of(&rustix::fs::fstat(temp.fd())?);
        Ok(VersionToken::without_digest(&version).with_content(content))
    }
}

impl Held {
    /// The new content under a temporary name, durable.
    fn prepare(
        &self,
        content: &[u8],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<TempFile<'_>, PublishError> {
        let mode = if self.file.is_some() { 0o600 } else { 0o666 };
        let temp = TempFile::create(&self.folder.fd, mode)?;
        temp.write(content, is_cancelled)?;
        if let Some(found) = &self.file {
            super::keep::keep(found.file.fd(), &found.stat, temp.fd());
        }
        rustix::fs::fsync(temp.fd())?;
        Ok(temp)
    }

    /// The last look: what is there is still what was looked at.
    fn check_unchanged(&self) -> Result<(), PublishError> {
        let now = stat(&self.folder.fd, &self.name)?;
        let is_same = match (&self.file, now) {
            (None, None) => true,
            (Some(found), Some(now)) => {
                let is_same_file =
                    (now.st_dev, now.st_ino) == (found.stat.st_dev, found.stat.st_ino);
                is_same_file && VersionToken::of(&found.file)? == found.version
            }
            (None, Some(_)) | (Some(_), None) => false,
        };
        if is_same { Ok(()) } else { Err(PublishError::Changed) }
    }
}

/// All of a file that is expected to have `size` bytes; `None` when it has more than `max_bytes` by now.
fn read_all(
    file: &DiskFile,
    size: usize,
    max_bytes: usize,
) -> Result<Option<Vec<u8>>, PublishError> {
    let mut content = vec![0; size + 1];
    let mut filled = 0;
    loop {
        let free = content.get_mut(filled..).unwrap_or_default();
        match file.read_at(free, u64::try_from(filled).unwrap_or(u64::MAX))? {
            0 => break,
            count => filled += count,
        }
        if filled > max_bytes {
            return Ok(None);
        }
        if filled == content.len() {
            content.resize((filled * 2).min(max_bytes) + 1, 0);
        }
    }
    content.truncate(filled);
    Ok(Some(content))
}

#[cfg(test)]
mod tests;
