#![doc = include_str!("../README.md")]

pub mod config;
pub mod host;
pub mod outcome;
pub mod program;
pub mod runtime;
pub mod sandbox;

mod engine;
mod script;
mod wire;
mod worker;

pub use config::{Config, ConfigError, Limits, Worker};
pub use host::{CallError, CallStart, Host, NoHost};
pub use outcome::{CallEnd, CallRecord, Ended, Fault, Limit, LimitHit, Place, RunOutcome};
pub use program::{Bindings, ErrorClass, Program};
pub use runtime::{Run, Runtime, RuntimeError, Stopper};
pub use sandbox::{Confinement, Rules};
pub use worker::worker_main;
