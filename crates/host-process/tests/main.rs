//! Tests of running commands, with real ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[cfg(target_os = "linux")]
mod confine;
mod ending;
mod outcome;
mod output;
mod spool;
mod storm;
mod support;
mod terminal;
