//! Elsewhere than on Linux: the command is a child, kept unreaped until its group is gone.

use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Child;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Pipes, lead_session, prepare};
use crate::channel::Connection;
use crate::command::Command;
use crate::confine::Prepared;
use crate::running::Status;
use crate::sys;
use crate::tree::{Mark, Tree};

/// A started command. Dropped before it was reaped, it is killed with its group.
#[derive(Debug)]
pub(crate) struct Leader {
    child: Child,
    tree: Tree,
    reaped: bool,
}

/// Signals to the command's process group.
#[derive(Debug, Clone)]
pub(crate) struct Orders(Pid);

impl Orders {
    pub(crate) fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(kill_process_group(self.0, signal)?)
    }
}

impl Leader {
    pub(super) fn spawn(
        command: &Command,
        connection: &Connection,
        confined: Option<&Prepared>,
    ) -> io::Result<(Self, Pipes)> {
        let mark = Mark::new();
        let mut prepared = prepare(command, connection, confined, &mark)?;
        let on_terminal = connection.is_terminal();
        sys::before_exec(&mut prepared, move || lead_session(on_terminal));
        let mut child = prepared.spawn()?;
        let pipes = Pipes::of(&mut child);
        let tree = Tree::new(Pid::from_child(&child), mark);
        Ok((Self { child, tree, reaped: false }, pipes))
    }

    /// The command's process.
    pub(crate) fn pid(&self) -> Pid {
        self.tree.root()
    }

    pub(crate) fn orders(&self) -> Orders {
        Orders(self.pid())
    }

    /// There is nothing to wait for.
    pub(crate) fn news(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// How the command ended, if it has; it stays unreaped, so that its ids name nothing else.
    pub(crate) fn status(&mut self) -> io::Result<Option<Status>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let ended = waitid(WaitId::Pid(self.pid()), options)?;
        Ok(ended.map(|ended| match ended.exit_status() {
            Some(code) => Status::Exited(code),
            None => Status::Signalled(ended.terminating_signal().unwrap_or_default()),
        }))
    }

    pub(crate) fn is_gone(&mut self) -> io::Result<bool> {
        Ok(self.size() == 0)
    }

    pub(crate) fn size(&self) -> usize {
        self.tree.size()
    }

    /// Tells all of it to end; what is stopped is woken to hear it.
    pub(crate) fn terminate(&self) {
        for signal in [Signal::TERM, Signal::CONT] {
            let _ = self.orders().signal(signal);
        }
    }

    /// There is no warden to wake.
    pub(crate) fn rouse(&self) {}

    pub(crate) fn kill(&self) {
        let _ = self.orders().signal(Signal::KILL);
    }

    /// How it ended, once it has.
    pub(crate) fn finish(&mut self) -> io::Result<Status> {
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
            self.kill();
            let _ = self.child.wait();
        }
    }
}
