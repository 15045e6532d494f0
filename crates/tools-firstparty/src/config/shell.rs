//! Limits of commands.

use super::{BYTES_MAX, COUNT_MAX, ConfigError, TIMER_MAX_MS, as_u64, within};

/// Limits of `bash`. What is kept of a stream bounds the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BashCaps {
    /// Bytes kept of the beginning of each stream.
    pub head_max_bytes: usize,
    /// Bytes kept of the end of each stream.
    pub tail_max_bytes: usize,
    /// Bytes of each stream that are saved in a file when not all of it is kept.
    pub saved_max_bytes: u64,
    /// Bytes of the end of each stream that the failure of a cancelled call shows, as far as they are kept.
    pub aborted_tail_max_bytes: usize,
    /// Bytes of a command; the system takes no longer argument.
    pub command_max_bytes: usize,
    /// Milliseconds that a command may run when `timeout_ms` is left out.
    pub timeout_default_ms: u64,
    /// Most milliseconds that it can be given.
    pub timeout_max_ms: u64,
    /// Milliseconds that a command has to end once it is told to, before it is killed. A cancelled call is
    /// dropped after 2 s, and its output with it, so this should be well below.
    pub grace_ms: u64,
    /// Whether commands can be run in the background.
    pub background: bool,
    /// Whether `bwrap`, where it is there, confines commands in place of the kernel's Landlock.
    pub bubblewrap: bool,
    /// Names of variables that commands see although they look like credentials' (decisions DR5).
    pub allowed_variables: Vec<String>,
}

impl Default for BashCaps {
    fn default() -> Self {
        Self {
            head_max_bytes: 32_000,
            tail_max_bytes: 32_000,
            saved_max_bytes: 64 * 1024 * 1024,
            aborted_tail_max_bytes: 8 * 1024,
            command_max_bytes: 128 * 1024 - 1,
            timeout_default_ms: 120_000,
            timeout_max_ms: 600_000,
            grace_ms: 1_000,
            background: true,
            bubblewrap: false,
            allowed_variables: Vec::new(),
        }
    }
}

impl BashCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        within("bash.head_max_bytes", as_u64(self.head_max_bytes), 64, BYTES_MAX)?;
        within("bash.tail_max_bytes", as_u64(self.tail_max_bytes), 64, BYTES_MAX)?;
        within("bash.saved_max_bytes", self.saved_max_bytes, 0, COUNT_MAX)?;
        let aborted = as_u64(self.aborted_tail_max_bytes);
        within("bash.aborted_tail_max_bytes", aborted, 64, BYTES_MAX)?;
        within("bash.command_max_bytes", as_u64(self.command_max_bytes), 1, 128 * 1024 - 1)?;
        within("bash.timeout_max_ms", self.timeout_max_ms, 1, TIMER_MAX_MS)?;
        within("bash.timeout_default_ms", self.timeout_default_ms, 1, self.timeout_max_ms)?;
        within("bash.grace_ms", self.grace_ms, 1, TIMER_MAX_MS)
    }
}
