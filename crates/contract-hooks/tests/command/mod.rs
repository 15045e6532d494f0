//! External command hooks, with real scripts in a folder of their own.

mod config;
mod faults;
mod life;
mod merge;
mod results;
mod support;
mod verdicts;
mod wire;
