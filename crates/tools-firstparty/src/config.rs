//! Every limit of the first-party tools: one table of defaults, units in the names, checked when the
//! tools are built (decisions DG3).

use std::time::Duration;

/// Limits of all first-party tools. `Config::default()` is the table of defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Limits of `read`.
    pub read: ReadCaps,
    /// Limits of `glob`.
    pub glob: GlobCaps,
    /// Limits of `grep`.
    pub grep: GrepCaps,
}

/// Limits of `read`. Lines, line length and page bytes bound the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadCaps {
    /// Most lines in one page, and how many are read when `limit` is left out.
    pub page_max_lines: u64,
    /// Characters of a line that are kept; the rest is cut, with a mark.
    pub line_max_chars: usize,
    /// Bytes of text in one page, a line break counted as one. At least one line is always kept.
    pub page_max_bytes: usize,
    /// Bytes at the start of a file in which a NUL means that it is not text.
    pub binary_probe_bytes: usize,
    /// Files from this size on get an index of line positions, so that later pages are found fast.
    pub index_min_bytes: u64,
    /// Bytes of JSON that the metadata may take.
    pub meta_max_bytes: usize,
}

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

impl Default for ReadCaps {
    fn default() -> Self {
        Self {
            page_max_lines: 2_000,
            line_max_chars: 2_000,
            page_max_bytes: 50 * 1024,
            binary_probe_bytes: 8 * 1024,
            index_min_bytes: 1024 * 1024,
            meta_max_bytes: 64 * 1024,
        }
    }
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

/// A limit that cannot work; raised when the tools are built, never when a call happens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A limit is outside what the tools can honour.
    #[error("{key} is {found}, but must be from {min} to {max}")]
    OutOfRange {
        /// The limit, as `tool.name`.
        key: &'static str,
        /// What it was set to.
        found: u64,
        /// The least value that works.
        min: u64,
        /// The greatest value that works.
        max: u64,
    },
    /// A search would be ended from outside before it could end itself and keep its results.
    #[error(
        "{tool}.search.gather_max_ms ({gather_max_ms}) must be less than {tool}.search.timeout_ms ({timeout_ms})"
    )]
    GatherOutlastsTimeout {
        /// The tool.
        tool: &'static str,
        /// Its time for gathering, in milliseconds.
        gather_max_ms: u64,
        /// Its time for the whole call, in milliseconds.
        timeout_ms: u64,
    },
}

/// The longest time that every timer can wait, in milliseconds.
const TIMER_MAX_MS: u64 = 2_147_483_647;
/// The greatest count that JavaScript holds exactly (contract V4).
const COUNT_MAX: u64 = 9_007_199_254_740_991;
/// No page, line or metadata limit needs more, and sizes below it fit every integer used here.
const BYTES_MAX: u64 = 1 << 30;

impl Config {
    /// Checks every limit; the tools call this when they are built.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.read.validate()?;
        self.glob.validate()?;
        self.grep.validate()
    }
}

impl ReadCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        within("read.page_max_lines", self.page_max_lines, 1, BYTES_MAX)?;
        within("read.line_max_chars", as_u64(self.line_max_chars), 1, BYTES_MAX)?;
        within("read.page_max_bytes", as_u64(self.page_max_bytes), 64, BYTES_MAX)?;
        within("read.binary_probe_bytes", as_u64(self.binary_probe_bytes), 1, BYTES_MAX)?;
        within("read.index_min_bytes", self.index_min_bytes, 1, COUNT_MAX)?;
        within("read.meta_max_bytes", as_u64(self.meta_max_bytes), 256, BYTES_MAX)
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

fn within(key: &'static str, found: u64, min: u64, max: u64) -> Result<(), ConfigError> {
    if (min..=max).contains(&found) {
        return Ok(());
    }
    Err(ConfigError::OutOfRange { key, found, min, max })
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid() {
        assert_eq!(Config::default().validate(), Ok(()));
    }

    #[test]
    fn a_limit_that_cannot_work_is_named() {
        let mut config = Config::default();
        config.read.page_max_lines = 0;
        let error = config.validate().expect_err("zero lines");
        assert_eq!(error.to_string(), "read.page_max_lines is 0, but must be from 1 to 1073741824");
    }

    #[test]
    fn gathering_must_end_before_the_call_does() {
        let mut config = Config::default();
        config.grep.search.gather_max_ms = 30_000;
        let error = config.validate().expect_err("gathers as long as the call may take");
        assert!(error.to_string().contains("grep.search.gather_max_ms"), "{error}");
    }

    #[test]
    fn the_value_keeps_at_least_what_the_page_shows() {
        let mut config = Config::default();
        config.grep.value_line_max_bytes = 100;
        assert!(config.validate().is_err());
    }
}
