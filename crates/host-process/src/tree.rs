//! The processes that a command started, and their end.

use rustix::process::{Pid, Signal, kill_process_group};

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

/// The tree of one leader, which must not be reaped while this is used.
#[derive(Debug)]
pub(crate) struct Tree {
    leader: Pid,
    finder: find::Finder,
}

impl Tree {
    pub(crate) fn new(leader: Pid, mark: Mark) -> Self {
        Self { leader, finder: find::Finder::new(leader, mark) }
    }

    pub(crate) fn leader(&self) -> Pid {
        self.leader
    }

    /// How many of it are there, the leader included; those that only wait to be reaped do not count.
    pub(crate) fn size(&self) -> usize {
        self.finder.members().len()
    }

    /// Tells all of it to end; what is stopped is woken to hear it. How many were told.
    pub(crate) fn terminate(&self) -> usize {
        let told = self.signal(Signal::TERM);
        self.signal(Signal::CONT);
        told
    }

    /// Kills all of it. What was being started meanwhile is met by the next call.
    pub(crate) fn kill(&self) -> usize {
        self.signal(Signal::KILL)
    }

    fn signal(&self, signal: Signal) -> usize {
        let members = self.finder.members();
        // The group first: it takes those along that are just being started. It may be gone.
        let _ = kill_process_group(self.leader, signal);
        for member in members.iter().filter(|member| !member.in_group) {
            self.finder.signal(member, signal);
        }
        members.len()
    }
}
