//! Changing files: a file's content is replaced whole, through the descriptor of a folder that was judged.
//!
//! 1. The path is walked name by name with descriptors, links read and never followed by the system, so
//!    that there is one way of resolving on every kernel and no step that a swapped link could bend. Links
//!    of `/proc`, which the system would follow without a path, are nothing but the path they spell.
//! 2. Whether the change is allowed is judged on the folder's descriptor: is it, or one of its parents, one
//!    of the open folders, by device and inode? Everything after goes through that same descriptor.
//! 3. The writer waits for its turn: first in line in this process, first come first served, then a
//!    `flock` on the folder, which other Tenon processes take too. Both are on the folder, not on the file,
//!    because publication puts another inode in the file's place.
//! 4. Content goes to a temporary file in the folder (`.tenon-XXXXXXXX.tmp`, locked while its writer lives),
//!    is synced, gets the mode, owner and extended attributes of the old file where the system permits, and
//!    is renamed over it; a new file is renamed where nothing may be. Then the folder is synced.
//!
//! A crash at any point leaves the old file or the new one. Temporary files that a crash left behind go with
//! the next change in that folder. What is not held: a program other than Tenon that changes the file
//! between the last look and the rename loses its change; other names of a hard-linked file keep the old
//! content, because the name gets a file of its own.

mod disk;
mod error;
mod flock;
mod folders;
mod keep;
mod reach;
mod temp;
mod turns;
mod way;

use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

pub use disk::DiskPublisher;
pub use error::PublishError;
pub use reach::Reach;

use super::version::VersionToken;

/// Changes files, as the tools of the family `files` do it.
pub trait Publisher: Debug + Send + Sync + 'static {
    /// Finds a file and holds it: until the answer is dropped, no other call of Tenon changes it.
    ///
    /// # Errors
    /// [`PublishError`]; nothing has changed.
    fn hold(&self, request: &Request<'_>) -> Result<Box<dyn HeldFile>, PublishError>;
}

/// Which file to hold, and on what terms.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The file; absolute, with links and `..` as they were given.
    pub path: &'a Path,
    /// Whether folders on the way are made when missing.
    pub makes_folders: bool,
    /// What may be changed.
    pub reach: &'a Reach,
    /// How long to wait for other writers.
    pub patience: Patience<'a>,
}

impl Debug for Request<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request").field("path", &self.path).finish_non_exhaustive()
    }
}

/// How long to wait, and whether to wait on.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// The longest wait.
    pub max: Duration,
    /// Whether the call was cancelled.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

impl Debug for Patience<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Patience").field("max", &self.max).finish_non_exhaustive()
    }
}

/// A file, or a place for one, that no other call of Tenon changes meanwhile.
pub trait HeldFile: Debug {
    /// Where it is, with all links followed.
    fn real_path(&self) -> &Path;

    /// The state it was found in; `None` when there is no file.
    fn version(&self) -> Option<&VersionToken>;

    /// Its content, or `None` when it has more than `max_bytes`; nothing when there is no file.
    ///
    /// # Errors
    /// What the system said.
    fn read(&self, max_bytes: usize) -> Result<Option<Vec<u8>>, PublishError>;

    /// Replaces the content, or creates the file, and gives the new state. The last look for a cancelled
    /// call and for a change by others is right before it shows.
    ///
    /// # Errors
    /// [`PublishError`]; the old content stands, but for [`PublishError::Unsure`].
    fn publish(
        self: Box<Self>,
        content: &[u8],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<VersionToken, PublishError>;
}
