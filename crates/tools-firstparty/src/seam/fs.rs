//! Single files: opened without ever waiting, read at a position, known by a version.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::error::{FileKind, FsError};

/// Access to files, as the tools of the family `files` use it.
pub trait FileSystem: Debug + Send + Sync + 'static {
    /// Opens a regular file for reading; never waits for a pipe or a device.
    ///
    /// # Errors
    /// [`FsError::NotRegularFile`] for whatever is not a regular file, else what the system said.
    fn open(&self, path: &Path) -> Result<Box<dyn OpenFile>, FsError>;

    /// `path` with all links and `..` followed.
    ///
    /// # Errors
    /// What the system said.
    fn canonicalize(&self, path: &Path) -> Result<PathBuf, FsError>;
}

/// A regular file, open for reading.
pub trait OpenFile: Debug + Send {
    /// The version as of now.
    ///
    /// # Errors
    /// What the system said.
    fn version(&self) -> Result<FileVersion, FsError>;

    /// Fills the start of `buffer` from `offset` on; 0 means the end of the file.
    ///
    /// # Errors
    /// What the system said.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FsError>;
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileVersion {
    /// Device number.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of content, in nanoseconds since 1970.
    pub modified_ns: i128,
    /// Time of the last change of the inode, in nanoseconds since 1970.
    pub changed_ns: i128,
    /// The last change is long enough ago for another one to show in the times.
    pub is_settled: bool,
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

/// Time stamps have the grain of a timer tick; a change within this time of the last may not show.
const SETTLE_TIME: Duration = Duration::from_millis(50);

impl FileSystem for Disk {
    fn open(&self, path: &Path) -> Result<Box<dyn OpenFile>, FsError> {
        // Asked first, because opening a device can act on it; asked again on what was opened,
        // because the name can lead elsewhere by then.
        require_regular(&rustix::fs::stat(path)?)?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let fd = rustix::fs::open(path, flags, Mode::empty())?;
        require_regular(&rustix::fs::fstat(&fd)?)?;
        Ok(Box::new(DiskFile { fd }))
    }

    fn canonicalize(&self, path: &Path) -> Result<PathBuf, FsError> {
        Ok(std::fs::canonicalize(path)?)
    }
}

/// A file of this machine.
#[derive(Debug)]
pub(super) struct DiskFile {
    fd: OwnedFd,
}

impl DiskFile {
    /// The descriptor it is open by.
    pub(super) fn fd(&self) -> &OwnedFd {
        &self.fd
    }
}

impl From<OwnedFd> for DiskFile {
    fn from(fd: OwnedFd) -> Self {
        Self { fd }
    }
}

impl OpenFile for DiskFile {
    fn version(&self) -> Result<FileVersion, FsError> {
        Ok(version_of(&rustix::fs::fstat(&self.fd)?))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FsError> {
        loop {
            match rustix::io::pread(&self.fd, &mut *buffer, offset) {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
                Ok(count) => return Ok(count),
            }
        }
    }
}

/// Nothing but a regular file will do.
pub(super) fn require_regular(stat: &Stat) -> Result<(), FsError> {
    let kind = kind_of(stat);
    if kind == FileKind::Regular { Ok(()) } else { Err(FsError::NotRegularFile(kind)) }
}

/// What a status describes.
pub(super) fn kind_of(stat: &Stat) -> FileKind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => FileKind::Regular,
        FileType::Directory => FileKind::Directory,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        FileType::Symlink | FileType::Unknown => FileKind::Other,
    }
}

/// The version that a status describes.
pub(super) fn version_of(stat: &Stat) -> FileVersion {
    let (modified_ns, changed_ns) = (modified_ns(stat), changed_ns(stat));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let settled = now.saturating_sub(SETTLE_TIME).as_nanos();
    FileVersion {
        device: stat.st_dev,
        inode: stat.st_ino,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        modified_ns,
        changed_ns,
        is_settled: modified_ns.max(changed_ns) < i128::try_from(settled).unwrap_or(i128::MAX),
    }
}

/// Time of the last change of content, in nanoseconds since 1970.
pub(super) fn modified_ns(stat: &Stat) -> i128 {
    nanoseconds(i128::from(stat.st_mtime), stat.st_mtime_nsec as i128)
}

fn changed_ns(stat: &Stat) -> i128 {
    nanoseconds(i128::from(stat.st_ctime), stat.st_ctime_nsec as i128)
}

fn nanoseconds(seconds: i128, nanoseconds: i128) -> i128 {
    seconds * 1_000_000_000 + nanoseconds
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_pipe_is_refused_at_once() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::Fifo, Mode::RUSR, 0).expect("fifo");
        let error = Disk.open(&path).expect_err("not a regular file");
        assert_eq!(error, FsError::NotRegularFile(FileKind::Fifo));
    }

    #[test]
    fn folders_devices_and_sockets_are_refused() {
        let dir = tempfile::tempdir().expect("temp dir");
        let socket = dir.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("socket");
        for (path, kind) in [
            (dir.path(), FileKind::Directory),
            (Path::new("/dev/null"), FileKind::Device),
            (&socket, FileKind::Socket),
        ] {
            assert_eq!(Disk.open(path).expect_err("refused"), FsError::NotRegularFile(kind));
        }
    }

    #[test]
    fn a_rewrite_of_the_same_size_is_another_version() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("a");
        fs::write(&path, "one").expect("write");
        let before = Disk.open(&path).and_then(|file| file.version()).expect("version");
        std::thread::sleep(Duration::from_millis(20));
        fs::write(&path, "two").expect("write");
        let after = Disk.open(&path).and_then(|file| file.version()).expect("version");
        assert_ne!(before, after);
        assert_eq!((before.size, after.is_settled), (3, false));
    }
}
