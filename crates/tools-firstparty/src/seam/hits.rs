//! Searching the content of files, by ripgrep's libraries, and keeping what was found.
//!
//! A file is searched up to its first NUL byte. UTF-16 with a byte order mark is decoded first. Memory
//! is bounded by the buffer and the budget, whatever the files.

use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use grep_regex::RegexMatcher;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::budget::Budget;
use super::error::FsError;
use super::fs::require_regular;
use super::lines::Lines;
use super::scan::Engine;
use super::walk::{Found, Visit};

/// Where the matching lines of one file are.
#[derive(Clone, Debug)]
pub(crate) struct FileHits {
    /// Which of the parts has the path and the lines.
    pub(crate) part: usize,
    /// Places of its lines.
    pub(crate) lines: Range<usize>,
    path: Range<usize>,
}

/// All matching lines: the files in path order, what they hold where the threads have put it.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    /// The lines that each thread found.
    pub(crate) lines: Vec<Lines>,
    pub(crate) files: Vec<FileHits>,
    paths: Vec<Vec<u8>>,
}

/// What one thread found.
#[derive(Debug, Default)]
pub(crate) struct Part {
    lines: Lines,
    /// In path order.
    files: Vec<FileHits>,
    /// Paths from the root of the walk, a NUL for each slash: so they sort as a walk in order meets them,
    /// part by part, `a/b` before `a-b`.
    paths: Vec<u8>,
}

impl Part {
    fn sort(&mut self) {
        let path = |file: &FileHits| self.paths.get(file.path.clone()).unwrap_or_default();
        self.files.sort_unstable_by(|a, b| path(a).cmp(path(b)));
    }
}

impl Hits {
    /// Puts the files of all parts in order.
    pub(super) fn merge(parts: Vec<Part>) -> Self {
        let mut hits = Self::default();
        for (part, at) in parts.into_iter().zip(0..) {
            hits.lines.push(part.lines);
            hits.paths.push(part.paths);
            hits.files.extend(part.files.into_iter().map(|file| FileHits { part: at, ..file }));
        }
        let mut files = std::mem::take(&mut hits.files);
        // This sort finds the parts that are in order, and only merges them.
        files.sort_by(|a, b| hits.path(a).cmp(hits.path(b)));
        hits.files = files;
        for byte in hits.paths.iter_mut().flatten().filter(|byte| **byte == 0) {
            *byte = b'/';
        }
        hits
    }

    /// The file's path from the root of the walk; empty for the root itself.
    pub(crate) fn path(&self, file: &FileHits) -> &[u8] {
        let paths = self.paths.get(file.part).and_then(|paths| paths.get(file.path.clone()));
        paths.unwrap_or_default()
    }
}

/// Keeps hits while the budget lasts.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    budget: &'a Budget<'a>,
    line_max_bytes: usize,
    /// What each hit of the current file costs beside its text: its path, its numbers, its place.
    hit_cost_bytes: usize,
    lines: Lines,
}

/// What a hit costs beside its text and its path.
const HIT_COST_BYTES: usize = 64;

impl Collector<'_> {
    /// Takes a matching line; `false` when the budget is used up.
    pub(super) fn take(&mut self, line_number: u64, line: &[u8], line_bytes: u64) -> bool {
        let kept = line.get(..self.line_max_bytes).unwrap_or(line);
        let cost = kept.len() + self.hit_cost_bytes;
        if !self.budget.take_bytes(u64::try_from(cost).unwrap_or(u64::MAX)) {
            return false;
        }
        self.lines.add_bytes(line_number, kept, line_bytes);
        true
    }

    /// Bytes of a line that are kept.
    pub(super) fn line_max_bytes(&self) -> usize {
        self.line_max_bytes
    }

    /// The search must stop.
    pub(super) fn is_over(&self) -> bool {
        self.budget.check().is_some()
    }
}

/// Searches the files of a walk. One for each thread.
#[derive(Debug)]
pub(crate) struct Grepper<'a> {
    engine: Engine,
    collector: Collector<'a>,
    prefix_bytes: usize,
    files: Vec<FileHits>,
    paths: Vec<u8>,
}

impl<'a> Grepper<'a> {
    pub(crate) fn new(
        matcher: &RegexMatcher,
        budget: &'a Budget<'a>,
        line_max_bytes: usize,
        prefix_bytes: usize,
    ) -> Self {
        let hit_cost_bytes = HIT_COST_BYTES + prefix_bytes;
        let lines = Lines::default();
        let collector = Collector { budget, line_max_bytes, hit_cost_bytes, lines };
        let (files, paths) = (Vec::new(), Vec::new());
        Self { engine: Engine::new(matcher), collector, prefix_bytes, files, paths }
    }

    /// What was found, in path order.
    pub(super) fn into_part(self) -> Part {
        let mut part = Part { lines: self.collector.lines, files: self.files, paths: self.paths };
        part.sort();
        part
    }

    /// Searches the one file at `path`, whatever ignore files say; links are followed.
    ///
    /// # Errors
    /// What the system said.
    pub(crate) fn one_file(&mut self, path: &Path) -> Result<(), FsError> {
        require_regular(&rustix::fs::stat(path)?)?;
        let fd = open(rustix::fs::CWD, path, OFlags::empty())?;
        self.engine.search(fd.as_fd(), &mut self.collector)?;
        self.end_file(0, b"", b"");
        Ok(())
    }

    /// Notes the file whose lines came after the first `before`, if there are any.
    fn end_file(&mut self, before: usize, folder: &[u8], name: &[u8]) {
        let lines = before..self.collector.lines.len();
        if lines.is_empty() {
            return;
        }
        let start = self.paths.len();
        self.paths.extend(folder.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }));
        self.paths.extend_from_slice(name);
        self.files.push(FileHits { part: 0, lines, path: start..self.paths.len() });
    }
}

impl Visit for Grepper<'_> {
    fn file(&mut self, found: Found<'_>) {
        let before = self.collector.lines.len();
        let (folder, path) = found.at;
        let path = Path::new(OsStr::from_bytes(path));
        let searched = match open(folder, path, OFlags::NOFOLLOW) {
            // Gone since its folder was listed.
            Err(Errno::NOENT) => return,
            Err(errno) => Err(errno.into()),
            Ok(fd) => {
                let path_bytes = self.prefix_bytes + found.folder.len() + found.name.len();
                self.collector.hit_cost_bytes = HIT_COST_BYTES + path_bytes;
                self.engine.search(fd.as_fd(), &mut self.collector)
            }
        };
        if searched.is_err() {
            self.collector.budget.skip(1);
        }
        self.end_file(before, found.folder, found.name);
    }
}

fn open(at: BorrowedFd<'_>, path: &Path, more: OFlags) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | more;
    rustix::fs::openat(at, path, flags, Mode::empty())
}
