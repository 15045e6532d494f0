//! Whole searches: everything that matches, in a fixed order, and what stood in the way.
//!
//! A search runs in parallel. When it runs into a limit of size, what a parallel walk holds depends on
//! timing; then it is thrown away and the tree is walked again in path order up to the limit, which
//! gives the same part of the results every time.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use grep_regex::RegexMatcher;

use super::budget::{Budget, Stop};
use super::error::{FileKind, FsError};
use super::fs::kind_of;
use super::hits::{Grepper, Hits, Part};
use super::rules::is_vcs_name;
use super::stamps::{Stamped, Stamper};
use super::walk::{Tree, Visit};
use crate::config::SearchCaps;
use crate::search::pattern::{FileMatch, PathPattern};

/// Where to search, and within which limits.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The folder or file, absolute.
    pub(crate) root: &'a Path,
    /// The workspace; version control folders above it do not count.
    pub(crate) workspace_root: &'a Path,
    pub(crate) pattern: &'a PathPattern,
    /// Bytes that each path of the value begins with.
    pub(crate) prefix_bytes: usize,
    pub(crate) caps: &'a SearchCaps,
    pub(crate) is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// What a search has found.
#[derive(Debug, Default)]
pub(crate) struct Gathered<T> {
    pub(crate) found: T,
    /// Why it ended early.
    pub(crate) stop: Option<Stop>,
    /// Entries that could not be read.
    pub(crate) skipped: u64,
}

/// All files that match, most recently changed first.
///
/// # Errors
/// What the system said about the root.
pub(crate) fn find_files(scope: Scope<'_>) -> Result<Gathered<Vec<Stamped>>, FsError> {
    if kind_at(scope.root)? != FileKind::Directory {
        return Err(FsError::NotDirectory);
    }
    if scope.is_inside_vcs() {
        return Ok(Gathered::default());
    }
    let parts = gather(scope, &Files { prefix_bytes: scope.prefix_bytes })?;
    Ok(parts.map(|parts| {
        let mut files: Vec<Stamped> = parts.into_iter().flatten().collect();
        // This sort finds the parts that are in order, and only merges them.
        files.sort_by(last_changed_first);
        files
    }))
}

/// All matching lines, by file in path order; within a file, by line.
///
/// # Errors
/// What the system said about the root.
pub(crate) fn find_lines(
    scope: Scope<'_>,
    matcher: &RegexMatcher,
    line_max_bytes: usize,
) -> Result<Gathered<Hits>, FsError> {
    let kind = kind_at(scope.root)?;
    if scope.is_inside_vcs() {
        return Ok(Gathered::default());
    }
    if kind != FileKind::Directory {
        return find_lines_in_file(scope, matcher, line_max_bytes);
    }
    let lines = Lines { matcher, line_max_bytes, prefix_bytes: scope.prefix_bytes };
    Ok(gather(scope, &lines)?.map(Hits::merge))
}

fn find_lines_in_file(
    scope: Scope<'_>,
    matcher: &RegexMatcher,
    line_max_bytes: usize,
) -> Result<Gathered<Hits>, FsError> {
    let name = scope.root.file_name().map(OsStr::as_bytes).unwrap_or_default();
    let start = scope.pattern.start();
    if scope.pattern.matches_file(&start, name) == FileMatch::No {
        return Ok(Gathered::default());
    }
    let budget = Budget::new(scope.caps, scope.is_cancelled);
    let mut grepper = Grepper::new(matcher, &budget, line_max_bytes, scope.prefix_bytes);
    grepper.one_file(scope.root)?;
    let (stop, skipped) = (budget.stopped(), budget.skipped());
    Ok(Gathered { found: Hits::merge(vec![grepper.into_part()]), stop, skipped })
}

/// A kind of search: what each thread of a walk does, and what comes of it.
trait Search: Sync {
    type Visitor<'b>: Visit
    where
        Self: 'b;
    /// What a thread ends with, in the order of the results.
    type Part: Send;

    const SHOWS_LINKS: bool;

    fn visitor<'b>(&'b self, budget: &'b Budget<'b>) -> Self::Visitor<'b>;

    fn part(visitor: Self::Visitor<'_>) -> Self::Part;
}

struct Files {
    prefix_bytes: usize,
}

impl Search for Files {
    type Visitor<'b> = Stamper<'b>;
    type Part = Vec<Stamped>;

    const SHOWS_LINKS: bool = true;

    fn visitor<'b>(&'b self, budget: &'b Budget<'b>) -> Stamper<'b> {
        Stamper::new(budget, self.prefix_bytes)
    }

    fn part(visitor: Stamper<'_>) -> Vec<Stamped> {
        let mut files = visitor.into_found();
        files.sort_unstable_by(last_changed_first);
        files
    }
}

struct Lines<'m> {
    matcher: &'m RegexMatcher,
    line_max_bytes: usize,
    prefix_bytes: usize,
}

impl Search for Lines<'_> {
    type Visitor<'b>
        = Grepper<'b>
    where
        Self: 'b;
    type Part = Part;

    const SHOWS_LINKS: bool = false;

    fn visitor<'b>(&'b self, budget: &'b Budget<'b>) -> Grepper<'b> {
        Grepper::new(self.matcher, budget, self.line_max_bytes, self.prefix_bytes)
    }

    fn part(visitor: Grepper<'_>) -> Part {
        visitor.into_part()
    }
}

fn gather<S: Search>(scope: Scope<'_>, search: &S) -> Result<Gathered<Vec<S::Part>>, FsError> {
    let budget = Budget::new(scope.caps, scope.is_cancelled);
    let parts = scope.tree::<S>(&budget)?.walk(|| search.visitor(&budget), S::part)?;
    let stop = budget.stopped();
    if !matches!(stop, Some(Stop::Bytes | Stop::Entries)) {
        return Ok(Gathered { found: parts, stop, skipped: budget.skipped() });
    }
    drop(parts);
    let budget = budget.again();
    let mut visitor = search.visitor(&budget);
    scope.tree::<S>(&budget)?.walk_sorted(&mut visitor)?;
    let (stop, skipped) = (budget.stopped(), budget.skipped());
    Ok(Gathered { found: vec![S::part(visitor)], stop, skipped })
}

impl<T> Gathered<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Gathered<U> {
        Gathered { found: change(self.found), stop: self.stop, skipped: self.skipped }
    }
}

impl Scope<'_> {
    /// The root is a version control folder, or below one.
    fn is_inside_vcs(&self) -> bool {
        let inner = self.root.strip_prefix(self.workspace_root).unwrap_or(self.root);
        inner.components().any(|part| match part {
            Component::Normal(name) => is_vcs_name(name.as_bytes()),
            Component::Prefix(_)
            | Component::RootDir
            | Component::CurDir
            | Component::ParentDir => false,
        })
    }

    fn tree<'t, S: Search>(&'t self, budget: &'t Budget<'t>) -> Result<Tree<'t>, FsError> {
        let tree = Tree::open(self.root, self.pattern, budget)?;
        Ok(if S::SHOWS_LINKS { tree.with_links() } else { tree })
    }
}

fn kind_at(path: &Path) -> Result<FileKind, FsError> {
    Ok(kind_of(&rustix::fs::stat(path)?))
}

fn last_changed_first(a: &Stamped, b: &Stamped) -> Ordering {
    b.modified_ns.cmp(&a.modified_ns).then_with(|| in_path_order(&a.path, &b.path))
}

/// Paths as a walk in order meets them: part by part, so `a/b` comes before `a-b`.
fn in_path_order(a: &[u8], b: &[u8]) -> Ordering {
    let rank = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    a.iter().map(rank).cmp(b.iter().map(rank))
}
