//! What is hard to end, and what there is to be counted.

use std::fs;

use crate::support::zombies;

/// What this process holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Census {
    descriptors: usize,
    threads: usize,
    zombies: usize,
}

impl Census {
    pub(crate) fn take() -> Self {
        let count = |path| fs::read_dir(path).unwrap().count();
        Self {
            descriptors: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
            zombies: zombies(),
        }
    }
}

/// How many processes of [`hard_to_end`] carry the mark, the shell that reads it included.
pub(crate) const HARD: usize = 7;

/// A script that leaves behind what is hard to end. Each has `mark`, a number, on its command line; where the
/// environment is cleared, that is all there is to know it by.
pub(crate) fn hard_to_end(mark: &str) -> String {
    [
        "sleep MARK &",
        "setsid sleep MARK &",
        // Forked twice, in a session of its own.
        "(setsid sh -c 'env -i setsid sleep MARK & exit' &)",
        "env -i sh -c \"trap '' TERM HUP INT; while :; do sleep MARK; done\" &",
        "(env -i setsid sh -c 'kill -STOP $$; : MARK' &)",
    ]
    .join("\n")
    .replace("MARK", mark)
}
