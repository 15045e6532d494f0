//! The process that was started: leader of a session of its own, and how it is watched and ended.

use std::ffi::OsString;
use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout};

use crate::channel::Connection;
use crate::command::Command;
use crate::confine::Prepared;
use crate::error::{ProcessError, WardenGone};
use crate::tree::Mark;

#[cfg(not(target_os = "linux"))]
#[path = "leader/plain.rs"]
mod system;
#[cfg(target_os = "linux")]
#[path = "leader/warded.rs"]
mod system;

pub(crate) use system::{Leader, Orders};

impl Leader {
    pub(crate) fn start(
        command: &Command,
        connection: &Connection,
        confined: Option<&Prepared>,
    ) -> Result<(Self, Pipes), ProcessError> {
        Self::spawn(command, connection, confined).map_err(|source| fault(command, source))
    }
}

/// The ends of its pipes.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Pipes {
    fn of(child: &mut std::process::Child) -> Self {
        Self { stdin: child.stdin.take(), stdout: child.stdout.take(), stderr: child.stderr.take() }
    }
}

/// All but what runs in the child.
fn prepare(
    command: &Command,
    connection: &Connection,
    confined: Option<&Prepared>,
    mark: &Mark,
) -> io::Result<std::process::Command> {
    let wrap = confined.and_then(|confined| confined.wrap.as_deref()).unwrap_or_default();
    let mut words = wrap.iter().chain([&command.program]).chain(&command.arguments);
    let mut prepared = std::process::Command::new(words.next().unwrap_or(&command.program));
    prepared.args(words).env_clear();
    prepared.envs(command.environment.resolve(std::env::vars_os()));
    for name in ["TMPDIR", "TMP", "TEMP"] {
        prepared.envs(confined.and_then(Prepared::folder).map(|folder| (name, folder)));
    }
    prepared.env(mark.name(), OsString::from("1"));
    if let Some(folder) = &command.folder {
        prepared.current_dir(folder);
    }
    let [stdin, stdout, stderr] = connection.stdio(command)?;
    prepared.stdin(stdin).stdout(stdout).stderr(stderr);
    Ok(prepared)
}

/// In the child: a session of its own, with the terminal if there is one.
fn lead_session(on_terminal: bool) -> io::Result<()> {
    rustix::process::setsid()?;
    if on_terminal {
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
    }
    Ok(())
}

/// The system does not tell a missing folder from a missing program.
fn fault(command: &Command, source: io::Error) -> ProcessError {
    if WardenGone::is(&source) {
        return ProcessError::Lost { program: command.program.to_string_lossy().into_owned() };
    }
    if let Some(path) = &command.folder {
        let usable = std::fs::metadata(path).and_then(|found| {
            if found.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
        });
        if let Err(source) = usable {
            return ProcessError::Folder { path: path.clone(), source };
        }
    }
    ProcessError::Start { program: command.program.to_string_lossy().into_owned(), source }
}
