//! `tenon`: the tools of a coding agent on the command line.
//!
//! Reads what was typed, puts the crates together, prints what came of it. What a tool does, and what a
//! call is, is in the libraries.

mod approve;
mod arguments;
mod call;
mod cli;
mod code;
mod command_hooks;
mod config;
mod exit;
mod format;
mod log;
mod nested;
mod outputs;
mod policy;
mod progress;
mod runtime;
mod sdk;
mod session;
mod setup;
mod signals;
mod tools;
mod trust;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::exit::{Exit, Stop};

fn main() -> ExitCode {
    // This program is also the worker of its own programs; as one, it does not return from here.
    code_runtime::worker_main();
    let cli = Cli::parse();
    // A panic here has no caller but the user, who gets an exit code that says so.
    let ran = std::panic::catch_unwind(|| run(&cli))
        .unwrap_or_else(|_| Err(Stop::internal("the program failed; this is a defect of it")));
    match ran {
        Ok(exit) => exit.into(),
        Err(stop) => {
            // Nobody to tell when stderr is gone.
            let _ = writeln!(std::io::stderr(), "error: {stop}");
            stop.exit.into()
        }
    }
}

fn run(cli: &Cli) -> Result<Exit, Stop> {
    match &cli.common.log {
        Some(filter) => log::start(filter)?,
        None => log::start_plain()?,
    }
    match &cli.command {
        Command::Tools(tools) => tools::run(tools, &cli.common),
        Command::Sdk(sdk) => sdk::run(sdk, &cli.common),
        Command::Call(call) => call::run(call, &cli.common),
        Command::Code(code) => code::run(code, &cli.common),
        Command::Sessions(sessions) => session::run(sessions.command.as_ref(), sessions.json),
        Command::Replay { id, json } => session::replay(id, *json),
        Command::Trust(trust) => trust::run(trust, &cli.common),
    }
}
