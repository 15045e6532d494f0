//! On Linux: the command runs under a [warden](crate::warden).

use std::ffi::CString;
use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use super::{Pipes, lead_session, prepare};
use crate::channel::Connection;
use crate::command::Command;
use crate::confine::{Bounds, Prepared};
use crate::error::WardenGone;
use crate::running::Status;
use crate::sys::{self, Image};
use crate::tree::{Mark, Tree};
use crate::warden::{self, KILL_ALL, REMOVE_NOTHING, REPORT_BYTES, Removal, Report};

/// How long a warden may take to end once it was left alone.
const PATIENCE: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };

/// Looks for the start, and the time between them: 10 s in all.
const STARTING_LOOKS: usize = 200;
const STARTING_LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// A started command. Dropped before it has finished, it is killed with its tree.
#[derive(Debug)]
pub(crate) struct Leader {
    /// The warden.
    child: Child,
    orders: Orders,
    pid: Pid,
    tree: Tree,
    started: bool,
    fault: Option<io::Error>,
    status: Option<Status>,
    /// Nothing of the tree is left.
    gone: bool,
    /// The warden has ended.
    over: bool,
    finished: bool,
}

/// Signals to the command's process group, by its warden, who knows whose id that is.
#[derive(Debug, Clone)]
pub(crate) struct Orders(Arc<UnixStream>);

impl Orders {
    /// Does nothing once the command has ended.
    pub(crate) fn signal(&self, signal: Signal) -> io::Result<()> {
        self.send(u8::try_from(signal.as_raw()).unwrap_or_default())
    }

    fn send(&self, order: u8) -> io::Result<()> {
        (&*self.0).write_all(&[order])
    }
}

/// What the child needs of this program, made before the fork.
struct Plan {
    line: OwnedFd,
    image: Image,
    on_terminal: bool,
    bounds: Bounds,
    removal: Removal,
}

impl Leader {
    pub(super) fn spawn(
        command: &Command,
        connection: &Connection,
        confined: Option<&Prepared>,
    ) -> io::Result<(Self, Pipes)> {
        let mark = Mark::new();
        let mut prepared = prepare(command, connection, confined, &mark)?;
        let (line, far) = UnixStream::pair()?;
        let plan = Plan {
            line: far.into(),
            image: Image::of(&prepared)?,
            on_terminal: connection.is_terminal(),
            bounds: confined.map(|confined| confined.bounds.clone()).unwrap_or_default(),
            removal: removal(command, confined),
        };
        sys::before_exec(&mut prepared, move || in_child(&plan));
        let mut child = prepared.spawn()?;
        // With it goes this program's copy of the far end: the line breaks with the warden.
        drop(prepared);
        let pipes = Pipes::of(&mut child);
        let warden = Pid::from_child(&child);
        let mut leader = Self {
            child,
            orders: Orders(Arc::new(line)),
            pid: warden,
            tree: Tree::new(warden, mark),
            started: false,
            fault: None,
            status: None,
            gone: false,
            over: false,
            finished: false,
        };
        leader.orders.0.set_nonblocking(true)?;
        leader.until_started()?;
        Ok((leader, pipes))
    }

    /// Until the warden tells that the command runs, or why it does not.
    fn until_started(&mut self) -> io::Result<()> {
        for _ in 0..STARTING_LOOKS {
            while self.listen()? {}
            match self.fault.take() {
                Some(fault) => return Err(fault),
                None if self.started => return Ok(()),
                None if self.over => break,
                None => {}
            }
            let mut news = [PollFd::new(&*self.orders.0, PollFlags::IN)];
            if poll(&mut news, Some(&STARTING_LOOK)) == Ok(0) {
                // The command may have stopped it before it could tell.
                self.rouse();
            }
        }
        Err(WardenGone::error())
    }

    /// The command's process.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    pub(crate) fn orders(&self) -> Orders {
        self.orders.clone()
    }

    /// Readable once there is news.
    pub(crate) fn news(&self) -> Option<BorrowedFd<'_>> {
        (!self.over).then(|| self.orders.0.as_fd())
    }

    /// Takes news in. How the command ended, if it has.
    pub(crate) fn status(&mut self) -> io::Result<Option<Status>> {
        while !self.over && self.listen()? {}
        if self.over && self.status.is_none() {
            return Err(WardenGone::error());
        }
        Ok(self.status)
    }

    /// Whether there was a report.
    fn listen(&mut self) -> io::Result<bool> {
        let mut report = [0; REPORT_BYTES];
        // A report is written at once, and so read.
        match (&*self.orders.0).read(&mut report) {
            Ok(REPORT_BYTES) => match Report::decode(report) {
                Report::Started(pid) => {
                    (self.pid, self.started) = (Pid::from_raw(pid).unwrap_or(self.pid), true);
                }
                Report::Failed(fault) => self.fault = Some(io::Error::from_raw_os_error(fault)),
                Report::Ended { exited, value, alone } => {
                    let status = if exited { Status::Exited } else { Status::Signalled };
                    (self.status, self.gone) = (Some(status(value)), alone);
                }
                Report::Gone => self.gone = true,
            },
            Ok(_) => self.over = true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.over = true,
        }
        Ok(!self.over)
    }

    /// Whether all of the tree is gone.
    pub(crate) fn is_gone(&mut self) -> io::Result<bool> {
        self.status()?;
        // A warden that ended too early leaves what is to be looked for.
        Ok(self.gone || self.over && self.tree.size() == 0)
    }

    /// How many of its tree are there.
    pub(crate) fn size(&self) -> usize {
        if self.gone { 0 } else { self.tree.size() }
    }

    /// Tells all of it to end; what is stopped is woken to hear it.
    pub(crate) fn terminate(&self) {
        self.rouse();
        for signal in [Signal::TERM, Signal::CONT] {
            // The group at once, so that what is just being started is told too.
            let _ = self.orders.signal(signal);
            let group = (self.status.is_none() && !self.over).then_some(self.pid);
            self.tree.signal(signal, group);
        }
    }

    /// Kills all of it, now and until nothing is left.
    pub(crate) fn kill(&self) {
        self.rouse();
        if self.over {
            self.tree.signal(Signal::KILL, None);
        }
        let _ = self.orders.send(KILL_ALL);
    }

    /// A command may stop its warden, which is no more than its parent to it.
    pub(crate) fn rouse(&self) {
        if !self.over {
            let _ = kill_process(Pid::from_child(&self.child), Signal::CONT);
        }
    }

    /// How it ended, once it is gone. What could not be killed is left to the system when this is dropped.
    pub(crate) fn finish(&mut self) -> io::Result<Status> {
        self.finished = true;
        self.status.ok_or_else(|| io::Error::other("its end was not told"))
    }

    /// Whether the warden ended in time; it does once nothing is left, which may take forever.
    fn warden_ends(&self) -> bool {
        let flags = PidfdFlags::empty();
        let Ok(warden) = pidfd_open(Pid::from_child(&self.child), flags) else { return self.gone };
        let mut ended = [PollFd::new(&warden, PollFlags::IN)];
        poll(&mut ended, Some(&PATIENCE)).is_ok_and(|count| count > 0)
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.rouse();
        if self.finished {
            // The result has the files, and the folder is gone.
            let _ = self.orders.send(REMOVE_NOTHING);
        } else {
            // What a warden that is gone cannot reach.
            self.tree.signal(Signal::KILL, None);
        }
        // The line breaks, and so the warden kills what is there.
        let _ = self.orders.0.shutdown(Shutdown::Both);
        if !self.warden_ends() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// The words for `rm`: what this program could not remove if it is killed.
fn removal(command: &Command, confined: Option<&Prepared>) -> Removal {
    let files = command.spool_paths.iter().flatten().map(PathBuf::as_path);
    let paths = files.chain(confined.and_then(Prepared::folder));
    let mut words = vec![c"-rf".to_owned(), c"--".to_owned()];
    // A path with a null in it cannot have been made.
    words.extend(paths.filter_map(|path| CString::new(path.as_os_str().as_bytes()).ok()));
    if words.len() > 2 { words } else { Removal::new() }
}

/// Between fork and exec: this process becomes the warden, and starts the command. It does not return then.
fn in_child(plan: &Plan) -> io::Result<()> {
    // A handler of this program must not run in a process that stays. The session is for its group's sake: the
    // warden kills groups, and this program's must not be one of them.
    sys::block_signals(true);
    sys::see_children();
    // Stopped by the command, it still hears that this program is gone.
    rustix::process::set_parent_process_death_signal(Some(Signal::CONT))?;
    rustix::process::setsid()?;
    let warden = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(warden))?;
    warden::let_go(&plan.line, plan.bounds.rules());
    match sys::start(&plan.image, &|| in_command(plan, warden)) {
        Ok(command) => warden::watch(&plan.line, command, &plan.removal),
        Err(fault) => warden::give_up(&plan.line, fault),
    }
}

/// In the process that is about to be the command.
fn in_command(plan: &Plan, warden: Pid) -> io::Result<()> {
    sys::block_signals(false);
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() != Some(warden) {
        return Err(io::Error::from_raw_os_error(Errno::INTR.raw_os_error()));
    }
    lead_session(plan.on_terminal)?;
    plan.bounds.lay_on()
}
