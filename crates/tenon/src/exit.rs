//! How the program ends: its exit codes, and the message of an early end.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The result is a success.
    Success,
    /// The result is a failure: unknown tools and bad arguments too.
    Failed,
    /// The command line cannot be followed, or arguments are not JSON.
    Usage,
    /// Something failed that is not the user's doing.
    Internal,
    /// SIGINT ended the call.
    Interrupted,
    /// SIGTERM ended the call.
    Terminated,
    /// SIGHUP ended the call: the terminal is gone.
    HungUp,
}

impl Exit {
    /// The code the system sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Internal => 70,
            Self::Interrupted => 130,
            Self::Terminated => 143,
            Self::HungUp => 129,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// An end before there was a result: what to tell the user, and the exit code.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) exit: Exit,
    message: String,
}

impl Stop {
    /// A command line that cannot be followed.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// A request that names what does not exist.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into() }
    }

    /// A failure that is not the user's doing.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { exit: Exit::Internal, message: message.into() }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain(&self.message))
    }
}

/// Text for a terminal: what would move its cursor or reorder what it shows stands as an escape. Messages
/// repeat names and rules from files that came with a folder.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        let reorders = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
        if reorders || (c.is_control() && c != '\n') {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// The end after a failed write to stdout: none when the reader has gone, which is its right.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Stop> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Stop::internal(format!("cannot write the result: {error}"))),
        Ok(()) => Ok(()),
    }
}
