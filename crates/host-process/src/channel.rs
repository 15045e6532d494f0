//! How a command is connected: by pipes or by a terminal.

use std::io;
use std::process::Stdio;

use rustix::event::PollFd;

use crate::command::Command;
use crate::leader::Pipes;
use crate::line::Line;
use crate::output::Output;
use crate::streams::Streams;

/// The owner's side of a connection.
#[derive(Debug)]
pub(crate) enum Channel {
    Pipes(Streams),
    Terminal(Line),
}

/// The other side, before the start.
#[derive(Debug)]
pub(crate) enum Connection {
    Pipes,
    /// The programs' end of a terminal, and the owner's.
    Terminal(std::os::fd::OwnedFd, Line),
}

impl Connection {
    /// Stdin, stdout and stderr of the command.
    pub(crate) fn stdio(&self, command: &Command) -> io::Result<[Stdio; 3]> {
        match self {
            Self::Pipes => {
                let stdin = if command.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
                Ok([stdin, Stdio::piped(), Stdio::piped()])
            }
            Self::Terminal(slave, _) => Ok([
                Stdio::from(slave.try_clone()?),
                Stdio::from(slave.try_clone()?),
                Stdio::from(slave.try_clone()?),
            ]),
        }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(..))
    }

    /// Once it has started. The programs' end of a terminal is the programs' alone from here on.
    pub(crate) fn channel(
        self,
        pipes: Pipes,
        command: Command,
        output: Output,
    ) -> io::Result<Channel> {
        match self {
            Self::Pipes => Streams::new(pipes, command, output).map(Channel::Pipes),
            Self::Terminal(_, line) => Ok(Channel::Terminal(line)),
        }
    }
}

impl Channel {
    /// Whether all that can be written came to its end.
    pub(crate) fn are_closed(&self) -> bool {
        match self {
            Self::Pipes(streams) => streams.are_closed(),
            Self::Terminal(line) => line.is_closed(),
        }
    }

    /// Adds what to wait for.
    pub(crate) fn interests<'a>(&'a self, into: &mut Vec<PollFd<'a>>) {
        match self {
            Self::Pipes(streams) => into.extend(streams.interests()),
            Self::Terminal(line) => into.extend(line.interest()),
        }
    }

    /// Moves what can be moved at once.
    pub(crate) fn advance(&mut self) {
        match self {
            Self::Pipes(streams) => streams.advance(),
            Self::Terminal(line) => line.advance(),
        }
    }

    /// Closes stdin, whatever was not written of it. A terminal has no such thing.
    pub(crate) fn close_stdin(&mut self) {
        match self {
            Self::Pipes(streams) => streams.close_stdin(),
            Self::Terminal(_) => {}
        }
    }
}
