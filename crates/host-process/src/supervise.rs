//! The thread beside each command: moves its streams, watches its end, ends its tree.

use std::io::{self, PipeReader, Read as _};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::channel::{Channel, Connection};
use crate::command::{Command, Limits};
use crate::confine::{Confined, Confinement, Prepared, denied};
use crate::control::Control;
use crate::error::{ProcessError, WardenGone};
use crate::leader::Leader;
use crate::line::{self, Keyboard, Line};
use crate::output::Output;
use crate::running::{Finished, Stop};
use crate::spool::Spool;
use crate::terminal::{self, Sink, TerminalSize};

/// Between two looks at what cannot be waited for.
const TICK: Duration = Duration::from_millis(5);

/// How long a killed tree may take to be gone. What the kernel does not let die is then given up.
const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// How often a warden is woken that may have been stopped.
const ROUSE: Duration = Duration::from_millis(250);

/// How long a result waits for the end of the private folder. What is left of that is removed after it.
const REMOVAL_PATIENCE: Duration = Duration::from_millis(200);

/// Starts a command with a supervising thread.
pub(crate) fn start(command: Command) -> Arc<Control> {
    start_connected(command, Connection::Pipes)
}

/// Starts a command on a new terminal.
pub(crate) fn start_on_terminal(
    command: Command,
    size: TerminalSize,
    sink: Box<dyn Sink>,
) -> Result<(Arc<Control>, Arc<Keyboard>), ProcessError> {
    let (master, slave) = line::open(size).map_err(terminal::fault)?;
    let line = Line::new(master, sink).map_err(|source| ProcessError::Terminal { source })?;
    let keyboard = line.keyboard();
    Ok((start_connected(command, Connection::Terminal(slave, line)), keyboard))
}

fn start_connected(mut command: Command, connection: Connection) -> Arc<Control> {
    command.spool_paths = command.spool.as_ref().map(Spool::paths);
    let output = Output::new(command.limits.stdout, command.limits.stderr);
    let (control, wake) = Control::new(output);
    let program = command.program.to_string_lossy().into_owned();
    let of_thread = Arc::clone(&control);
    let thread = thread::Builder::new().name("host-process".to_owned());
    let spawned =
        wake.and_then(|wake| thread.spawn(move || run(command, connection, of_thread, wake)));
    if let Err(source) = spawned {
        control.reply(Err(ProcessError::Watch { program, source }));
        control.done();
    }
    control
}

/// Settles whatever happens, a panic in here included.
struct Settling {
    control: Arc<Control>,
    program: String,
}

impl Drop for Settling {
    fn drop(&mut self) {
        let source = io::Error::other("its supervisor ended early");
        let program = std::mem::take(&mut self.program);
        self.control.reply(Err(ProcessError::Watch { program, source }));
        self.control.done();
    }
}

fn run(command: Command, connection: Connection, control: Arc<Control>, wake: PipeReader) {
    let program = command.program.to_string_lossy().into_owned();
    let settling = Settling { control, program: program.clone() };
    let control = &*settling.control;
    let reply = if control.wish().stop_at.is_some_and(|at| at <= Instant::now()) {
        Err(ProcessError::NotStarted)
    } else {
        started(command, connection, control, wake, &program)
    };
    let (reply, mut left) = match reply {
        Ok((finished, left)) => (Ok(finished), Some(left)),
        Err(error) => (Err(error), None),
    };
    control.reply(reply);
    if let Some(confined) = left.as_mut().and_then(|left| left.confined.as_mut()) {
        confined.remove_folder(None);
    }
    // With it go the files of a result that nobody waits for, and then what would remove them if this program were
    // killed. Nobody has to wait for that.
    drop(settling);
    drop(left);
}

/// What there is to be done after the result was given.
struct Left {
    /// Before the leader: its warden removes the folder if this program is killed before it has.
    confined: Option<Prepared>,
    _leader: Leader,
}

fn started(
    command: Command,
    connection: Connection,
    control: &Control,
    wake: PipeReader,
    program: &str,
) -> Result<(Finished, Left), ProcessError> {
    let begun = Instant::now();
    let mut confined = command.confinement.as_ref().map(Confinement::prepare).transpose()?;
    let folder = command.folder.clone().or_else(|| std::env::current_dir().ok());
    let (leader, pipes) = Leader::start(&command, &connection, confined.as_ref())?;
    control.started(leader.pid(), leader.orders());
    let limits = command.limits;
    let watched = |source| match WardenGone::is(&source) {
        true => ProcessError::Lost { program: program.to_owned() },
        false => ProcessError::Watch { program: program.to_owned(), source },
    };
    // From here on, leaving early drops the leader, which kills its tree.
    let supervisor = Supervisor {
        channel: connection.channel(pipes, command, control.output.clone()).map_err(watched)?,
        leader,
        limits,
        begun,
        control,
        wake,
        ending: None,
        roused_at: begun,
    };
    let (mut finished, leader) = supervisor.run().map_err(watched)?;
    if let Some(confined) = &mut confined {
        let denied = denied(&finished, &folder.unwrap_or_default(), &confined.writable);
        finished.confined = Some(Confined { denied, ..confined.confined.clone() });
        confined.remove_folder(Some(Instant::now() + REMOVAL_PATIENCE));
    }
    Ok((finished, Left { confined, _leader: leader }))
}

struct Supervisor<'a> {
    /// Before the leader: what signals it through this must not after it was reaped.
    channel: Channel,
    leader: Leader,
    limits: Limits,
    begun: Instant,
    control: &'a Control,
    wake: PipeReader,
    ending: Option<Ending>,
    roused_at: Instant,
}

/// The tree was told to end.
#[derive(Clone, Copy)]
struct Ending {
    reason: Option<Stop>,
    kill_at: Instant,
}

impl Supervisor<'_> {
    fn run(mut self) -> io::Result<(Finished, Leader)> {
        let ended_at = self.until_exit()?;
        self.until_drained(ended_at)?;
        let leftovers = self.end_tree()?;
        let duration = ended_at.saturating_duration_since(self.begun);
        let stopped = self.ending.and_then(|ending| ending.reason);
        drop(self.channel);
        let status = self.leader.finish()?;
        let (stdout, stderr) = self.control.output.captured();
        let confined = None;
        let finished = Finished { status, stopped, stdout, stderr, duration, leftovers, confined };
        Ok((finished, self.leader))
    }

    /// Until the leader has ended, by itself or because it had to.
    fn until_exit(&mut self) -> io::Result<Instant> {
        let mut give_up_at = None;
        loop {
            if self.leader.status()?.is_some() {
                return Ok(Instant::now());
            }
            self.enforce();
            if self.roused_at.elapsed() >= ROUSE {
                self.leader.rouse();
                self.roused_at = Instant::now();
            }
            if let Some(ending) = self.ending.filter(|ending| ending.kill_at <= Instant::now()) {
                self.leader.kill();
                let give_up_at = give_up_at.get_or_insert(ending.kill_at + KILL_PATIENCE);
                if *give_up_at <= Instant::now() {
                    return Err(io::Error::other("it does not end though it was killed"));
                }
            }
            self.turn(self.next_moment())?;
        }
    }

    /// Until both outputs are closed, but not for long: a descendant may hold them.
    fn until_drained(&mut self, ended_at: Instant) -> io::Result<()> {
        self.channel.close_stdin();
        let until = ended_at + self.limits.drain;
        while !self.channel.are_closed() && Instant::now() < until && !self.must_stop() {
            self.turn(Some(until))?;
        }
        Ok(())
    }

    /// Ends what is left of the tree, and takes in what it still had written.
    fn end_tree(&mut self) -> io::Result<usize> {
        if self.leader.is_gone()? {
            self.last_reads();
            return Ok(0);
        }
        let leftovers = self.leader.size();
        self.leader.terminate();
        let grace_ends = Instant::now() + self.limits.grace;
        let kill_at = self.ending.map_or(grace_ends, |ending| ending.kill_at);
        let give_up_at = kill_at.max(Instant::now()) + KILL_PATIENCE;
        while !self.leader.is_gone()? && Instant::now() < give_up_at {
            if kill_at <= Instant::now() || self.control.wish().kill {
                self.leader.kill();
            }
            self.turn(Some(Instant::now() + TICK))?;
        }
        self.last_reads();
        Ok(leftovers)
    }

    /// What is in the pipes now, and no more.
    fn last_reads(&mut self) {
        for _ in 0..LAST_READS {
            self.channel.advance();
        }
    }

    /// Tells the tree to end when it is time to.
    fn enforce(&mut self) {
        let now = Instant::now();
        let wish = self.control.wish();
        if self.ending.is_none() {
            let reason = match (wish.stop_at, self.deadline()) {
                (Some(at), _) if at <= now => Some(Stop::Cancelled),
                (_, Some(at)) if at <= now => Some(Stop::Deadline),
                _ => None,
            };
            if reason.is_some() {
                self.leader.terminate();
                self.ending = Some(Ending { reason, kill_at: now + self.limits.grace });
            }
        }
        if let Some(ending) = self.ending.as_mut().filter(|_| wish.kill) {
            ending.kill_at = ending.kill_at.min(now);
        }
    }

    fn must_stop(&self) -> bool {
        self.control.wish().stop_at.is_some_and(|at| at <= Instant::now())
    }

    fn deadline(&self) -> Option<Instant> {
        self.limits.deadline.and_then(|after| self.begun.checked_add(after))
    }

    /// When to look again though nothing happens.
    fn next_moment(&self) -> Option<Instant> {
        let tick = || Instant::now() + TICK;
        let kill_at = self.ending.map(|ending| ending.kill_at.max(tick()));
        let stop_at = match self.ending {
            Some(_) => None,
            None => [self.control.wish().stop_at, self.deadline()].into_iter().flatten().min(),
        };
        let look_at = self.leader.news().map_or_else(tick, |_| self.roused_at + ROUSE);
        [kill_at, stop_at, Some(look_at)].into_iter().flatten().min()
    }

    /// Waits until something happens, at most until `until`, and moves the streams.
    fn turn(&mut self, until: Option<Instant>) -> io::Result<()> {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut woken = PollFlags::empty();
        {
            let wake = PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN);
            let mut waited = vec![wake];
            let news = self.leader.news();
            waited.extend(news.map(|news| PollFd::from_borrowed_fd(news, PollFlags::IN)));
            self.channel.interests(&mut waited);
            match poll(&mut waited, timeout.as_ref()) {
                Ok(_) => woken = waited.first().map_or(woken, PollFd::revents),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if woken.contains(PollFlags::IN) {
            // Its bytes say nothing; the wish is read where it is obeyed.
            let _ = self.wake.read(&mut [0; 16])?;
        }
        self.channel.advance();
        Ok(())
    }
}

/// Enough chunks to empty a pipe of the usual largest size, 1 MiB.
const LAST_READS: usize = 16;
