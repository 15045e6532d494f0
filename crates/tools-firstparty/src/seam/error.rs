//! What can go wrong with a file, as a closed set of codes (decisions DG2).

use std::io;

/// A failure of the file system. Every operating system error is one of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FsError {
    /// Nothing is there: a name is missing, a parent is not a folder, or the name cannot exist.
    #[error("no such file")]
    NotFound,
    /// The operating system does not let this process in.
    #[error("permission denied")]
    PermissionDenied,
    /// It exists, but is not a regular file.
    #[error("{0}, not a regular file")]
    NotRegularFile(FileKind),
    /// It exists, but is not a folder.
    #[error("not a folder")]
    NotDirectory,
    /// Anything else, in the operating system's words.
    #[error("{0}")]
    Io(String),
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A folder.
    Directory,
    /// A pipe with a name.
    Fifo,
    /// A socket.
    Socket,
    /// A block or character device.
    Device,
    /// Something else.
    Other,
}

impl std::fmt::Display for FileKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Regular => "a regular file",
            Self::Directory => "a folder",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "a special file",
        })
    }
}

impl From<io::Error> for FsError {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind;
        let kind = error.kind();
        let nothing_there = [
            ErrorKind::NotFound,
            ErrorKind::NotADirectory,
            ErrorKind::InvalidFilename,
            ErrorKind::InvalidInput,
        ];
        if nothing_there.contains(&kind) {
            return Self::NotFound;
        }
        if kind == ErrorKind::PermissionDenied {
            return Self::PermissionDenied;
        }
        if kind == ErrorKind::IsADirectory {
            return Self::NotRegularFile(FileKind::Directory);
        }
        Self::Io(plain(&error))
    }
}

impl From<rustix::io::Errno> for FsError {
    fn from(errno: rustix::io::Errno) -> Self {
        // Opening a socket says "no such device or address".
        if errno == rustix::io::Errno::NXIO {
            return Self::NotRegularFile(FileKind::Socket);
        }
        io::Error::from(errno).into()
    }
}

/// The operating system's sentence without the number behind it.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((sentence, _)) => sentence.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn every_errno_maps_into_the_closed_set() {
        let cases = [
            (Errno::NOENT, FsError::NotFound),
            (Errno::NOTDIR, FsError::NotFound),
            (Errno::NAMETOOLONG, FsError::NotFound),
            (Errno::ACCESS, FsError::PermissionDenied),
            (Errno::PERM, FsError::PermissionDenied),
            (Errno::ISDIR, FsError::NotRegularFile(FileKind::Directory)),
            (Errno::NXIO, FsError::NotRegularFile(FileKind::Socket)),
        ];
        for (errno, expected) in cases {
            assert_eq!(FsError::from(errno), expected);
        }
        assert_eq!(FsError::from(Errno::IO).to_string(), "Input/output error");
    }
}
