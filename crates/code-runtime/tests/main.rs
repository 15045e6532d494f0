//! Tests of running programs, in worker processes and on threads.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

mod basics;
mod forged;
mod hostile;
mod lifecycle;
mod programs;
mod support;
mod values;
