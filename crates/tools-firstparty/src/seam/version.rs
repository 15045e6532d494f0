//! What tells one state of a file from another when it is about to be changed (decisions DF4).

use sha2::{Digest as _, Sha256};

use super::error::FsError;
use super::fs::{FileVersion, OpenFile};

/// Files up to this size are told apart by their content too: two changes within one tick of the file
/// system's clock leave the same times.
pub(super) const DIGEST_MAX_BYTES: usize = 64 * 1024;

/// One state of a file: which file, its size and times, and of a small file a digest of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionToken {
    device: u64,
    inode: u64,
    size: u64,
    modified_ns: i128,
    changed_ns: i128,
    digest: Option<[u8; 32]>,
}

impl VersionToken {
    /// The state of an open file.
    ///
    /// # Errors
    /// What the system said.
    pub fn of(file: &dyn OpenFile) -> Result<Self, FsError> {
        let version = file.version()?;
        let mut token = Self::without_digest(&version);
        if token.is_small() {
            token.digest = small_digest(|buffer, offset| file.read_at(buffer, offset))?;
        }
        Ok(token)
    }

    pub(super) fn without_digest(version: &FileVersion) -> Self {
        Self {
            device: version.device,
            inode: version.inode,
            size: version.size,
            modified_ns: version.modified_ns,
            changed_ns: version.changed_ns,
            digest: None,
        }
    }

    /// The same with the digest of `content`, when that is small.
    pub(super) fn with_content(mut self, content: &[u8]) -> Self {
        self.digest = (content.len() <= DIGEST_MAX_BYTES).then(|| digest(content));
        self
    }

    /// Size in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    fn is_small(&self) -> bool {
        usize::try_from(self.size).is_ok_and(|size| size <= DIGEST_MAX_BYTES)
    }
}

/// The digest of what `read_at` gives, unless it turns out not to be small.
fn small_digest(
    read_at: impl Fn(&mut [u8], u64) -> Result<usize, FsError>,
) -> Result<Option<[u8; 32]>, FsError> {
    let mut buffer = vec![0; DIGEST_MAX_BYTES + 1];
    let (mut filled, mut offset) = (0, 0);
    while let Some(free) = buffer.get_mut(filled..).filter(|free| !free.is_empty()) {
        match read_at(free, offset)? {
            0 => return Ok(buffer.get(..filled).map(digest)),
            count => {
                filled += count;
                offset += u64::try_from(count).unwrap_or(u64::MAX);
            }
        }
    }
    Ok(None)
}

fn digest(content: &[u8]) -> [u8; 32] {
    Sha256::digest(content).into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::seam::fs::{Disk, FileSystem as _};

    fn token(path: &Path) -> VersionToken {
        VersionToken::of(&*Disk.open(path).expect("opens")).expect("a version")
    }

    #[test]
    fn a_rewrite_of_the_same_size_with_its_time_set_back_is_another_state() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("f");
        fs::write(&path, "one").expect("write");
        let (before, times) = (token(&path), fs::metadata(&path).expect("metadata"));
        assert_eq!(before, token(&path));
        fs::write(&path, "two").expect("write");
        let file = fs::File::options().write(true).open(&path).expect("opens");
        file.set_modified(times.modified().expect("a time")).expect("set back");
        assert_ne!(before, token(&path));
    }

    #[test]
    fn content_tells_small_files_apart_when_nothing_else_does() {
        let version = FileVersion {
            device: 1,
            inode: 2,
            size: 3,
            modified_ns: 4,
            changed_ns: 5,
            is_settled: false,
        };
        let of = |content: &[u8]| VersionToken::without_digest(&version).with_content(content);
        assert_eq!(of(b"one"), of(b"one"));
        assert_ne!(of(b"one"), of(b"two"));
        let large = vec![b'a'; DIGEST_MAX_BYTES + 1];
        assert_eq!(of(&large), VersionToken::without_digest(&version));
    }

    #[test]
    fn two_paths_to_one_file_share_its_state() {
        let dir = tempfile::tempdir().expect("temp dir");
        fs::write(dir.path().join("f"), "one").expect("write");
        std::os::unix::fs::symlink("f", dir.path().join("link")).expect("link");
        assert_eq!(token(&dir.path().join("f")), token(&dir.path().join("link")));
    }
}
