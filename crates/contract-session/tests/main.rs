//! Tests of sessions through their public face.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

/// One test for each format of log.
macro_rules! each_format {
    ($($(#[$attribute:meta])* $name:ident),* $(,)?) => {
        mod json_lines {
            $($(#[$attribute])* #[test] fn $name() {
                super::$name(contract_session::LogFormat::JsonLines);
            })*
        }
        #[cfg(feature = "sqlite")]
        mod sqlite {
            $($(#[$attribute])* #[test] fn $name() {
                super::$name(contract_session::LogFormat::Sqlite);
            })*
        }
    };
}

// What a process does that a test starts, kills or locks out.
mod child;
mod compile_fail;
// Disks that are full and directories that are read-only.
mod disk;
mod history;
// Two processes, one session.
mod in_use;
// SIGKILL at random points.
mod kill;
mod random;
mod replay;
// The rules of the contract that one journal shows.
mod rules;
// The store: ids, listing, removal, privacy.
mod store;
mod support;
// Ends that a crash cut off, and damage that none can have left.
mod torn;
