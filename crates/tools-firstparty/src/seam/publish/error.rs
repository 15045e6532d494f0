//! What can go wrong with a change, as a closed set (decisions DG2).

use std::path::{Path, PathBuf};

use contract_registry::AccessMode;
use rustix::io::Errno;

use crate::seam::error::FsError;
use crate::text::escape::in_message;

/// Why a file was not changed. Every operating system error is one of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// What reading can meet with, too.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// A folder on the way is missing, and is not to be made.
    #[error("no such file")]
    NoFolder {
        /// Where the file would be, links followed.
        real: PathBuf,
    },
    /// The access mode does not allow a change there.
    #[error("{} cannot be changed in this access mode", .real.display())]
    Denied {
        /// The mode.
        mode: AccessMode,
        /// Where the path leads, links followed as far as they were.
        real: PathBuf,
    },
    /// A part of the path before its last is not a folder.
    #[error("{} is not a folder", shown_part(.part.as_deref()))]
    ParentNotFolder {
        /// That part, links followed; absent where only the system knows which.
        part: Option<PathBuf>,
    },
    /// A link on the way leads to nothing.
    #[error("a link that leads to nothing")]
    DanglingLink,
    /// Links lead in a circle, or there are too many.
    #[error("links that lead in a circle")]
    LinkLoop,
    /// No file can have that name.
    #[error("no file can have that name")]
    BadName,
    /// The disk, or the user's share of it, is full.
    #[error("there is no space left")]
    NoSpace,
    /// The file system is mounted for reading only.
    #[error("the file system is read-only")]
    ReadOnlyDisk,
    /// Larger than the file system or the process may make a file.
    #[error("larger than a file may be here")]
    TooLarge,
    /// The system uses the file in a way that forbids the change.
    #[error("the file is in use")]
    InUse,
    /// Another writer did not finish in the time given.
    #[error("another writer holds the folder")]
    Locked,
    /// It was changed by someone else after it was looked at; or its folder takes no new file, as in `/proc`.
    #[error("it or its folder changed while this was being done, or the folder takes no new files")]
    Changed,
    /// The new content is in place; whether it outlives a power loss is not known.
    #[error("the new content is in place, but the folder could not be synced: {0}")]
    Unsure(String),
    /// The call was cancelled.
    #[error("cancelled")]
    Cancelled,
}

fn shown_part(part: Option<&Path>) -> String {
    match part {
        Some(part) => in_message(&part.to_string_lossy()),
        None => "a part of the path before its last".to_owned(),
    }
}

impl From<Errno> for PublishError {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOSPC | Errno::DQUOT => Self::NoSpace,
            Errno::ROFS => Self::ReadOnlyDisk,
            Errno::FBIG => Self::TooLarge,
            Errno::TXTBSY | Errno::BUSY => Self::InUse,
            Errno::LOOP => Self::LinkLoop,
            Errno::NAMETOOLONG | Errno::ILSEQ => Self::BadName,
            Errno::NOTDIR => Self::ParentNotFolder { part: None },
            // Of a path that reached a system call "invalid" says nothing about whether it is there.
            Errno::INVAL => Self::Fs(FsError::Io("Invalid argument".to_owned())),
            other => Self::Fs(other.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seam::error::FileKind;

    #[test]
    fn every_errno_maps_into_the_closed_set() {
        let cases = [
            (Errno::NOSPC, PublishError::NoSpace),
            (Errno::DQUOT, PublishError::NoSpace),
            (Errno::ROFS, PublishError::ReadOnlyDisk),
            (Errno::FBIG, PublishError::TooLarge),
            (Errno::TXTBSY, PublishError::InUse),
            (Errno::BUSY, PublishError::InUse),
            (Errno::LOOP, PublishError::LinkLoop),
            (Errno::NAMETOOLONG, PublishError::BadName),
            (Errno::NOTDIR, PublishError::ParentNotFolder { part: None }),
            (Errno::ACCESS, PublishError::Fs(FsError::PermissionDenied)),
            (Errno::PERM, PublishError::Fs(FsError::PermissionDenied)),
            (Errno::NOENT, PublishError::Fs(FsError::NotFound)),
            (Errno::ISDIR, PublishError::Fs(FsError::NotRegularFile(FileKind::Directory))),
            (Errno::IO, PublishError::Fs(FsError::Io("Input/output error".to_owned()))),
            (Errno::INVAL, PublishError::Fs(FsError::Io("Invalid argument".to_owned()))),
        ];
        for (errno, expected) in cases {
            assert_eq!(PublishError::from(errno), expected);
        }
    }
}
