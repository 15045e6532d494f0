//! The terminals as a host uses them: real shells, real programs.

mod confined;
mod lifecycle;
mod limits;
mod owned;
mod programs;
mod support;
mod tmux;
