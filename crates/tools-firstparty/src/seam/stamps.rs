//! Collecting the files of a walk with the time of their last change.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::budget::Budget;
use super::error::FileKind;
use super::fs::{kind_of, modified_ns};
use super::walk::{Found, Visit};

/// A file and when it was last changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamped {
    /// Its path from the root of the walk.
    pub(crate) path: Vec<u8>,
    /// Nanoseconds since 1970.
    pub(crate) modified_ns: i128,
}

/// Collects files while the budget lasts. One for each thread.
#[derive(Debug)]
pub(crate) struct Stamper<'a> {
    budget: &'a Budget<'a>,
    prefix_bytes: usize,
    found: Vec<Stamped>,
}

/// What a path costs beside its text: its place in the value.
const PATH_COST_BYTES: usize = 32;

impl<'a> Stamper<'a> {
    /// `prefix_bytes` is what each path of the value begins with.
    pub(crate) fn new(budget: &'a Budget<'a>, prefix_bytes: usize) -> Self {
        Self { budget, prefix_bytes, found: Vec::new() }
    }

    /// What was found, in the order of the visits.
    pub(crate) fn into_found(self) -> Vec<Stamped> {
        self.found
    }
}

impl Visit for Stamper<'_> {
    fn file(&mut self, found: Found<'_>) {
        let (folder, path) = found.at;
        let path = Path::new(OsStr::from_bytes(path));
        let follow = if found.is_link { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        let stat = match rustix::fs::statat(folder, path, follow) {
            Ok(stat) => stat,
            // Gone since its folder was listed, or a link that leads nowhere.
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => return,
            Err(_) => return self.budget.skip(1),
        };
        if kind_of(&stat) != FileKind::Regular {
            return;
        }
        let path = [found.folder, found.name].concat();
        let cost = self.prefix_bytes + path.len() + PATH_COST_BYTES;
        if self.budget.take_bytes(u64::try_from(cost).unwrap_or(u64::MAX)) {
            self.found.push(Stamped { path, modified_ns: modified_ns(&stat) });
        }
    }
}
