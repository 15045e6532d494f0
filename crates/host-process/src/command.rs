//! What to run, and within which limits.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::capture::Window;
use crate::confine::Confinement;
use crate::environment::Environment;
use crate::error::ProcessError;
use crate::running::Running;
use crate::spool::Spool;
use crate::terminal::{Sink, Terminal, TerminalSize};

/// A command to be run under an owner.
#[derive(Debug, Clone)]
pub struct Command {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) environment: Environment,
    pub(crate) stdin: Vec<u8>,
    pub(crate) limits: Limits,
    pub(crate) spool: Option<Spool>,
    pub(crate) confinement: Option<Confinement>,
    /// The files for stdout and stderr, named at the start.
    pub(crate) spool_paths: Option<[PathBuf; 2]>,
}

/// Limits of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) deadline: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) drain: Duration,
    pub(crate) stdout: Window,
    pub(crate) stderr: Window,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: None,
            grace: Duration::from_secs(2),
            drain: Duration::from_millis(100),
            stdout: Window::default(),
            stderr: Window::default(),
        }
    }
}

impl Command {
    /// A program with its arguments; no shell reads them.
    pub fn argv<A: Into<OsString>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            folder: None,
            environment: Environment::scrubbed(),
            stdin: Vec::new(),
            limits: Limits::default(),
            spool: None,
            confinement: None,
            spool_paths: None,
        }
    }

    /// A script for `/bin/sh -c`. The system takes at most 128 KiB of it.
    pub fn shell(script: impl Into<OsString>) -> Self {
        Self::argv("/bin/sh", [OsString::from("-c"), script.into()])
    }

    /// The folder to start in; without it, this process's.
    #[must_use]
    pub fn folder(mut self, path: impl Into<PathBuf>) -> Self {
        self.folder = Some(path.into());
        self
    }

    /// What it sees of the environment; without it, [`Environment::scrubbed`].
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Bytes for its stdin, which is then closed. A command that does not read them is not at fault.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// When to stop it, counted from its start; without it, never.
    #[must_use]
    pub fn deadline(mut self, after: Duration) -> Self {
        self.limits.deadline = Some(after);
        self
    }

    /// How long it and what it started may take to end once told to; 2 s without it.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.limits.grace = grace;
        self
    }

    /// How long to read on after its exit while a descendant holds its pipes; 100 ms without it.
    #[must_use]
    pub fn drain(mut self, drain: Duration) -> Self {
        self.limits.drain = drain;
        self
    }

    /// How much of its stdout is kept.
    #[must_use]
    pub fn stdout(mut self, window: Window) -> Self {
        self.limits.stdout = window;
        self
    }

    /// How much of its stderr is kept.
    #[must_use]
    pub fn stderr(mut self, window: Window) -> Self {
        self.limits.stderr = window;
        self
    }

    /// Where the full stdout and stderr go once they do not fit their windows; without it, nowhere.
    #[must_use]
    pub fn spool(mut self, spool: Spool) -> Self {
        self.spool = Some(spool);
        self
    }

    /// What it may write, and whether it has a network; without it, what this program may.
    #[must_use]
    pub fn confine(mut self, confinement: Confinement) -> Self {
        self.confinement = Some(confinement);
        self
    }

    /// Starts it at once. Whether that worked is told by what is returned, once awaited.
    pub fn start(self) -> Running {
        Running::start(self)
    }

    /// Starts it on a terminal of its own, as the leader of the terminal's session, and waits until it runs.
    /// What is said here of stdin, stdout, stderr and their spool does not apply: `sink` gets what is shown.
    ///
    /// # Errors
    ///
    /// [`ProcessError`] when there is no terminal to be had or the command could not be started.
    pub fn open_terminal(
        self,
        size: TerminalSize,
        sink: impl Sink,
    ) -> Result<Terminal, ProcessError> {
        Terminal::open(self, size, sink)
    }
}
