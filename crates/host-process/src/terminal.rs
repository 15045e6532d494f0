//! A command on a terminal of its own.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use rustix::process::{Pid, kill_process_group};

use crate::command::Command;
use crate::control::Control;
use crate::error::ProcessError;
use crate::leader::Orders;
use crate::line::{Keyboard, Ticket};
use crate::output::{Changed, Cursor};
use crate::running::{Status, Stop, Stopper};
use crate::supervise;

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub columns: u16,
}

/// Takes what a terminal shows, in order, on the thread that reads it. Until it returns nothing more is read, so
/// that a program that writes faster has to wait. It must not wait for the terminal itself.
///
/// A closure over the bytes is one.
pub trait Sink: Send + 'static {
    /// The next bytes.
    fn take(&mut self, bytes: &[u8]);

    /// What the terminal answers to what it was just given: where the cursor is, say. It is typed before what
    /// others type next. Of answers that the program does not read, 4 KiB are kept.
    fn answer(&mut self) -> Vec<u8> {
        Vec::new()
    }
}

impl<F: FnMut(&[u8]) + Send + 'static> Sink for F {
    fn take(&mut self, bytes: &[u8]) {
        self(bytes);
    }
}

/// The signals that can be sent on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// `SIGINT`, what Ctrl-C sends.
    Interrupt,
    /// `SIGQUIT`, what Ctrl-\ sends.
    Quit,
    /// `SIGTSTP`, what Ctrl-Z sends.
    Suspend,
    /// `SIGCONT`.
    Continue,
    /// `SIGHUP`.
    HangUp,
    /// `SIGTERM`.
    Terminate,
    /// `SIGKILL`.
    Kill,
}

impl Signal {
    fn of_system(self) -> rustix::process::Signal {
        use rustix::process::Signal as System;
        match self {
            Self::Interrupt => System::INT,
            Self::Quit => System::QUIT,
            Self::Suspend => System::TSTP,
            Self::Continue => System::CONT,
            Self::HangUp => System::HUP,
            Self::Terminate => System::TERM,
            Self::Kill => System::KILL,
        }
    }
}

/// What came of a terminal's command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// How it ended; none if it could not be watched to its end and was killed.
    pub status: Option<Status>,
    /// Why it was stopped, if it was.
    pub stopped: Option<Stop>,
    /// How long it ran.
    pub duration: Duration,
    /// How many of its descendants were still there after its exit and were ended.
    pub leftovers: usize,
}

/// The owner of a command that runs on a terminal. Dropping it ends the command with all that it started: told
/// to at once, killed after the grace time.
#[derive(Debug)]
#[must_use = "dropping it ends the command"]
pub struct Terminal {
    control: Arc<Control>,
    keyboard: Arc<Keyboard>,
    leader: Pid,
    orders: Orders,
}

impl Terminal {
    /// Starts the command on a new terminal, waiting until it runs: a few milliseconds.
    pub(crate) fn open(
        command: Command,
        size: TerminalSize,
        sink: impl Sink,
    ) -> Result<Self, ProcessError> {
        let (control, keyboard) = supervise::start_on_terminal(command, size, Box::new(sink))?;
        let (leader, orders) = control.wait_started()?;
        Ok(Self { control, keyboard, leader, orders })
    }

    /// The id of the command's process, which leads the terminal's session.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.leader.as_raw_nonzero().get().unsigned_abs()
    }

    /// Types bytes, after those that are being typed. They reach the program as it reads.
    pub fn write(&self, bytes: impl Into<Vec<u8>>) -> Writing {
        let ticket = self.keyboard.queue(bytes.into());
        self.control.nudge();
        Writing { keyboard: Arc::clone(&self.keyboard), ticket }
    }

    /// The process group that the terminal's keys go to; none once the command has ended.
    #[must_use]
    pub fn foreground_group(&self) -> Option<u32> {
        let group = self.keyboard.with(|master| rustix::termios::tcgetpgrp(master))?;
        group.ok().map(|group| group.as_raw_nonzero().get().unsigned_abs())
    }

    /// Signals the process group in the foreground. Which one that was.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Ended`], or [`ProcessError::Terminal`] when there is no such group.
    pub fn signal_foreground(&self, signal: Signal) -> Result<u32, ProcessError> {
        let sent = self.keyboard.with(|master| {
            let group = rustix::termios::tcgetpgrp(master)?;
            kill_process_group(group, signal.of_system()).map(|()| group)
        });
        let group = sent.ok_or(ProcessError::Ended)?.map_err(fault)?;
        Ok(group.as_raw_nonzero().get().unsigned_abs())
    }

    /// Signals the process group of the command itself.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Ended`], or [`ProcessError::Terminal`] when it could not be told.
    pub fn signal_group(&self, signal: Signal) -> Result<(), ProcessError> {
        let sent = self.keyboard.with(|_| self.orders.signal(signal.of_system()));
        sent.ok_or(ProcessError::Ended)?.map_err(|source| ProcessError::Terminal { source })
    }

    /// Changes the size, which the program is told.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Ended`], or [`ProcessError::Terminal`].
    pub fn resize(&self, size: TerminalSize) -> Result<(), ProcessError> {
        let done =
            self.keyboard.with(|master| rustix::termios::tcsetwinsize(master, size.of_system()));
        done.ok_or(ProcessError::Ended)?.map_err(fault)
    }

    /// What ends it from elsewhere.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper::new(&self.control)
    }

    /// What came of it, once it has ended with all that it started and all it wrote is in the sink.
    #[must_use]
    pub fn ended(&self) -> Option<Ended> {
        self.control.look(|reply| match reply {
            Ok(finished) => Ended {
                status: Some(finished.status),
                stopped: finished.stopped,
                duration: finished.duration,
                leftovers: finished.leftovers,
            },
            Err(_) => Ended { status: None, stopped: None, duration: Duration::ZERO, leftovers: 0 },
        })
    }

    /// Waits until [`ended`](Self::ended) tells something.
    pub fn closed(&self) -> Changed {
        self.control.output.changed(Cursor::default())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.control.stop();
    }
}

impl TerminalSize {
    pub(crate) fn of_system(self) -> rustix::termios::Winsize {
        rustix::termios::Winsize {
            ws_row: self.rows,
            ws_col: self.columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        }
    }
}

pub(crate) fn fault(source: rustix::io::Errno) -> ProcessError {
    ProcessError::Terminal { source: source.into() }
}

/// Bytes being typed. Await it until the terminal took all of them; dropping it withdraws those that it did not.
#[derive(Debug)]
#[must_use = "dropping it withdraws what was not typed yet"]
pub struct Writing {
    keyboard: Arc<Keyboard>,
    ticket: Ticket,
}

impl Writing {
    /// How many bytes the terminal took so far.
    #[must_use]
    pub fn written(&self) -> usize {
        self.ticket.written()
    }

    /// Waits on this thread, at most for `patience`. How many bytes the terminal took; the others are withdrawn.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Ended`] when the command ended before it took all.
    pub fn wait(self, patience: Duration) -> Result<usize, ProcessError> {
        let until = Instant::now().checked_add(patience);
        match self.keyboard.wait(&self.ticket, until) {
            Some(false) => Err(ProcessError::Ended),
            Some(true) | None => Ok(self.written()),
        }
    }
}

impl Future for Writing {
    type Output = Result<(), ProcessError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.keyboard.poll(&self.ticket, cx.waker()) {
            Some(true) => Poll::Ready(Ok(())),
            Some(false) => Poll::Ready(Err(ProcessError::Ended)),
            None => Poll::Pending,
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.keyboard.withdraw(&self.ticket);
    }
}
