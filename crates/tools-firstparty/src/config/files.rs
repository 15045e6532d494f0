//! Limits of the tools for single files.

use super::{BYTES_MAX, COUNT_MAX, ConfigError, as_u64, within};

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
