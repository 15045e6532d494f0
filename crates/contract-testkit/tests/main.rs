//! The checks, on tools made for them.
//!
//! - `catalog`: each fault is found and named
//! - `counting`: what a piece of work held in memory
//! - `sheet`: what a sheet shows, and that one byte makes a difference
//! - `typescript`: samples against signatures
//! - `tools`: the tools
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod catalog;
mod counting;
mod sheet;
mod tools;
mod typescript;
