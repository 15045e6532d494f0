//! The tools as a host uses them: built from the catalogue, called through the registry.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

#[cfg(feature = "samples")]
mod catalog;
// What a process does that a test starts, kills or confines.
mod child;
// Access modes, and every path out of them.
mod confinement;
// SIGKILL at random points.
mod crash;
mod edit;
// What a session has seen of its files.
mod guard;
// Many writers, one file.
mod race;
mod read;
mod search;
mod support;
mod write;
