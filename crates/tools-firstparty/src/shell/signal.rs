//! Names of signals.

use rustix::process::Signal;

/// `SIGTERM` and the like; a number where there is no name.
pub(crate) fn name(number: i32) -> String {
    const NAMES: [(Signal, &str); 22] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::VTALARM, "SIGVTALRM"),
        (Signal::PROF, "SIGPROF"),
        (Signal::IO, "SIGIO"),
        (Signal::SYS, "SIGSYS"),
        (Signal::STOP, "SIGSTOP"),
    ];
    let found = NAMES.iter().find(|(signal, _)| signal.as_raw() == number);
    found.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}
