//! The tools as a host uses them: built from the catalogue, called through the registry.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

mod background;
mod bash;
#[cfg(feature = "samples")]
mod catalog;
// What file tools can change under each access mode, and every path out of it.
mod changes_confined;
// What a process does that a test starts, kills or confines.
mod child;
// Programs that call tools.
mod code;
// The same of commands.
mod confinement;
// SIGKILL at random points.
mod crash;
// Programs under `tsc`.
mod declarations;
mod edit;
// What a session has seen of its files.
mod guard;
mod large_output;
mod ownership;
mod processes;
// Many writers, one file.
mod race;
mod read;
mod search;
mod support;
mod terminal;
mod write;
