//! Limits of the local store.

use std::time::Duration;

/// How much the local store keeps, and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalConfig {
    /// Bytes in all files under the root. To make room, files of sessions that are not live go, oldest
    /// first; when that is not enough, a text is not saved. It is a hard limit for one process. Processes
    /// that share a root count each other's files every five minutes only, so that together they may exceed it
    /// by what they save in between.
    pub max_total_bytes: u64,
    /// Age from which a file of a session that is not live goes.
    pub max_age: Duration,
    /// How long a call waits for its text to be saved before the text stays inline; the policy has a deadline
    /// for every store beside it, [`SpillConfig::save_deadline_ms`](crate::SpillConfig::save_deadline_ms).
    pub save_deadline: Duration,
}

impl Default for LocalConfig {
    /// 1 GiB, 14 days, a minute.
    fn default() -> Self {
        Self {
            max_total_bytes: 1 << 30,
            max_age: Duration::from_secs(14 * 24 * 60 * 60),
            save_deadline: Duration::from_secs(60),
        }
    }
}
