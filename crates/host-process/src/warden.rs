//! The small process between this program and a command, so that nothing of the command escapes
//! (decisions DR1).
//!
//! It is forked from this program and never becomes another: it has one thread, allocates nothing, and holds no
//! descriptor but its line to this program. As a child subreaper it becomes the parent of every process of the
//! tree that loses its own, whatever session, environment or state that made for itself. So killing its children
//! until it has none reaches all of them. It does that when told to, and when the line breaks because this
//! program is gone.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, chdir, getpgid, kill_process, kill_process_group, wait,
};

use crate::sys;

/// What the warden tells, each once at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The command's process.
    Started(i32),
    /// Why there is none: the system's number for it.
    Failed(i32),
    /// How it ended; whether nothing else of its tree was left then.
    Ended { exited: bool, value: i32, alone: bool },
    /// Nothing of its tree is left. Not told again when it was told with the end.
    Gone,
}

/// The bytes of a report.
pub(crate) const REPORT_BYTES: usize = 6;

impl Report {
    pub(crate) fn encode(self) -> [u8; REPORT_BYTES] {
        let (tag, flags, value) = match self {
            Self::Started(pid) => (b'S', 0, pid),
            Self::Failed(fault) => (b'F', 0, fault),
            Self::Gone => (b'G', 0, 0),
            Self::Ended { exited, value, alone } => {
                (b'E', u8::from(exited) | u8::from(alone) << 1, value)
            }
        };
        let [a, b, c, d] = value.to_ne_bytes();
        [tag, flags, a, b, c, d]
    }

    pub(crate) fn decode([tag, flags, a, b, c, d]: [u8; REPORT_BYTES]) -> Self {
        let value = i32::from_ne_bytes([a, b, c, d]);
        match tag {
            b'S' => Self::Started(value),
            b'F' => Self::Failed(value),
            b'G' => Self::Gone,
            _ => Self::Ended { exited: flags & 1 != 0, value, alone: flags & 2 != 0 },
        }
    }
}

/// The order to kill all. Bytes other than this and the next are signals for the command's process group.
pub(crate) const KILL_ALL: u8 = 0;

/// The order to remove nothing: the result has it.
pub(crate) const REMOVE_NOTHING: u8 = 255;

/// What is to be removed should this program be gone.
pub(crate) type Removal = Vec<CString>;

/// Between two looks while children that were killed are still there.
const AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// Closes all but stdin, stdout and stderr, which the command is to have, the line, and `rules`. Called in the fork,
/// before there is a command: with the rest goes the pipe by which this program waits for the fork, and from then
/// on nothing that the command does to its warden can hold this program up.
pub(crate) fn let_go(line: &OwnedFd, rules: Option<BorrowedFd<'_>>) {
    let line = line.as_raw_fd().cast_unsigned();
    let rules = rules.map_or(line, |rules| rules.as_raw_fd().cast_unsigned());
    let (low, high) = (line.min(rules), line.max(rules));
    sys::close_range(3, low.saturating_sub(1));
    sys::close_range(low + 1, high.saturating_sub(1));
    sys::close_range(high + 1, u32::MAX);
}

/// Tells that there is no command, and ends.
pub(crate) fn give_up(line: &OwnedFd, fault: Errno) -> ! {
    let _ = rustix::io::write(line, &Report::Failed(fault.raw_os_error()).encode());
    sys::exit(1)
}

/// Watches over the command until nothing of it is left. Called in the fork; does not return.
pub(crate) fn watch(line: &OwnedFd, leader: Pid, removal: &Removal) -> ! {
    let number = line.as_raw_fd().cast_unsigned();
    sys::close_range(0, number.saturating_sub(1));
    sys::close_range(number + 1, u32::MAX);
    // A folder in use cannot be unmounted.
    let _ = chdir(c"/");
    let _ = rustix::thread::set_name(c"host-warden");
    let mut warden =
        Warden { line, leader, reported: false, doomed: false, alone: false, removes: true };
    warden.tell(Report::Started(leader.as_raw_nonzero().get()));
    warden.run();
    warden.tell(Report::Gone);
    // This program removes what it has made before it says so.
    while warden.removes && !warden.alone && !removal.is_empty() {
        warden.listen();
    }
    if warden.alone && warden.removes && !removal.is_empty() {
        sys::become_program(c"/bin/rm", removal);
        sys::become_program(c"/usr/bin/rm", removal);
    }
    sys::exit(0)
}

struct Warden<'a> {
    line: &'a OwnedFd,
    leader: Pid,
    /// The leader was reaped and its end told.
    reported: bool,
    /// Everything is to be killed.
    doomed: bool,
    /// This program is gone.
    alone: bool,
    /// It removes what this program can then not.
    removes: bool,
}

impl Warden<'_> {
    fn run(&mut self) {
        // Without one, it looks every now and then.
        let signals = sys::child_signals().ok();
        loop {
            if !self.reap() {
                return;
            }
            if self.doomed {
                self.kill_children();
            }
            self.wait(signals.as_ref().map(OwnedFd::as_fd));
        }
    }

    fn wait(&mut self, signals: Option<BorrowedFd<'_>>) {
        let timeout = (self.doomed || signals.is_none()).then_some(&AGAIN);
        let line = PollFd::from_borrowed_fd(self.line.as_fd(), PollFlags::IN);
        let children =
            PollFd::from_borrowed_fd(signals.unwrap_or(self.line.as_fd()), PollFlags::IN);
        let mut both = [children, line];
        // A broken line is always ready, so that it is not waited for any more.
        let waited = usize::from(signals.is_none())..if self.alone { 1 } else { 2 };
        let _ = poll(both.get_mut(waited).unwrap_or_default(), timeout);
        if let Some(signals) = signals {
            let _ = rustix::io::read(signals, &mut [0; 128]);
        }
        if both.get(1).is_some_and(|line| !line.revents().is_empty()) {
            self.listen();
        }
    }

    fn listen(&mut self) {
        let mut orders = [0; 16];
        match rustix::io::read(self.line, &mut orders) {
            Ok(0) => (self.doomed, self.alone) = (true, true),
            Ok(count) => {
                for order in orders.get(..count).unwrap_or_default() {
                    self.obey(*order);
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => (self.doomed, self.alone) = (true, true),
        }
    }

    fn obey(&mut self, order: u8) {
        if order == KILL_ALL {
            self.doomed = true;
        } else if order == REMOVE_NOTHING {
            self.removes = false;
        } else if let Some(signal) = Signal::from_named_raw(order.into()).filter(|_| !self.reported)
        {
            // Its id is its own until it was reaped, which only this process can do.
            let _ = kill_process_group(self.leader, signal);
        }
    }

    /// Reaps what has ended. Whether there still are children.
    fn reap(&mut self) -> bool {
        let mut ended = None;
        let left = loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((child, status))) if child == self.leader => {
                    ended = Some(match status.exit_status() {
                        Some(code) => (true, code),
                        None => (false, status.terminating_signal().unwrap_or_default()),
                    });
                }
                Ok(Some(_)) => {}
                Ok(None) => break true,
                Err(Errno::INTR) => {}
                Err(_) => break false,
            }
        };
        if let Some((exited, value)) = ended {
            self.reported = true;
            self.tell(Report::Ended { exited, value, alone: !left });
        }
        left
    }

    fn tell(&self, report: Report) {
        // Six bytes always fit; a program that is gone is told nothing.
        let _ = rustix::io::write(self.line, &report.encode());
    }

    /// Kills each child with its process group. Their children become this process's, and are met next.
    fn kill_children(&self) {
        let own = rustix::process::getpgrp();
        let met = each_child(|child| {
            // A child keeps its group's id alive until it is reaped, which only this process can do.
            if let Ok(group) = getpgid(Some(child))
                && group != own
            {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = kill_process(child, Signal::KILL);
        });
        if !met && !self.reported {
            let _ = kill_process_group(self.leader, Signal::KILL);
        }
    }
}

/// Calls `act` with each child of this process. Whether the system lists them.
fn each_child(mut act: impl FnMut(Pid)) -> bool {
    let path: &CStr = c"/proc/thread-self/children";
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let Ok(list) = rustix::fs::openat(CWD, path, flags, Mode::empty()) else { return false };
    let mut bytes = [0_u8; 4096];
    let mut number = 0_i32;
    while let Ok(count @ 1..) = rustix::io::read(&list, &mut bytes) {
        for byte in bytes.get(..count).unwrap_or_default() {
            if byte.is_ascii_digit() {
                number = number.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
            } else if let Some(child) = Pid::from_raw(std::mem::take(&mut number)) {
                act(child);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_come_through() {
        for report in [
            Report::Started(4_194_304),
            Report::Failed(13),
            Report::Ended { exited: true, value: 255, alone: true },
            Report::Ended { exited: false, value: 9, alone: false },
            Report::Gone,
        ] {
            assert_eq!(Report::decode(report.encode()), report);
        }
    }
}
