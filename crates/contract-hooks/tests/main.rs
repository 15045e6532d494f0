//! Tests of the hook chains, named after the rules they hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod around;
mod chains;
#[cfg(feature = "command-hooks")]
mod command;
mod compile_fail;
mod paths;
mod policies;
mod rules;
mod support;
