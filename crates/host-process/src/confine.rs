//! Keeping what a command writes within bounds (decisions DF5).

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::ProcessError;

mod bubblewrap;
mod clearing;
mod denied;
mod folder;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
#[path = "confine/elsewhere.rs"]
mod linux;

pub(crate) use denied::denied;
use folder::PrivateFolder;
pub(crate) use linux::Bounds;

/// What a command may write, and whether it has a network. It may read what this program may.
#[derive(Debug, Clone)]
pub struct Confinement {
    mode: Mode,
    writable: Vec<PathBuf>,
    temporary: PathBuf,
    network: bool,
    bubblewrap: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    ReadOnly,
    WorkspaceWrite,
}

/// How far a confinement is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforcement {
    /// All of it.
    Full,
    /// Some of it.
    Partial,
    /// Nothing: the command was not confined.
    None,
}

/// What came of a confinement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confined {
    /// How far it was enforced.
    pub enforcement: Enforcement,
    /// What was not enforced, in a few words each.
    pub missing: Vec<&'static str>,
    /// What the command was refused to write, as far as that can be known: its stderr has the system's words
    /// for a refusal beside a path that the confinement keeps it from and that this program itself could write.
    /// A command that says nothing of it, or says it in another language, is not in here.
    pub denied: Vec<PathBuf>,
}

impl Confinement {
    /// It may write a private temporary folder, which is made for it and removed after it. `TMPDIR` names that.
    #[must_use]
    pub fn read_only() -> Self {
        Self {
            mode: Mode::ReadOnly,
            writable: Vec::new(),
            temporary: std::env::temp_dir(),
            network: true,
            bubblewrap: false,
        }
    }

    /// It may write in these folders, and in the temporary folder of the system.
    #[must_use]
    pub fn workspace_write(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let writable = roots.into_iter().collect();
        Self { mode: Mode::WorkspaceWrite, writable, ..Self::read_only() }
    }

    /// One more file or folder that it may write, under either mode (decisions DR6). What is not there when the
    /// command starts is not allowed by this.
    #[must_use]
    pub fn writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.writable.push(path.into());
        self
    }

    /// The temporary folder, where that is not the system's: writable as a whole, or the place of the private one.
    #[must_use]
    pub fn temporary(mut self, path: impl Into<PathBuf>) -> Self {
        self.temporary = path.into();
        self
    }

    /// Whether it has a network; without this it has. Without one it has no sockets but local ones.
    #[must_use]
    pub fn network(mut self, network: bool) -> Self {
        self.network = network;
        self
    }

    /// Whether `bwrap` is to confine it, if that program is there; without this, the kernel's Landlock does.
    #[must_use]
    pub fn bubblewrap(mut self, bubblewrap: bool) -> Self {
        self.bubblewrap = bubblewrap;
        self
    }

    /// How far it would be enforced here, running nothing.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Confine`] as [`Command::start`](crate::Command::start) gives it.
    pub fn check(&self) -> Result<Confined, ProcessError> {
        self.prepare().map(|prepared| prepared.confined)
    }

    pub(crate) fn prepare(&self) -> Result<Prepared, ProcessError> {
        self.prepared().map_err(|source| ProcessError::Confine { source })
    }

    fn prepared(&self) -> io::Result<Prepared> {
        let folder = match self.mode {
            Mode::ReadOnly => Some(PrivateFolder::new(&self.temporary)?),
            Mode::WorkspaceWrite => None,
        };
        let temporary = folder.as_ref().map_or(self.temporary.as_path(), PrivateFolder::path);
        let named = self.writable.iter().map(PathBuf::as_path).chain([temporary]);
        // What is not there cannot be written, nor named to the system.
        let writable: Vec<PathBuf> = named.filter_map(|path| path.canonicalize().ok()).collect();
        let wrapper = self.bubblewrap.then(bubblewrap::find).flatten();
        let (bounds, confined) = match &wrapper {
            Some(_) => (Bounds::default(), Confined::full()),
            None => linux::bounds(&writable, self.network)?,
        };
        let wrap = wrapper.map(|program| bubblewrap::wrap(program, &writable, self.network));
        Ok(Prepared { folder, writable, bounds, wrap, confined })
    }
}

impl Confined {
    fn full() -> Self {
        Self { enforcement: Enforcement::Full, missing: Vec::new(), denied: Vec::new() }
    }
}

/// A confinement made ready for one command.
#[derive(Debug)]
pub(crate) struct Prepared {
    folder: Option<PrivateFolder>,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) bounds: Bounds,
    /// A program to start in the command's place, with what comes before the command.
    pub(crate) wrap: Option<Vec<OsString>>,
    pub(crate) confined: Confined,
}

impl Prepared {
    /// The private temporary folder.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(PrivateFolder::path)
    }

    /// Removes it, at most until then if that is given. Whether it is through.
    pub(crate) fn remove_folder(&mut self, until: Option<Instant>) -> bool {
        self.folder.as_mut().is_none_or(|folder| folder.remove(until))
    }
}
