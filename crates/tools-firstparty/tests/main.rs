//! The tools as a host uses them: built from the catalogue, called through the registry.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod background;
mod bash;
#[cfg(feature = "samples")]
mod catalog;
mod confinement;
mod large_output;
mod ownership;
mod processes;
mod read;
mod search;
mod support;
mod terminal;
