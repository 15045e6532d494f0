//! The program as a user has it: every test runs the built binary.
//!
//! - `arguments`: where arguments come from, and what is no JSON
//! - `call`: results, formats, failures and their exit codes
//! - `signals`: how a running call is ended (Unix)
//! - `streams`: an output that is gone or full (Unix)
//! - `terminal`: what a person at a terminal sees (Linux)
//! - `tools`: the listing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod arguments;
mod call;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod streams;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
mod tools;
