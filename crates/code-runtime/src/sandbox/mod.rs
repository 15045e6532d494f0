//! Shuts the worker process in, before it sees a program.
//!
//! What the kernel lacks is left out and told: see [`Confinement`].

#[expect(unsafe_code, reason = "calls of the kernel that rustix has no safe form of")]
mod kernel;
mod limits;
mod rules;

use std::fmt;

use crate::config::Limits;
use crate::wire::{Broken, Reader, Writer};

pub(crate) use kernel::{compute_alarm, note_no_memory};

/// Exit code of a worker whose engine gave up for want of memory.
pub(crate) const EXIT_HEAP: i32 = 70;
/// Exit code of a worker whose stack was used up.
pub(crate) const EXIT_STACK: i32 = 71;

/// How a worker is confined. Anything but [`Confinement::is_full`] is a downgrade that a host should show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confinement {
    /// A process of its own. `false` is a thread of this one, and nothing else applies.
    pub process: bool,
    /// Rules of the kernel (Landlock): no file, no network.
    pub rules: Rules,
    /// A list of the kernel's calls (seccomp): memory, time and the one socket.
    pub calls: bool,
    /// Bounds on memory, processor time, files, processes and core dumps.
    pub bounds: bool,
}

/// How far the rules of the kernel are enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// All of them.
    Full,
    /// Those that this kernel knows.
    Partial,
    /// None: the kernel has no Landlock.
    None,
}

impl Confinement {
    /// What a worker on a thread has.
    pub(crate) const THREAD: Self =
        Self { process: false, rules: Rules::None, calls: false, bounds: false };

    /// Whether nothing is missing. Rules that this kernel does not know do not count where the list of calls leaves no
    /// way to what they would forbid.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.process && self.rules != Rules::None && self.calls && self.bounds
    }

    /// Shuts this process in.
    pub(crate) fn enter(limits: &Limits) -> Self {
        kernel::exit_on_abort();
        let bounds = limits::apply(limits);
        let rules = rules::forbid_files();
        Self { process: true, rules, calls: rules::allow_calls(), bounds }
    }

    pub(crate) fn write(self, writer: &mut Writer<'_>) {
        let rules = match self.rules {
            Rules::Full => 0,
            Rules::Partial => 1,
            Rules::None => 2,
        };
        for number in [self.process.into(), rules, self.calls.into(), self.bounds.into()] {
            writer.number(number);
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Broken> {
        let process = reader.number()? == 1;
        let rules = match reader.number()? {
            0 => Rules::Full,
            1 => Rules::Partial,
            _ => Rules::None,
        };
        Ok(Self { process, rules, calls: reader.number()? == 1, bounds: reader.number()? == 1 })
    }
}

/// What is missing, in words.
impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.process {
            return f.write_str("a thread of this process: limits are cooperative");
        }
        let rules = match self.rules {
            Rules::Full => None,
            Rules::Partial => Some("some rules on files and network"),
            Rules::None => Some("rules on files and network"),
        };
        let missing: Vec<&str> = rules
            .into_iter()
            .chain((!self.calls).then_some("the list of system calls"))
            .chain((!self.bounds).then_some("bounds on resources"))
            .collect();
        match missing.as_slice() {
            [] => f.write_str("fully confined"),
            missing => write!(f, "confined without {}", missing.join(", ")),
        }
    }
}

/// Leaves the process no descriptor but the first three.
pub(crate) fn close_inherited() {
    kernel::close_from(3);
}
