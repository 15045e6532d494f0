//! Where the tools touch the outside: files, directories, searching, commands. Nothing else in this crate does IO.
//!
//! The search libraries read files by themselves, so walking and searching stand here as a whole.

pub mod error;
pub mod fs;
pub mod process;
pub mod publish;
pub mod terminal;
pub mod version;

pub(crate) mod budget;
pub(crate) mod gather;
pub(crate) mod hits;
pub(crate) mod lines;
pub(crate) mod place;
pub(crate) mod stamps;
pub(crate) mod walk;

mod listing;
mod queue;
mod rule_file;
mod rules;
mod scan;
mod source;
mod threads;
