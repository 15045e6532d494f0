//! The tools as a host uses them: built from the catalogue, called through the registry.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[cfg(feature = "samples")]
mod catalog;
mod read;
mod search;
mod support;
mod terminal;
