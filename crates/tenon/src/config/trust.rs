//! Trust: which folders' files may run commands and widen permissions, by their content.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::file::{HookFile, Source};
use super::read_if_there;
use crate::exit::Stop;

/// A digest of a workspace's file and of every hook file it names: a change to any of them is a new
/// question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digest(String);

impl Digest {
    pub(super) fn of(source: &Source, hooks: &[HookFile]) -> Self {
        let mut hash = Sha256::new();
        let mut add = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        add(source.text.as_bytes());
        for hook in hooks {
            add(&hook.bytes);
        }
        let mut text = String::new();
        for byte in hash.finalize() {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }
}

/// How long another process's change of the record is waited for, and the pause between two looks.
const LOCK_WAIT: Duration = Duration::from_secs(5);
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The folders a user trusts: `trust.json` in the state root.
#[derive(Debug)]
pub(crate) struct Trust {
    file: PathBuf,
}

impl Trust {
    /// The record in a state root, which need not be there.
    pub(crate) fn at(state_root: &Path) -> Self {
        Self { file: state_root.join("trust.json") }
    }

    /// What was trusted of this folder, if anything was: its files may have changed since.
    pub(crate) fn of(&self, root: &Path) -> Result<Option<Digest>, Stop> {
        Ok(self.read()?.remove(&key(root)?).map(Digest))
    }

    /// Trusts this content of this folder.
    pub(crate) fn accept(&self, root: &Path, digest: &Digest) -> Result<(), Stop> {
        let key = key(root)?;
        let _lock = self.lock()?;
        let mut folders = self.read()?;
        folders.insert(key, digest.0.clone());
        self.replace(&folders)
    }

    /// Trusts nothing of this folder any more; whether anything was.
    pub(crate) fn revoke(&self, root: &Path) -> Result<bool, Stop> {
        let key = key(root)?;
        if !self.read()?.contains_key(&key) {
            return Ok(false);
        }
        let _lock = self.lock()?;
        let mut folders = self.read()?;
        let was = folders.remove(&key).is_some();
        if was {
            self.replace(&folders)?;
        }
        Ok(was)
    }

    /// Shuts out other processes that change the record, until it is dropped: each reads all of it and
    /// writes all of it.
    fn lock(&self) -> Result<File, Stop> {
        let shown = self.file.display();
        let refuse = |error| Stop::internal(format!("{shown}: cannot be locked: {error}"));
        let file = open_lock(&self.file.with_extension("lock")).map_err(refuse)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(refuse(error)),
                Err(TryLockError::WouldBlock) if began.elapsed() < LOCK_WAIT => {
                    std::thread::sleep(LOCK_PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Stop::usage(format!(
                        "{shown} is being changed by another process; nothing was changed, try again"
                    )));
                }
            }
        }
    }

    fn read(&self) -> Result<BTreeMap<String, String>, Stop> {
        let Some(text) = read_if_there(&self.file)? else { return Ok(BTreeMap::new()) };
        for path in [self.file.parent().unwrap_or(Path::new(".")), &self.file] {
            only_ours(path)?;
        }
        serde_json::from_str(&text).map_err(|error| {
            let file = self.file.display();
            Stop::usage(format!("{file}: {error}; remove the file to trust no folder"))
        })
    }

    fn replace(&self, folders: &BTreeMap<String, String>) -> Result<(), Stop> {
        self.write(folders).map_err(|error| {
            Stop::internal(format!("{}: cannot be written: {error}", self.file.display()))
        })
    }

    /// Whole or not at all: a new file takes the place of the old one.
    fn write(&self, folders: &BTreeMap<String, String>) -> std::io::Result<()> {
        let parent = self.file.parent().unwrap_or(Path::new("."));
        private_folder(parent)?;
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        serde_json::to_writer_pretty(&mut file, folders)?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(&self.file)?;
        Ok(())
    }
}

/// Refuses a record that somebody else can have written: whoever writes it decides what runs here.
#[cfg(unix)]
fn only_ours(path: &Path) -> Result<(), Stop> {
    use std::os::unix::fs::MetadataExt as _;
    let shown = path.display();
    let metadata = std::fs::metadata(path);
    let metadata = metadata.map_err(|error| Stop::usage(format!("{shown}: {error}")))?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(Stop::usage(format!(
            "{shown} belongs to another user, so the trust it records is not yours"
        )));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(Stop::usage(format!(
            "{shown} can be written by others, so the trust it records may not be yours; \
             remove the record, or look through it and then run `chmod go-w`"
        )));
    }
    Ok(())
}

#[cfg(not(unix))]
fn only_ours(_: &Path) -> Result<(), Stop> {
    Ok(())
}

/// A file beside the record: the record itself is replaced, and a lock on it would be on the old one.
fn open_lock(path: &Path) -> std::io::Result<File> {
    private_folder(path.parent().unwrap_or(Path::new(".")))?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn private_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// The folder itself, whatever link led to it. A name that is not UTF-8 is escaped byte by byte, behind a
/// word that no absolute path begins with: two folders never share a key.
fn key(root: &Path) -> Result<String, Stop> {
    let canonical =
        root.canonicalize().map_err(|error| Stop::usage(format!("{}: {error}", root.display())))?;
    Ok(match canonical.to_str() {
        Some(name) => name.to_owned(),
        None => format!("bytes:{}", canonical.as_os_str().as_encoded_bytes().escape_ascii()),
    })
}
