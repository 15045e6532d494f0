//! Tests of the public API, one binary for the crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::string_slice,
    reason = "tests"
)]

mod agreement;
mod bounds;
mod derive;
mod gate;
mod hostile;
mod json;
mod suite;
mod support;
mod typescript;
mod typescript_check;
mod violations;
