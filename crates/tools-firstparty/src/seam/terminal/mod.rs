//! What terminals are made of: a program on a pseudo terminal, seen as output, input, foreground and end.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use host_process::Confinement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod probe;
pub mod real;

#[cfg(test)]
pub(crate) mod fake;

pub use real::HostTerminals;

/// Opens terminals.
pub trait TerminalHost: Send + Sync + fmt::Debug {
    /// Starts a program on a new terminal. Everything it prints goes to `sink`, until its end.
    ///
    /// # Errors
    /// Why it was not started.
    fn open(
        &self,
        what: &OpenTerminal,
        sink: Box<dyn TerminalSink>,
    ) -> Result<Box<dyn Pty>, PtyError>;
}

/// What to open.
#[derive(Clone, Debug)]
pub struct OpenTerminal {
    /// The program and its arguments.
    pub program: Vec<String>,
    /// The folder it starts in.
    pub folder: PathBuf,
    /// What it sees of the environment besides what commands usually see.
    pub environment: Vec<(&'static str, String)>,
    /// Rows of the screen.
    pub rows: u16,
    /// Columns of the screen.
    pub cols: u16,
    /// How long its programs may take to end once told to.
    pub grace: Duration,
    /// Names that it inherits although they look like credentials' (decisions DR5).
    pub allowed_variables: Vec<String>,
    /// What keeps it within its access mode (decisions DF5).
    pub confinement: Option<Confinement>,
}

/// Takes what comes out of a terminal, on a thread of the host. It is dropped when there is no more to come.
pub trait TerminalSink: Send {
    /// Takes output. What is returned is typed at once, or not at all if it does not fit.
    fn output(&mut self, bytes: &[u8]) -> Vec<u8>;
}

/// How the program of a terminal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It had to be given up; what became of it is not known.
    Unknown,
}

/// The owner of a terminal: dropping it ends all that runs there.
pub trait Pty: Send + Sync + fmt::Debug {
    /// The program's process id; its process group as well.
    fn pid(&self) -> i32;

    /// Types bytes, as fast as they are taken, until all are typed or `give_up` says so. How many were.
    ///
    /// # Errors
    /// The terminal takes no more input.
    fn write(&self, bytes: &[u8], give_up: &dyn Fn() -> bool) -> Result<usize, PtyError>;

    /// How the program ended: once all output was taken and nothing of what ran is left.
    fn exit(&self) -> Option<Exit>;

    /// The process group that reads what is typed, if it is known.
    fn foreground(&self) -> Option<i32>;

    /// Signals the group in front, and says which that was.
    ///
    /// # Errors
    /// There is none, or it cannot be signalled.
    fn signal_foreground(&self, signal: TerminalSignal) -> Result<i32, PtyError>;

    /// Tells all that runs there to end; what does not is killed after the grace time.
    fn end(&self);

    /// A thread of the group in front that provably waits for typed input, where that can be told.
    fn waiting_reader(&self) -> Option<WaitingReader>;
}

/// A thread that waits for typed input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingReader {
    /// The thread.
    pub thread: i32,
    /// How often it has gone to sleep so far: another count is another wait.
    pub waits: u64,
}

/// A signal for what runs in a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum TerminalSignal {
    /// Interrupt, as Ctrl-C.
    SigInt,
    /// Please end.
    SigTerm,
    /// End at once.
    SigKill,
    /// Stop, as Ctrl-Z.
    SigTstp,
    /// The terminal is gone.
    SigHup,
}

impl fmt::Display for TerminalSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SigInt => "SIGINT",
            Self::SigTerm => "SIGTERM",
            Self::SigKill => "SIGKILL",
            Self::SigTstp => "SIGTSTP",
            Self::SigHup => "SIGHUP",
        })
    }
}

/// What a terminal could not do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PtyError {
    /// The program was not started.
    #[error("{0}")]
    NotStarted(String),
    /// It has ended.
    #[error("what ran in it has ended")]
    Ended,
    /// No process group reads what is typed.
    #[error("no process group is in front")]
    NoForeground,
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}
