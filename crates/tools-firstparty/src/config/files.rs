//! Limits of the tools for single files.

use std::time::Duration;

use super::{BYTES_MAX, COUNT_MAX, ConfigError, TIMER_MAX_MS, as_u64, within};

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

/// Limits that `write` and `edit` share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeCaps {
    /// Milliseconds to wait for another writer in the same folder.
    pub lock_wait_max_ms: u64,
    /// Lines that a diff compares, of both texts together, without those at both ends that are the same. Of
    /// more, the first are compared.
    pub diff_max_lines: usize,
    /// Bytes of JSON that the metadata may take.
    pub meta_max_bytes: usize,
}

/// Limits of `write`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteCaps {
    /// From this many bytes on, of the old or the new content, the value does not say what was there before.
    pub diff_basis_max_bytes: usize,
    /// Limits shared with `edit`.
    pub change: ChangeCaps,
}

/// Limits of `edit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditCaps {
    /// Most bytes of a file, before and after.
    pub file_max_bytes: usize,
    /// Bytes at the start of a file that are searched for text that differs from `old_string` in blanks only.
    pub hint_max_bytes: usize,
    /// How many places a refusal names when `old_string` is in the file more than once.
    pub places_max: usize,
    /// Limits shared with `write`.
    pub change: ChangeCaps,
}

impl Default for ChangeCaps {
    fn default() -> Self {
        Self { lock_wait_max_ms: 10_000, diff_max_lines: 20_000, meta_max_bytes: 64 * 1024 }
    }
}

impl Default for WriteCaps {
    fn default() -> Self {
        Self { diff_basis_max_bytes: 10 * 1024 * 1024, change: ChangeCaps::default() }
    }
}

impl Default for EditCaps {
    fn default() -> Self {
        Self {
            file_max_bytes: 64 * 1024 * 1024,
            hint_max_bytes: 1024 * 1024,
            places_max: 5,
            change: ChangeCaps::default(),
        }
    }
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

impl WriteCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        within("write.diff_basis_max_bytes", as_u64(self.diff_basis_max_bytes), 1, BYTES_MAX)?;
        self.change.validate(&WRITE_KEYS)
    }
}

impl EditCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        within("edit.file_max_bytes", as_u64(self.file_max_bytes), 1, BYTES_MAX)?;
        within("edit.hint_max_bytes", as_u64(self.hint_max_bytes), 0, BYTES_MAX)?;
        within("edit.places_max", as_u64(self.places_max), 1, 1_000)?;
        self.change.validate(&EDIT_KEYS)
    }
}

/// Names of the shared limits, as a tool's configuration spells them.
type ChangeKeys = [&'static str; 3];
const WRITE_KEYS: ChangeKeys =
    ["write.change.lock_wait_max_ms", "write.change.diff_max_lines", "write.change.meta_max_bytes"];
const EDIT_KEYS: ChangeKeys =
    ["edit.change.lock_wait_max_ms", "edit.change.diff_max_lines", "edit.change.meta_max_bytes"];

impl ChangeCaps {
    /// How long to wait for another writer.
    #[must_use]
    pub fn lock_wait(&self) -> Duration {
        Duration::from_millis(self.lock_wait_max_ms)
    }

    fn validate(&self, keys: &ChangeKeys) -> Result<(), ConfigError> {
        let [wait, lines, meta] = *keys;
        within(wait, self.lock_wait_max_ms, 1, TIMER_MAX_MS)?;
        within(lines, as_u64(self.diff_max_lines), 1, 10_000_000)?;
        within(meta, as_u64(self.meta_max_bytes), 256, BYTES_MAX)
    }
}
