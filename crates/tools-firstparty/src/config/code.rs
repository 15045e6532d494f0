//! Limits of programs.

use super::{BYTES_MAX, ConfigError, as_u64, within};

/// Limits of `run_code`. What is in `runtime` bounds a program; the rest is the tool's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeCaps {
    /// Where programs run, and what a run may use.
    pub runtime: code_runtime::Config,
    /// Calls of a program that overlap, where the tools let them; 1 makes one after the other.
    pub max_parallel_calls: usize,
    /// Calls that the message of a failure lists, the latest of them.
    pub failure_max_calls: usize,
    /// Bytes of one call's own message that this list shows.
    pub failure_call_max_bytes: usize,
}

impl Default for CodeCaps {
    fn default() -> Self {
        Self {
            runtime: code_runtime::Config::default(),
            max_parallel_calls: 10,
            failure_max_calls: 100,
            failure_call_max_bytes: 300,
        }
    }
}

impl CodeCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        self.runtime.check().map_err(ConfigError::Code)?;
        within("code.max_parallel_calls", as_u64(self.max_parallel_calls), 1, 1_000)?;
        within("code.failure_max_calls", as_u64(self.failure_max_calls), 1, 100_000)?;
        within("code.failure_call_max_bytes", as_u64(self.failure_call_max_bytes), 16, BYTES_MAX)
    }
}
