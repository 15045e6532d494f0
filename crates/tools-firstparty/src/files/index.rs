//! Where lines are in large files: a small cache, so that paging deep into one does not read it all again.
//!
//! Bounded: [`FILES_MAX`] files with at most [`MARKS_MAX`] marks each, about 1 MiB in all.

use std::sync::{Arc, Mutex, PoisonError};

use crate::seam::fs::FileVersion;

/// Files that are remembered at a time.
const FILES_MAX: usize = 16;
/// Marks of one file; when there are more, every second one goes.
const MARKS_MAX: usize = 4_096;
/// Bytes between two marks to begin with.
const FIRST_STRIDE_BYTES: u64 = 256 * 1024;

/// A place in a file and the line breaks before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) offset: u64,
    pub(super) newlines: u64,
}

/// What one whole pass over a file has shown.
#[derive(Clone, Debug)]
pub(super) struct LineIndex {
    marks: Vec<Mark>,
    stride_bytes: u64,
    pub(super) total_lines: u64,
}

impl LineIndex {
    pub(super) fn new() -> Self {
        Self { marks: Vec::new(), stride_bytes: FIRST_STRIDE_BYTES, total_lines: 0 }
    }

    /// Offers a mark; it is kept when far enough from the last one.
    pub(super) fn offer(&mut self, mark: Mark) {
        let last = self.marks.last().map_or(0, |last| last.offset);
        if mark.offset < last + self.stride_bytes {
            return;
        }
        self.marks.push(mark);
        if self.marks.len() > MARKS_MAX {
            let mut keep = false;
            self.marks.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride_bytes *= 2;
        }
    }

    /// The last mark from which the start of `line` is still to come.
    pub(super) fn before(&self, line: u64) -> Option<Mark> {
        let after = self.marks.partition_point(|mark| mark.newlines + 1 < line);
        after.checked_sub(1).and_then(|at| self.marks.get(at)).copied()
    }
}

/// Indexes of the files read last, by version.
#[derive(Debug, Default)]
pub(super) struct IndexCache {
    entries: Mutex<Vec<(FileVersion, Arc<LineIndex>)>>,
}

impl IndexCache {
    /// The index of exactly this version.
    pub(super) fn get(&self, version: &FileVersion) -> Option<Arc<LineIndex>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().position(|(known, _)| known == version)?;
        let entry = entries.remove(at);
        let index = Arc::clone(&entry.1);
        entries.push(entry);
        Some(index)
    }

    /// Remembers an index; the file not asked for the longest is forgotten.
    pub(super) fn put(&self, version: FileVersion, index: LineIndex) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|(known, _)| (known.device, known.inode) != (version.device, version.inode));
        if entries.len() == FILES_MAX {
            entries.remove(0);
        }
        entries.push((version, Arc::new(index)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stay_bounded_and_lead_to_before_the_line() {
        let mut index = LineIndex::new();
        for step in 1..=20_000 {
            index.offer(Mark { offset: step * FIRST_STRIDE_BYTES, newlines: step * 10 });
        }
        assert!(index.marks.len() <= MARKS_MAX);
        let mark = index.before(100_000).expect("a mark");
        assert!(mark.newlines < 99_999 && mark.newlines > 99_000, "{mark:?}");
        assert_eq!(index.before(1), None);
        // A mark with all line breaks before the line could stand inside that line.
        let first = index.marks[0];
        assert_eq!(index.before(first.newlines + 1), None);
        assert_eq!(index.before(first.newlines + 2), Some(first));
    }

    #[test]
    fn the_cache_keeps_the_files_asked_for_last() {
        let cache = IndexCache::default();
        let version = |inode| FileVersion {
            device: 1,
            inode,
            size: 1,
            modified_ns: 1,
            changed_ns: 1,
            is_settled: true,
        };
        for inode in 0..16 {
            cache.put(version(inode), LineIndex::new());
        }
        assert!(cache.get(&version(0)).is_some());
        cache.put(version(16), LineIndex::new());
        assert!(cache.get(&version(0)).is_some() && cache.get(&version(1)).is_none());
        let changed = FileVersion { size: 2, ..version(0) };
        assert!(cache.get(&changed).is_none());
    }
}
