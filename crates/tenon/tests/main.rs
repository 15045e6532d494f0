//! The program as a user has it: every test runs the built binary.
//!
//! - `arguments`: where arguments come from, and what is no JSON
//! - `call`: results, formats, failures and their exit codes
//! - `code`: programs, what they print, what is logged, and that nothing of them is left (Linux)
//! - `commands`: commands, and that nothing of them is left (Linux)
//! - `configuration`: files, layers, trust, errors with file, line and key
//! - `hooks`: external command hooks around a call (Unix)
//! - `sdk`: what a program is written against
//! - `sessions`: the log of calls, its replay, and the commands on it
//! - `signals`: how a running call is ended (Unix)
//! - `spill`: long results, where the rest is, and how to read it
//! - `streams`: an output that is gone or full (Unix)
//! - `terminal`: what a person at a terminal sees (Linux)
//! - `tools`: the listing
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod arguments;
mod call;
#[cfg(target_os = "linux")]
mod code;
#[cfg(target_os = "linux")]
mod commands;
mod configuration;
#[cfg(unix)]
mod hooks;
mod sdk;
mod sessions;
#[cfg(unix)]
mod signals;
mod spill;
#[cfg(unix)]
mod streams;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
mod tools;
