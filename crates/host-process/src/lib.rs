#![doc = include_str!("../README.md")]

pub mod capture;
pub mod command;
pub mod confine;
pub mod environment;
pub mod error;
pub mod output;
pub mod running;
pub mod spool;
pub mod terminal;

mod channel;
mod control;
mod leader;
mod line;
mod streams;
mod supervise;
mod sys;
mod tree;
mod unique;
#[cfg(target_os = "linux")]
mod warden;

pub use capture::{Captured, Window};
pub use command::Command;
pub use confine::{Confined, Confinement, Enforcement};
pub use environment::{Environment, looks_like_credential};
pub use error::ProcessError;
pub use output::{Changed, Chunk, Cursor, Output};
pub use running::{Finished, Running, Status, Stop, Stopper, end_all};
pub use spool::{Spool, Spooled};
pub use terminal::{Ended, Signal, Sink, Terminal, TerminalSize, Writing};
