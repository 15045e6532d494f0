//! Tests of contract-spill.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "tests"
)]

mod config;
mod firstparty;
mod local;
mod order;
mod preview;
mod retention;
mod rules;
mod support;
mod waiting;
