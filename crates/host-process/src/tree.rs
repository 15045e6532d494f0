//! The processes that a command started, and their end.

use rustix::process::Pid;
#[cfg(target_os = "linux")]
use rustix::process::Signal;

use crate::unique::unique;

#[cfg(target_os = "linux")]
#[path = "tree/proc.rs"]
mod find;
#[cfg(not(target_os = "linux"))]
#[path = "tree/group.rs"]
mod find;

/// The name that marks the environment of everything in one tree. Trees within trees carry the marks of all.
#[derive(Debug)]
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Self {
        Self(format!("HOST_PROCESS_TREE_{}", unique()))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }
}

/// The tree under one process, its root, which must not be reaped while this is used.
#[derive(Debug)]
pub(crate) struct Tree {
    #[cfg(not(target_os = "linux"))]
    root: Pid,
    finder: find::Finder,
}

impl Tree {
    pub(crate) fn new(root: Pid, mark: Mark) -> Self {
        Self {
            #[cfg(not(target_os = "linux"))]
            root,
            finder: find::Finder::new(root, mark),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn root(&self) -> Pid {
        self.root
    }

    /// How many of it are there; those that only wait to be reaped do not count.
    pub(crate) fn size(&self) -> usize {
        self.finder.members().len()
    }

    /// Signals each of it, but for those in `group`, which was signalled as one.
    #[cfg(target_os = "linux")]
    pub(crate) fn signal(&self, signal: Signal, group: Option<Pid>) {
        for member in self.finder.members().iter().filter(|member| !member.is_in(group)) {
            self.finder.signal(member, signal);
        }
    }
}
