//! The process that was started: leader of a session of its own, kept unreaped until its tree is gone.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::channel::Connection;
use crate::command::Command;
use crate::error::ProcessError;
use crate::running::Status;
use crate::tree::{Mark, Tree};

/// A started command. Dropped before it was reaped, it is killed with its tree.
#[derive(Debug)]
pub(crate) struct Leader {
    child: Child,
    pub(crate) tree: Tree,
    reaped: bool,
}

/// The ends of its pipes.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Leader {
    /// Starts it. The thread that does must live as long as it: see [`in_child`].
    pub(crate) fn start(
        command: &Command,
        connection: &Connection,
    ) -> Result<(Self, Pipes), ProcessError> {
        let mark = Mark::new();
        let mut child =
            spawn(command, connection, &mark).map_err(|source| fault(command, source))?;
        let pipes = Pipes {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
        };
        let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
            let _ = child.kill();
            return Err(fault(command, io::Error::other("its process id does not fit")));
        };
        Ok((Self { child, tree: Tree::new(pid, mark), reaped: false }, pipes))
    }

    /// Whether it has ended; it stays unreaped, so that its ids name nothing else.
    pub(crate) fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        Ok(waitid(WaitId::Pid(self.tree.leader()), options)?.is_some())
    }

    /// Reaps it once it has ended.
    pub(crate) fn reap(mut self) -> io::Result<Status> {
        let status = self.child.wait()?;
        self.reaped = true;
        Ok(match (status.code(), status.signal()) {
            (Some(code), _) => Status::Exited(code),
            (None, signal) => Status::Signalled(signal.unwrap_or_default()),
        })
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if !self.reaped {
            self.tree.kill();
            let _ = self.child.wait();
        }
    }
}

#[expect(unsafe_code, reason = "what runs between fork and exec only makes system calls")]
fn spawn(command: &Command, connection: &Connection, mark: &Mark) -> io::Result<Child> {
    let mut prepared = std::process::Command::new(&command.program);
    prepared.args(&command.arguments).env_clear();
    prepared.envs(command.environment.resolve(std::env::vars_os()));
    prepared.env(mark.name(), OsString::from("1"));
    if let Some(folder) = &command.folder {
        prepared.current_dir(folder);
    }
    let [stdin, stdout, stderr] = connection.stdio(command)?;
    prepared.stdin(stdin).stdout(stdout).stderr(stderr);
    let on_terminal = connection.is_terminal();
    let parent = rustix::process::getpid();
    // SAFETY: `in_child` makes system calls only; it takes no lock and allocates nothing.
    unsafe { prepared.pre_exec(move || in_child(parent, on_terminal)) };
    prepared.spawn()
}

/// In the child: a session of its own, with the terminal if there is one, and its end with the thread that started it.
fn in_child(parent: Pid, on_terminal: bool) -> io::Result<()> {
    rustix::process::setsid()?;
    if on_terminal {
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
    }
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        // The parent may be gone already.
        if rustix::process::getppid() != Some(parent) {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = parent;
    Ok(())
}

/// The system does not tell a missing folder from a missing program.
fn fault(command: &Command, source: io::Error) -> ProcessError {
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
