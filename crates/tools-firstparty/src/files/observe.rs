//! What a session has seen of its files: the guard against writing over what was not read, and against
//! editing what has changed since (decisions DF4). No IO of its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::seam::version::VersionToken;

/// Files that a session remembers unless told otherwise.
const FILES_MAX: usize = 16_384;

/// What a session has seen of its files. A host that wants the guard puts one into the services of each
/// session; where there is none, `write` and `edit` are unconditional.
///
/// `read`, `write` and `edit` note the state they have met with, by the path with all links followed:
///
/// - `write` over a file that was not seen, or was seen missing, is `FS_NOT_OBSERVED`;
/// - `edit` of a file that was not seen is `FS_NOT_OBSERVED`, of one seen missing `FS_NOT_FOUND`;
/// - both, of a file that is not as it was seen, are `FS_STALE_VERSION`.
#[derive(Clone, Debug)]
pub struct Observations {
    seen: Arc<Mutex<Seen>>,
}

impl Default for Observations {
    fn default() -> Self {
        Self::with_max_files(FILES_MAX)
    }
}

/// How a file was seen last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// In this state.
    Present(VersionToken),
    /// Not there.
    Absent,
}

#[derive(Debug)]
struct Seen {
    files: HashMap<PathBuf, (u64, Sight)>,
    max_files: usize,
    clock: u64,
}

impl Observations {
    /// One that remembers up to `max_files` files, at least one; of more, those not met with the longest are
    /// forgotten, and have to be read again.
    #[must_use]
    pub fn with_max_files(max_files: usize) -> Self {
        let seen = Seen { files: HashMap::new(), max_files: max_files.max(1), clock: 0 };
        Self { seen: Arc::new(Mutex::new(seen)) }
    }

    pub(super) fn present(&self, real: &Path, version: VersionToken) {
        self.lock().note(real, Sight::Present(version));
    }

    pub(super) fn absent(&self, real: &Path) {
        self.lock().note(real, Sight::Absent);
    }

    pub(super) fn sight(&self, real: &Path) -> Option<Sight> {
        self.lock().files.get(real).map(|(_, sight)| sight.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn note(&mut self, real: &Path, sight: Sight) {
        self.clock += 1;
        self.files.insert(real.to_owned(), (self.clock, sight));
        if self.files.len() > self.max_files {
            self.forget();
        }
    }

    /// Forgets the older half: seldom, so that noting stays cheap.
    fn forget(&mut self) {
        let mut times: Vec<u64> = self.files.values().map(|(time, _)| *time).collect();
        times.sort_unstable();
        let middle = times.get(times.len() / 2).copied().unwrap_or(self.clock);
        self.files.retain(|_, (time, _)| *time >= middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_met_with_last_are_remembered() {
        let seen = Observations::with_max_files(4);
        for number in 0..5 {
            seen.absent(Path::new(&format!("/{number}")));
        }
        let known = |number: u32| seen.sight(Path::new(&format!("/{number}"))).is_some();
        assert_eq!([0, 1, 2, 3, 4].map(known), [false, false, true, true, true]);
    }

    #[test]
    fn one_file_is_always_remembered() {
        let seen = Observations::with_max_files(0);
        seen.absent(Path::new("/a"));
        seen.absent(Path::new("/b"));
        assert_eq!(seen.sight(Path::new("/b")), Some(Sight::Absent));
    }
}
