//! Commands: the only module that starts any.

use std::error::Error as _;
use std::fmt::Debug;
use std::fs::{File, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use contract_registry::{AccessMode, SessionId};
use host_process::{
    Captured, Command, Confinement, Environment, ProcessError, Running, Spool, Window,
};
use tempfile::TempDir;

use crate::config::{AccessCaps, BashCaps};
use crate::text::escape::in_message;

/// Where full outputs of commands are saved when a result shows a part of them only.
pub trait OutputStore: Debug + Send + Sync + 'static {
    /// The folder for a session's files, made if it is not there; `None` where nothing can be saved. It is
    /// called where blocking is allowed.
    fn folder(&self, session: Option<&SessionId>) -> Option<PathBuf>;
}

/// Saves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOutputs;

impl OutputStore for NoOutputs {
    fn folder(&self, _: Option<&SessionId>) -> Option<PathBuf> {
        None
    }
}

/// Saves in one private folder under the system's temporary one, which goes with this value.
#[derive(Debug, Default)]
pub struct TemporaryOutputs {
    folder: Mutex<Option<TempDir>>,
}

impl OutputStore for TemporaryOutputs {
    fn folder(&self, _: Option<&SessionId>) -> Option<PathBuf> {
        let mut folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        if folder.is_none() {
            let mut private = tempfile::Builder::new();
            private.prefix("tenon-outputs-").permissions(Permissions::from_mode(0o700));
            // Without room for a folder there is none for output either.
            *folder = private.tempdir().ok();
        }
        folder.as_ref().map(|folder| folder.path().to_owned())
    }
}

/// A command for `bash -c`, ready to start.
#[derive(Debug)]
pub(crate) struct BashCommand<'a> {
    pub(crate) caps: &'a BashCaps,
    pub(crate) script: &'a str,
    pub(crate) folder: &'a Path,
    pub(crate) session: Option<&'a SessionId>,
    pub(crate) saved_in: Option<PathBuf>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) confinement: Option<Confinement>,
}

/// What keeps a command within its access mode (decisions DF5, DR6): nothing under `full`, a private temporary
/// folder under `read-only`.
pub(crate) fn confinement(
    mode: AccessMode,
    access: &AccessCaps,
    root: &Path,
    bubblewrap: bool,
) -> Option<Confinement> {
    let confinement = match mode {
        AccessMode::Full => return None,
        AccessMode::ReadOnly => Confinement::read_only(),
        AccessMode::WorkspaceWrite => {
            let further = access.writable_roots.iter().cloned();
            Confinement::workspace_write(further.chain([root.to_owned()]))
        }
    };
    Some(confinement.network(access.network).bubblewrap(bubblewrap))
}

impl BashCommand<'_> {
    /// Starts it: in a session of its own, without stdin.
    pub(crate) fn start(self) -> Running {
        let caps = self.caps;
        let window = Window { head_bytes: caps.head_max_bytes, tail_bytes: caps.tail_max_bytes };
        let mut command = Command::argv("bash", ["-c", self.script])
            .folder(self.folder)
            .environment(environment(&caps.allowed_variables, self.session))
            .grace(Duration::from_millis(caps.grace_ms))
            .stdout(window)
            .stderr(window);
        if let Some(deadline) = self.deadline {
            command = command.deadline(deadline);
        }
        if let Some(confinement) = self.confinement {
            command = command.confine(confinement);
        }
        if let Some(folder) = self.saved_in.filter(|_| caps.saved_max_bytes > 0) {
            command = command.spool(Spool { folder, max_bytes: caps.saved_max_bytes });
        }
        command.start()
    }
}

/// Begins the names that say where a command runs; a command inherits none of them.
const OWN_PREFIX: &str = "TENON_";

/// What keeps programs from waiting for a person, or from drawing for one.
const FOR_NOBODY: [(&str, &str); 7] = [
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// What went wrong, and what the system said about it; of a folder in plain words, and what to do.
pub(crate) fn described(error: &ProcessError) -> String {
    if let ProcessError::Folder { path, source } = error {
        let plain = [
            (ErrorKind::NotFound, "there is no such folder"),
            (ErrorKind::NotADirectory, "it is not a folder"),
            (ErrorKind::PermissionDenied, "the system refuses this user"),
        ];
        let Some((_, why)) = plain.iter().find(|(kind, _)| *kind == source.kind()) else {
            return format!("{error}: {source}");
        };
        let path = in_message(&path.to_string_lossy());
        return format!("the folder {path} cannot be used: {why}; give an existing folder");
    }
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// This process's variables without credentials, but those allowed by name (decisions DR5), and without our own.
pub(crate) fn inherited(allowed: &[String]) -> Environment {
    let mut environment = allowed.iter().fold(Environment::scrubbed(), Environment::allow);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with(OWN_PREFIX) {
            environment = environment.remove(name);
        }
    }
    environment
}

/// What is inherited, and what commands here should know.
fn environment(allowed: &[String], session: Option<&SessionId>) -> Environment {
    let mut environment = inherited(allowed);
    for (name, value) in FOR_NOBODY {
        environment = environment.set(name, value);
    }
    environment = environment.set("TENON_SHELL", "1");
    match session {
        Some(session) => environment.set("TENON_SESSION_ID", session.as_str()),
        None => environment,
    }
}

/// How much of a stream a kept file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// All that came so far.
    Whole,
    /// Its beginning, up to the limit.
    Beginning,
}

/// The file with a stream, from now on safe against a crash and not removed with the command; `None` where
/// there is none, or where the disk took less than it was to. It writes to the disk.
pub(crate) fn keep(captured: &Captured, max_bytes: u64) -> Option<(String, Kept)> {
    let file = captured.spool()?;
    let kept = if file.is_complete() { Kept::Whole } else { Kept::Beginning };
    if kept == Kept::Beginning && file.bytes() < max_bytes {
        return None;
    }
    // A path that a model cannot be told is of no use.
    let path = file.path().to_str()?.to_owned();
    let sync = |path: &Path| File::open(path)?.sync_all();
    sync(file.path()).and_then(|()| file.path().parent().map_or(Ok(()), sync)).ok()?;
    file.keep();
    Some((path, kept))
}
