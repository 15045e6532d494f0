//! The temporary file that becomes the new content, and those that killed writers left behind.

use std::ffi::{CStr, OsStr};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::PublishError;
use super::flock::{self, Lock};
use crate::seam::error::FileKind;
use crate::seam::fs::{kind_of, modified_ns};

/// A name is this, eight hexadecimal digits, and the end. Short, so that it fits where the file's name does.
const START: &str = ".tenon-";
const END: &str = ".tmp";
const DIGITS: usize = 8;

/// Tries for a name that is free.
const NAMES_MAX: usize = 64;
/// Bytes written between two looks for a cancelled call.
const CHUNK_BYTES: usize = 1024 * 1024;
/// Entries of a folder that are looked at for what killed writers left.
const SWEEP_MAX_ENTRIES: usize = 100_000;
/// Age from which a file in a folder without locks counts as left behind.
const STALE_AGE: Duration = Duration::from_secs(15 * 60);

/// A file that is removed unless it is published.
#[derive(Debug)]
pub(super) struct TempFile<'f> {
    folder: &'f OwnedFd,
    name: String,
    fd: OwnedFd,
    is_published: bool,
}

/// How a file comes to its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rename {
    /// Nothing may have that name yet.
    Create,
    /// In the place of the file of that name.
    Replace,
}

impl<'f> TempFile<'f> {
    /// Makes an empty file of mode `mode`, less what the process's mask takes away.
    pub(super) fn create(folder: &'f OwnedFd, mode: u32) -> Result<Self, PublishError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        for _ in 0..NAMES_MAX {
            let name = random_name();
            let mode = Mode::from_raw_mode(mode);
            match rustix::fs::openat(folder, &*name, flags | OFlags::CLOEXEC, mode) {
                Err(Errno::EXIST) => {}
                // The folder is gone.
                Err(Errno::NOENT) => return Err(PublishError::Changed),
                Err(errno) => return Err(errno.into()),
                Ok(fd) => {
                    let temp = Self { folder, name, fd, is_published: false };
                    // Shows to others that its writer lives; where there are no locks, its age does.
                    flock::try_lock(&temp.fd);
                    return Ok(temp);
                }
            }
        }
        Err(Errno::EXIST.into())
    }

    pub(super) fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    pub(super) fn write(
        &self,
        content: &[u8],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), PublishError> {
        for chunk in content.chunks(CHUNK_BYTES) {
            if is_cancelled() {
                return Err(PublishError::Cancelled);
            }
            self.write_all(chunk)?;
        }
        Ok(())
    }

    fn write_all(&self, mut bytes: &[u8]) -> Result<(), PublishError> {
        while !bytes.is_empty() {
            match rustix::io::write(&self.fd, bytes) {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
                Ok(0) => return Err(Errno::IO.into()),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            }
        }
        Ok(())
    }

    /// Gives the file its name. Both happen at once, or nothing does.
    pub(super) fn rename(&mut self, name: &OsStr, how: Rename) -> Result<(), PublishError> {
        let folder = self.folder;
        let renamed = match how {
            Rename::Replace => rustix::fs::renameat(folder, &*self.name, folder, name),
            Rename::Create => {
                let flags = RenameFlags::NOREPLACE;
                match rustix::fs::renameat_with(folder, &*self.name, folder, name, flags) {
                    // A file system that cannot do that can still link where nothing is.
                    Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => return self.link(name),
                    renamed => renamed,
                }
            }
        };
        self.published(renamed)
    }

    /// Gives the file its name by a link, and takes the other one away.
    fn link(&mut self, name: &OsStr) -> Result<(), PublishError> {
        let folder = self.folder;
        let linked = rustix::fs::linkat(folder, &*self.name, folder, name, AtFlags::empty());
        self.published(linked)?;
        let _ = rustix::fs::unlinkat(folder, &*self.name, AtFlags::empty());
        Ok(())
    }

    fn published(&mut self, renamed: Result<(), Errno>) -> Result<(), PublishError> {
        renamed.map_err(occupied)?;
        self.is_published = true;
        Ok(())
    }
}

/// Someone else has taken the name, or the temporary file is gone: in both cases things have changed.
fn occupied(errno: Errno) -> PublishError {
    match errno {
        Errno::EXIST | Errno::NOENT | Errno::ISDIR | Errno::NOTEMPTY => PublishError::Changed,
        other => other.into(),
    }
}

impl Drop for TempFile<'_> {
    fn drop(&mut self) {
        if !self.is_published {
            let _ = rustix::fs::unlinkat(self.folder, &*self.name, AtFlags::empty());
        }
    }
}

fn random_name() -> String {
    // Keyed at random; what is hashed does not matter.
    let random = RandomState::new().build_hasher().finish() & 0xFFFF_FFFF;
    format!("{START}{random:08x}{END}")
}

fn is_ours(name: &[u8]) -> bool {
    let digits = name.strip_prefix(START.as_bytes()).and_then(|n| n.strip_suffix(END.as_bytes()));
    digits.is_some_and(|digits| {
        digits.len() == DIGITS
            && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Removes what killed writers left in `folder`. One that lives has its file locked.
///
/// Best effort: a folder that cannot be listed, or a file that cannot be opened, is left as it is.
pub(super) fn sweep(folder: &OwnedFd, is_locked: bool) {
    let Ok(entries) = Dir::read_from(folder) else { return };
    for entry in entries.take(SWEEP_MAX_ENTRIES).flatten() {
        let name = entry.file_name();
        if is_ours(name.to_bytes()) {
            sweep_one(folder, name, is_locked);
        }
    }
}

fn sweep_one(folder: &OwnedFd, name: &CStr, is_locked: bool) {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(fd) = rustix::fs::openat(folder, name, flags, Mode::empty()) else { return };
    let Ok(stat) = rustix::fs::fstat(&fd) else { return };
    if kind_of(&stat) != FileKind::Regular {
        return;
    }
    let is_left = match flock::try_lock(&fd) {
        // Between making its file and locking it, a writer holds the folder.
        Lock::Held => is_locked || is_old(modified_ns(&stat)),
        Lock::Taken => false,
        Lock::Unsupported => is_old(modified_ns(&stat)),
    };
    if is_left {
        let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
    }
}

fn is_old(modified_ns: i128) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let since = now.saturating_sub(STALE_AGE).as_nanos();
    modified_ns < i128::try_from(since).unwrap_or(i128::MAX)
}
