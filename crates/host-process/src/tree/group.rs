//! Where there is no `/proc`: the process group, and nothing else.

use rustix::process::{Pid, Signal, test_kill_process_group};

use super::Mark;

#[derive(Debug)]
pub(super) struct Finder {
    leader: Pid,
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) in_group: bool,
}

impl Finder {
    pub(super) fn new(leader: Pid, _: Mark) -> Self {
        Self { leader }
    }

    /// One for the whole group, while there is one. A leader that only waits to be reaped counts there.
    pub(super) fn members(&self) -> Vec<Member> {
        match test_kill_process_group(self.leader) {
            Ok(()) => vec![Member { in_group: true }],
            Err(_) => Vec::new(),
        }
    }

    pub(super) fn signal(&self, _: &Member, _: Signal) {}
}
