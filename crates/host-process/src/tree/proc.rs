//! Finding the processes of a tree in `/proc`, and signalling them past reused ids.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use super::Mark;

/// Finds the processes of a tree.
#[derive(Debug)]
pub(super) struct Finder {
    root: i32,
    /// When the root was started, in clock ticks since boot: nothing of its tree is older.
    started: u64,
    /// `\0NAME=`, as it stands in an environment.
    needle: Vec<u8>,
}

/// One process of a tree.
#[derive(Debug)]
pub(super) struct Member {
    pid: i32,
    started: u64,
    group: i32,
}

impl Member {
    pub(super) fn is_in(&self, group: Option<Pid>) -> bool {
        group.is_some_and(|group| group.as_raw_nonzero().get() == self.group)
    }
}

impl Finder {
    pub(super) fn new(root: Pid, mark: Mark) -> Self {
        let root = root.as_raw_nonzero().get();
        let started = Process::read(root).map_or(0, |process| process.started);
        Self { root, started, needle: format!("\0{}=", mark.name()).into_bytes() }
    }

    /// The living processes under the root. Once that has died, and others are the parents of what it left, those
    /// that carry the mark.
    pub(super) fn members(&self) -> Vec<Member> {
        let processes = self.candidates();
        let lives = processes.get(&self.root).is_some_and(|root| !root.is_zombie);
        let descendants = self.descendants(&processes);
        let belongs = |process: &Process| {
            descendants.contains(&process.pid) || !lives && self.is_marked(process.pid)
        };
        let living = processes.values().filter(|process| !process.is_zombie);
        living
            .filter(|process| process.pid != self.root && belongs(process))
            .map(|process| Member {
                pid: process.pid,
                started: process.started,
                group: process.group,
            })
            .collect()
    }

    /// Processes that are no older than the leader.
    fn candidates(&self) -> BTreeMap<i32, Process> {
        let Ok(entries) = fs::read_dir("/proc") else { return BTreeMap::new() };
        entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter_map(Process::read)
            .filter(|process| process.started >= self.started)
            .map(|process| (process.pid, process))
            .collect()
    }

    fn descendants(&self, processes: &BTreeMap<i32, Process>) -> BTreeSet<i32> {
        let mut found = BTreeSet::from([self.root]);
        loop {
            let children: Vec<i32> = processes
                .values()
                .filter(|process| found.contains(&process.parent) && !found.contains(&process.pid))
                .map(|process| process.pid)
                .collect();
            if children.is_empty() {
                return found;
            }
            found.extend(children);
        }
    }

    /// Another user's environment cannot be read, nor could its process be signalled.
    fn is_marked(&self, pid: i32) -> bool {
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
        let first = self.needle.get(1..).unwrap_or_default();
        environment.starts_with(first)
            || environment.windows(self.needle.len()).any(|window| window == self.needle)
    }

    /// Signals a process unless its id names another one by now.
    pub(super) fn signal(&self, member: &Member, signal: Signal) {
        let Some(pid) = Pid::from_raw(member.pid) else { return };
        let same = || Process::read(member.pid).is_some_and(|now| now.started == member.started);
        // What is gone needs no signal.
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(process) if same() => {
                let _ = pidfd_send_signal(process, signal);
            }
            Err(Errno::NOSYS | Errno::PERM | Errno::MFILE | Errno::NFILE) if same() => {
                let _ = kill_process(pid, signal);
            }
            Ok(_) | Err(_) => {}
        }
    }
}

/// One line of `/proc/PID/stat`.
#[derive(Debug)]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    started: u64,
    is_zombie: bool,
}

impl Process {
    fn read(pid: i32) -> Option<Self> {
        let line = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Self::parse(pid, &String::from_utf8_lossy(&line))
    }

    /// The name, in brackets, may hold anything, brackets and spaces too.
    fn parse(pid: i32, line: &str) -> Option<Self> {
        let (_, rest) = line.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        Some(Self {
            pid,
            is_zombie: matches!(*fields.first()?, "Z" | "X" | "x"),
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let line = "7 (a) b (c) S 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        let process = Process::parse(7, line).unwrap();
        assert_eq!((process.parent, process.group, process.started), (1, 2, 4242));
        assert!(!process.is_zombie);
        assert!(Process::parse(7, "7 (cut").is_none());
    }
}
