//! Limits of the search tools.

use std::time::Duration;

use super::{BYTES_MAX, COUNT_MAX, ConfigError, TIMER_MAX_MS, as_u64, within};

/// Limits that `glob` and `grep` share. They bound what is gathered, so they show in the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchCaps {
    /// Threads of one search; `None` is one for each core, at most 8.
    pub threads: Option<u32>,
    /// Bytes that the value may take, measured as text plus a fixed cost for each item.
    pub value_max_bytes: u64,
    /// Directory entries that one search looks at.
    pub max_entries: u64,
    /// Milliseconds after which a search stops and keeps what it has found.
    pub gather_max_ms: u64,
    /// Milliseconds after which the call itself fails. Longer than `gather_max_ms`.
    pub timeout_ms: u64,
}

/// Limits of `glob`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobCaps {
    /// Paths shown in the text; the value keeps every path.
    pub page_max_paths: usize,
    /// Bytes of JSON that the metadata may take.
    pub meta_max_bytes: usize,
    /// Limits of the search itself.
    pub search: SearchCaps,
}

/// Limits of `grep`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepCaps {
    /// Matches shown in the text; the value keeps every match.
    pub page_max_matches: usize,
    /// Bytes of each line shown in the text.
    pub line_max_bytes: usize,
    /// Bytes of each line kept in the value; what is longer is cut and marked with its full length.
    pub value_line_max_bytes: usize,
    /// Bytes of JSON that the metadata may take.
    pub meta_max_bytes: usize,
    /// Limits of the search itself.
    pub search: SearchCaps,
}

impl Default for SearchCaps {
    fn default() -> Self {
        Self {
            threads: None,
            value_max_bytes: 64 * 1024 * 1024,
            max_entries: 5_000_000,
            gather_max_ms: 25_000,
            timeout_ms: 30_000,
        }
    }
}

impl Default for GlobCaps {
    fn default() -> Self {
        Self { page_max_paths: 100, meta_max_bytes: 64 * 1024, search: SearchCaps::default() }
    }
}

impl Default for GrepCaps {
    fn default() -> Self {
        Self {
            page_max_matches: 250,
            line_max_bytes: 2_000,
            value_line_max_bytes: 16 * 1024,
            meta_max_bytes: 64 * 1024,
            search: SearchCaps::default(),
        }
    }
}

impl GlobCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        within("glob.page_max_paths", as_u64(self.page_max_paths), 1, BYTES_MAX)?;
        within("glob.meta_max_bytes", as_u64(self.meta_max_bytes), 256, BYTES_MAX)?;
        self.search.validate("glob", &GLOB_KEYS)
    }
}

impl GrepCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        within("grep.page_max_matches", as_u64(self.page_max_matches), 1, BYTES_MAX)?;
        within("grep.line_max_bytes", as_u64(self.line_max_bytes), 1, BYTES_MAX)?;
        let line = as_u64(self.line_max_bytes);
        within("grep.value_line_max_bytes", as_u64(self.value_line_max_bytes), line, BYTES_MAX)?;
        within("grep.meta_max_bytes", as_u64(self.meta_max_bytes), 256, BYTES_MAX)?;
        self.search.validate("grep", &GREP_KEYS)
    }
}

/// Names of the shared search limits, as a tool's configuration spells them.
type SearchKeys = [&'static str; 5];
const GLOB_KEYS: SearchKeys = [
    "glob.search.threads",
    "glob.search.value_max_bytes",
    "glob.search.max_entries",
    "glob.search.gather_max_ms",
    "glob.search.timeout_ms",
];
const GREP_KEYS: SearchKeys = [
    "grep.search.threads",
    "grep.search.value_max_bytes",
    "grep.search.max_entries",
    "grep.search.gather_max_ms",
    "grep.search.timeout_ms",
];

impl SearchCaps {
    /// How long a call may take before it fails.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    fn validate(&self, tool: &'static str, keys: &SearchKeys) -> Result<(), ConfigError> {
        let [threads, value, entries, gather, timeout] = *keys;
        if let Some(count) = self.threads {
            within(threads, u64::from(count), 1, 64)?;
        }
        within(value, self.value_max_bytes, 1, BYTES_MAX)?;
        within(entries, self.max_entries, 1, COUNT_MAX)?;
        within(gather, self.gather_max_ms, 1, TIMER_MAX_MS)?;
        within(timeout, self.timeout_ms, 1, TIMER_MAX_MS)?;
        if self.gather_max_ms < self.timeout_ms {
            return Ok(());
        }
        let (gather_max_ms, timeout_ms) = (self.gather_max_ms, self.timeout_ms);
        Err(ConfigError::GatherOutlastsTimeout { tool, gather_max_ms, timeout_ms })
    }
}
