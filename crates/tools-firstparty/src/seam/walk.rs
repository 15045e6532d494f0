//! Walking a tree: in parallel and unordered, or by one thread in path order.
//!
//! Links to folders are not followed; version control folders are not entered; ignore files are
//! respected, except by names that the pattern gives without wildcards.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread::Builder;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;

use super::budget::Budget;
use super::error::FsError;
use super::listing::{EntryKind, Listing, open_folder};
use super::queue::Queue;
use super::rule_file::RuleReader;
use super::rules::Rules;
use super::threads::together;
use crate::search::pattern::{FileMatch, PathPattern, Progress};

/// A tree to walk.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    root: PathBuf,
    root_fd: OwnedFd,
    rules_above: Rules,
    pattern: &'a PathPattern,
    budget: &'a Budget<'a>,
    has_links: bool,
    /// Why the folder to start in could not be listed.
    root_error: OnceLock<FsError>,
}

/// A file that the walk came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'f> {
    /// An open folder, and the file's path from there.
    pub(crate) at: (BorrowedFd<'f>, &'f [u8]),
    /// The folder's path from the root of the walk: empty, or ending in `/`.
    pub(crate) folder: &'f [u8],
    /// The file's name.
    pub(crate) name: &'f [u8],
    /// It is a link; where to is not known yet.
    pub(crate) is_link: bool,
}

/// What is done with the files. One for each thread.
pub(crate) trait Visit: Send {
    /// Takes a file.
    fn file(&mut self, found: Found<'_>);
}

/// A folder to go into.
struct Folder {
    /// Its path from the root: empty, or ending in `/`.
    path: Vec<u8>,
    progress: Progress,
    rules: Rules,
}

/// A folder that is open, with all that is needed to judge its entries.
struct Open {
    path: Vec<u8>,
    progress: Progress,
    rules: Rules,
    /// Kept while the files inside are visited one after the other.
    fd: Option<OwnedFd>,
    listing: Listing,
}

/// Files of one large folder are shared out in portions of this many.
const PORTION: usize = 128;

enum Work {
    Folder(Folder),
    Files(Arc<Open>, Vec<usize>),
}

impl<'a> Tree<'a> {
    /// Opens the folder to start in.
    ///
    /// # Errors
    /// What the system said.
    pub(crate) fn open(
        root: &Path,
        pattern: &'a PathPattern,
        budget: &'a Budget<'a>,
    ) -> Result<Self, FsError> {
        let root_fd = open_folder(rustix::fs::CWD, root.as_os_str().as_bytes(), true)?;
        let rules_above = Rules::above(root, budget);
        let (root, root_error) = (root.to_owned(), OnceLock::new());
        Ok(Self { root, root_fd, rules_above, pattern, budget, has_links: false, root_error })
    }

    /// Shows links as well, without following them.
    pub(crate) fn with_links(mut self) -> Self {
        self.has_links = true;
        self
    }

    /// Walks with several threads; gives what each has made of its visitor in the end, in no order.
    ///
    /// # Errors
    /// What the system said about the folder to start in.
    pub(crate) fn walk<V: Visit, T: Send>(
        &self,
        visitor: impl Fn() -> V + Sync,
        finish: impl Fn(V) -> T + Sync,
    ) -> Result<Vec<T>, FsError> {
        let queue = Queue::new(Work::Folder(self.start()));
        let work = || {
            let mut visitor = visitor();
            queue.work(|work| self.work(work, &queue, &mut visitor));
            finish(visitor)
        };
        let parts = together(self.budget.threads(), Builder::new, work);
        self.root_error.get().map_or(Ok(parts), |error| Err(error.clone()))
    }

    /// Walks in path order with this thread alone.
    ///
    /// # Errors
    /// What the system said about the folder to start in.
    pub(crate) fn walk_sorted<V: Visit>(&self, visitor: &mut V) -> Result<(), FsError> {
        self.visit_sorted(visitor);
        self.root_error.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    fn visit_sorted<V: Visit>(&self, visitor: &mut V) {
        let mut open: Vec<(Open, usize)> = Vec::new();
        let mut next = Some(self.start());
        loop {
            if let Some(mut folder) = next.take().and_then(|folder| self.open_folder(folder)) {
                folder.listing.sort();
                // Folders stay on the stack, and there can be more of them than descriptors.
                folder.fd = None;
                open.push((folder, 0));
            }
            let Some((folder, at)) = open.last_mut() else { return };
            let Some((name, kind)) = folder.listing.get(*at) else {
                open.pop();
                continue;
            };
            *at += 1;
            if self.budget.take_entry().is_some() {
                return;
            }
            match kind {
                EntryKind::Folder => next = self.folder_inside(folder, name),
                EntryKind::File | EntryKind::Link => self.visit(folder, name, kind, visitor),
            }
        }
    }

    fn start(&self) -> Folder {
        let progress = self.pattern.start();
        Folder { path: Vec::new(), progress, rules: self.rules_above.clone() }
    }

    fn work<V: Visit>(&self, work: Work, queue: &Queue<Work>, visitor: &mut V) {
        match work {
            Work::Folder(folder) => {
                if let Some(open) = self.open_folder(folder) {
                    self.work_folder(open, queue, visitor);
                }
            }
            Work::Files(open, files) => self.work_files(&open, &files, visitor),
        }
    }

    fn work_folder<V: Visit>(&self, open: Open, queue: &Queue<Work>, visitor: &mut V) {
        let mut files = Vec::new();
        for at in 0..open.listing.len() {
            let Some((name, kind)) = open.listing.get(at) else { break };
            match kind {
                EntryKind::Folder => {
                    if self.budget.take_entry().is_some() {
                        return;
                    }
                    if let Some(folder) = self.folder_inside(&open, name) {
                        queue.push(Work::Folder(folder));
                    }
                }
                EntryKind::File | EntryKind::Link => files.push(at),
            }
        }
        if files.len() <= 2 * PORTION {
            return self.work_files(&open, &files, visitor);
        }
        let open = Arc::new(open);
        let (own, shared) = files.split_at(PORTION);
        for portion in shared.chunks(PORTION) {
            queue.push(Work::Files(Arc::clone(&open), portion.to_vec()));
        }
        self.work_files(&open, own, visitor);
    }

    fn work_files<V: Visit>(&self, open: &Open, files: &[usize], visitor: &mut V) {
        for &at in files {
            if self.budget.take_entry().is_some() {
                return;
            }
            if let Some((name, kind)) = open.listing.get(at) {
                self.visit(open, name, kind, visitor);
            }
        }
    }

    fn open_folder(&self, folder: Folder) -> Option<Open> {
        if self.budget.stopped().is_some() {
            return None;
        }
        let Folder { path, progress, rules } = folder;
        let listed = open_folder(self.root_fd.as_fd(), &path, false)
            .and_then(|fd| Ok((Listing::read(&fd)?, fd)));
        match listed {
            Ok((listing, fd)) => {
                self.budget.skip(listing.unreadable);
                let rules = if listing.rule_files.any() {
                    let reader = RuleReader { budget: self.budget, is_counting: true };
                    rules.inside(&self.absolute(&path, b""), listing.rule_files, reader)
                } else {
                    rules
                };
                Some(Open { path, progress, rules, fd: Some(fd), listing })
            }
            // Gone since its parent was listed: as if it had never been there.
            Err(Errno::NOENT) => None,
            // Nothing was searched, so there is nothing to say about what it holds.
            Err(errno) if path.is_empty() => {
                self.root_error.get_or_init(|| errno.into());
                None
            }
            Err(_) => {
                self.budget.skip(1);
                None
            }
        }
    }

    fn folder_inside(&self, open: &Open, name: &[u8]) -> Option<Folder> {
        let step = self.pattern.enter(&open.progress, name);
        if !self.pattern.is_alive(&step.inside)
            || (!step.is_named_folder && self.is_ignored(open, name, true))
        {
            return None;
        }
        let path = [&open.path, name, b"/"].concat();
        Some(Folder { path, progress: step.inside, rules: open.rules.clone() })
    }

    fn visit<V: Visit>(&self, open: &Open, name: &[u8], kind: EntryKind, visitor: &mut V) {
        let is_link = kind == EntryKind::Link;
        if is_link && !self.has_links {
            return;
        }
        match self.pattern.matches_file(&open.progress, name) {
            FileMatch::No => return,
            FileMatch::Wildcard if self.is_ignored(open, name, false) => return,
            FileMatch::Wildcard | FileMatch::Named => {}
        }
        let path;
        let at = match &open.fd {
            Some(fd) => (fd.as_fd(), name),
            None => {
                path = [&open.path, name].concat();
                (self.root_fd.as_fd(), path.as_slice())
            }
        };
        visitor.file(Found { at, folder: &open.path, name, is_link });
    }

    fn is_ignored(&self, open: &Open, name: &[u8], is_folder: bool) -> bool {
        !open.rules.is_empty() && open.rules.ignores(&self.absolute(&open.path, name), is_folder)
    }

    fn absolute(&self, folder: &[u8], name: &[u8]) -> PathBuf {
        let mut path = self.root.as_os_str().as_bytes().to_vec();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        path.extend_from_slice(folder);
        path.extend_from_slice(name);
        while path.len() > 1 && path.last() == Some(&b'/') {
            path.pop();
        }
        PathBuf::from(OsStr::from_bytes(&path))
    }
}
