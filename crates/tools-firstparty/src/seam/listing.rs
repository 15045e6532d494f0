//! One folder: opened, listed, its entries told apart.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io;

use super::rules::{RuleFiles, is_vcs_name};

/// What an entry is, as far as a search cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    Folder,
    File,
    Link,
}

/// The entries of a folder, without those of version control and without special files.
#[derive(Debug)]
pub(super) struct Listing {
    names: Vec<u8>,
    entries: Vec<Entry>,
    pub(super) rule_files: RuleFiles,
    /// Entries that could not be told apart.
    pub(super) unreadable: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    start: usize,
    length: usize,
    pub(super) kind: EntryKind,
}

/// Opens a folder for listing. `follow` is for the folder a search starts in.
pub(super) fn open_folder(at: BorrowedFd<'_>, path: &[u8], follow: bool) -> io::Result<OwnedFd> {
    let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    if !follow {
        flags |= OFlags::NOFOLLOW;
    }
    let path = if path.is_empty() { b"." } else { path };
    rustix::fs::openat(at, Path::new(OsStr::from_bytes(path)), flags, Mode::empty())
}

impl Listing {
    /// Lists a folder.
    pub(super) fn read(folder: &OwnedFd) -> io::Result<Self> {
        let mut listing = Self {
            names: Vec::new(),
            entries: Vec::new(),
            rule_files: RuleFiles::default(),
            unreadable: 0,
        };
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            listing.add(folder.as_fd(), entry.file_name(), entry.file_type());
        }
        Ok(listing)
    }

    fn add(&mut self, folder: BorrowedFd<'_>, name: &CStr, file_type: FileType) {
        let bytes = name.to_bytes();
        if bytes == b"." || bytes == b".." {
            return;
        }
        self.rule_files.note(bytes);
        if is_vcs_name(bytes) {
            return;
        }
        let file_type = if file_type == FileType::Unknown {
            match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(_) => {
                    self.unreadable += 1;
                    return;
                }
            }
        } else {
            file_type
        };
        let kind = match file_type {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Link,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => return,
        };
        let start = self.names.len();
        self.names.extend_from_slice(bytes);
        self.entries.push(Entry { start, length: bytes.len(), kind });
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entry at a place.
    pub(super) fn get(&self, at: usize) -> Option<(&[u8], EntryKind)> {
        let entry = self.entries.get(at)?;
        let name = self.names.get(entry.start..entry.start + entry.length)?;
        Some((name, entry.kind))
    }

    /// Puts the entries in the order of their names.
    pub(super) fn sort(&mut self) {
        let names = &self.names;
        let name = |entry: &Entry| names.get(entry.start..entry.start + entry.length);
        self.entries.sort_unstable_by(|a, b| name(a).cmp(&name(b)));
    }
}
