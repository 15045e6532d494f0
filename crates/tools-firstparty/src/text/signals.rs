//! Names of signals.

/// The name of a signal, such as `SIGKILL`; its number where it has none.
pub(crate) fn name(signal: i32) -> String {
    let known = NAMES.iter().find(|(number, _)| *number == signal);
    known.map_or_else(|| format!("signal {signal}"), |(_, name)| format!("SIG{name}"))
}

use rustix::process::Signal;

const NAMES: [(i32, &str); 14] = [
    (Signal::HUP.as_raw(), "HUP"),
    (Signal::INT.as_raw(), "INT"),
    (Signal::QUIT.as_raw(), "QUIT"),
    (Signal::ILL.as_raw(), "ILL"),
    (Signal::TRAP.as_raw(), "TRAP"),
    (Signal::ABORT.as_raw(), "ABRT"),
    (Signal::BUS.as_raw(), "BUS"),
    (Signal::FPE.as_raw(), "FPE"),
    (Signal::KILL.as_raw(), "KILL"),
    (Signal::USR1.as_raw(), "USR1"),
    (Signal::SEGV.as_raw(), "SEGV"),
    (Signal::PIPE.as_raw(), "PIPE"),
    (Signal::ALARM.as_raw(), "ALRM"),
    (Signal::TERM.as_raw(), "TERM"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_and_unknown() {
        assert_eq!(name(9), "SIGKILL");
        assert_eq!(name(99), "signal 99");
    }
}
