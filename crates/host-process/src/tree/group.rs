//! Where there is no `/proc`: the process group, and nothing else.

use rustix::process::{Pid, test_kill_process_group};

use super::Mark;

#[derive(Debug)]
pub(super) struct Finder {
    leader: Pid,
}

impl Finder {
    pub(super) fn new(leader: Pid, _: Mark) -> Self {
        Self { leader }
    }

    /// One for the whole group, while there is one. A leader that only waits to be reaped counts there.
    pub(super) fn members(&self) -> Vec<()> {
        match test_kill_process_group(self.leader) {
            Ok(()) => vec![()],
            Err(_) => Vec::new(),
        }
    }
}
