//! The full stream in a file, for streams that do not fit the memory kept of them.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::unique::unique;

/// Where the full streams of a command go, a file each, once they do not fit their [`Window`](crate::Window)
/// (decisions DR2). Files are readable by their owner only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spool {
    /// The folder for the files. It must be there.
    pub folder: PathBuf,
    /// How much of one stream is written, in bytes. What comes after is only in the window.
    pub max_bytes: u64,
}

impl Spool {
    /// New names for the files of stdout and stderr.
    pub(crate) fn paths(&self) -> [PathBuf; 2] {
        let stem = unique();
        ["stdout", "stderr"].map(|stream| self.folder.join(format!("{stem}.{stream}")))
    }
}

/// A stream's file. Unless it is [kept](Self::keep) it is removed once nothing refers to it: no result, no
/// [`Output`](crate::Output), no [`Stopper`](crate::Stopper) of its command.
#[derive(Debug, Clone)]
pub struct Spooled {
    file: Arc<SpoolFile>,
}

#[derive(Debug)]
struct SpoolFile {
    path: PathBuf,
    bytes: AtomicU64,
    incomplete: AtomicBool,
}

/// The files that nobody has kept. Who takes one out removes it while this is locked, or keeps it.
static UNKEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unkept() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNKEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every file that nobody has kept, for a program about to exit: results that it still holds are not
/// dropped then.
pub(crate) fn remove_unkept() {
    let mut unkept = unkept();
    for path in std::mem::take(&mut *unkept) {
        // Of a file that cannot be removed there is nobody to tell.
        let _ = fs::remove_file(path);
    }
}

impl Spooled {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// How many bytes are in it: the beginning of the stream, without a gap.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.file.bytes.load(Ordering::Acquire)
    }

    /// Whether it holds all that was read of the stream so far. It does not once the stream is longer than
    /// [`Spool::max_bytes`] or the file could not be written.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.file.incomplete.load(Ordering::Acquire)
    }

    /// Leaves the file to the caller: it is not removed any more. After [`end_all`](crate::end_all) there is none.
    pub fn keep(&self) -> &Path {
        unkept().remove(self.path());
        self.path()
    }
}

impl PartialEq for Spooled {
    fn eq(&self, other: &Self) -> bool {
        self.file.path == other.file.path
    }
}

impl Eq for Spooled {}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        let mut unkept = unkept();
        if unkept.remove(&self.path) {
            // Who removed it before us did what was to be done.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes one stream's file. Nothing that goes wrong here is a fault of the run.
#[derive(Debug)]
pub(crate) struct Spooler {
    path: PathBuf,
    max_bytes: u64,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Unopened,
    Open(File, Spooled),
    Over,
}

impl Spooler {
    /// There must be nothing at the path.
    pub(crate) fn new(path: &Path, max_bytes: u64) -> Self {
        Self { path: path.to_owned(), max_bytes, stage: Stage::Unopened }
    }

    /// Whether the file is still to be made, with what was held of the stream first.
    pub(crate) fn is_unopened(&self) -> bool {
        matches!(self.stage, Stage::Unopened)
    }

    /// Makes the file. None where that cannot be.
    pub(crate) fn open(&mut self) -> Option<Spooled> {
        let mut unkept = unkept();
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.path);
        let Ok(file) = opened else {
            self.stage = Stage::Over;
            return None;
        };
        unkept.insert(self.path.clone());
        drop(unkept);
        let spooled = Spooled {
            file: Arc::new(SpoolFile {
                path: self.path.clone(),
                bytes: AtomicU64::new(0),
                incomplete: AtomicBool::new(false),
            }),
        };
        self.stage = Stage::Open(file, spooled.clone());
        Some(spooled)
    }

    /// Appends what still fits.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let Stage::Open(file, spooled) = &mut self.stage else { return };
        let room = self.max_bytes - spooled.bytes();
        let fits = usize::try_from(room).map_or(bytes.len(), |room| room.min(bytes.len()));
        let written = append(file, bytes.get(..fits).unwrap_or_default());
        spooled.file.bytes.fetch_add(written as u64, Ordering::AcqRel);
        if written < bytes.len() {
            spooled.file.incomplete.store(true, Ordering::Release);
            self.stage = Stage::Over;
        }
    }
}

/// How many of the bytes could be written.
fn append(file: &mut File, bytes: &[u8]) -> usize {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match file.write(rest) {
            Ok(0) => break,
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_ends_the_file_and_nothing_else() {
        let path = std::env::temp_dir().join(unique());
        let mut spooler = Spooler::new(&path, 100);
        let spooled = spooler.open().unwrap();
        // The device every write to which finds no space.
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        spooler.stage = Stage::Open(full, spooled.clone());
        spooler.write(b"some");
        spooler.write(b"more");
        assert_eq!((spooled.bytes(), spooled.is_complete()), (0, false));
        drop((spooler, spooled));
        assert!(!path.exists());
    }
}
