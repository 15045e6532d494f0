//! The worker: one engine behind one socket, for one program.

mod port;
mod process;
mod serve;

pub(crate) use port::{Incoming, Intake, Outlet};
pub(crate) use process::MARK;
pub use process::worker_main;
pub(crate) use serve::{VERSION, serve};
