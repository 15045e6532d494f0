#![doc = include_str!("../README.md")]

pub mod capture;
pub mod command;
pub mod environment;
pub mod error;
pub mod running;

mod control;
mod leader;
mod streams;
mod supervise;
mod tree;

pub use capture::{Captured, Window};
pub use command::Command;
pub use environment::{Environment, looks_like_credential};
pub use error::ProcessError;
pub use running::{Finished, Running, Status, Stop, Stopper, end_all};
