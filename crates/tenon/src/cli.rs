//! The command line: what may be typed, and nothing of what it does.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// What was typed.
#[derive(Debug, Parser)]
#[command(
    name = "tenon",
    version,
    about = "Run the tools of a coding agent: typed values for programs, text for models",
    after_help = EXITS,
    propagate_version = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXITS: &str = "\
Exit codes: 0 success; 1 a failed result, an unknown tool or bad arguments; 2 usage, arguments that \
are not JSON; 70 internal failure; 129 hung up; 130 interrupted; 143 terminated.";

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Folder to work in: relative paths start here [default: the current folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// What tools may change
    #[arg(long, global = true, value_name = "MODE", default_value = "workspace-write")]
    pub(crate) access: Access,
    /// Diagnostics on stderr, as a tracing filter such as `debug` or `contract_registry=trace`
    #[arg(long, global = true, value_name = "FILTER")]
    pub(crate) log: Option<String>,
}

/// What tools may change.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Access {
    /// Nothing.
    ReadOnly,
    /// What is under the root, and temporary files.
    WorkspaceWrite,
    /// Anything the user may.
    Full,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the tools, or show one
    Tools(Tools),
    /// Print the declarations that a program for run_code is written against, as TypeScript
    Sdk(Sdk),
    /// Make one call of a tool and print its result
    Call(Call),
    /// Run a program that calls the tools: one call of run_code
    Code(Code),
    /// List stored sessions, show one, remove one
    Sessions(SessionsArgs),
    /// Print what a session showed, from its log alone
    Replay {
        /// The session
        id: String,
        /// Print the entries of the log instead, one line of JSON each
        #[arg(long)]
        json: bool,
    },
    /// Show what a folder's tenon.toml would run or widen, and accept it
    Trust(Trust),
}

/// `tenon trust`.
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The folder [default: the root]
    pub(crate) folder: Option<PathBuf>,
    /// Accept without a question
    #[arg(long)]
    pub(crate) yes: bool,
    /// Take back what was accepted
    #[arg(long, conflicts_with = "yes")]
    pub(crate) revoke: bool,
}

/// `tenon sessions`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SessionsArgs {
    /// Print the list as one JSON array
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
}

/// What to do with stored sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List stored sessions, the latest first
    List {
        /// Print the list as one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Show what is in one, a line an entry
    Show {
        /// The session
        id: String,
    },
    /// Remove one
    Rm {
        /// The session
        id: String,
    },
}

/// `tenon tools`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Tools {
    /// Print everything about every tool as one JSON array
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<ToolsCommand>,
}

/// What to do with one tool.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// Show one tool in full
    Show {
        /// Name of the tool
        name: String,
        /// Print its TypeScript signature only
        #[arg(long)]
        ts: bool,
    },
}

/// `tenon sdk`.
#[derive(Debug, Args)]
pub(crate) struct Sdk {
    /// Keep to this size: tools that do not fit in full get one line each
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
}

/// `tenon call`.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// Name of the tool
    pub(crate) name: String,
    /// Arguments as JSON, as @FILE, or - for standard input [default: {}]
    #[arg(value_name = "JSON | @FILE | -")]
    pub(crate) arguments: Option<OsString>,
    /// What to print of the result
    #[arg(long, value_name = "FORMAT", default_value = "native")]
    pub(crate) format: Format,
    /// Log the call in this session, made if it is not there
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// `tenon code`.
#[derive(Debug, Args)]
pub(crate) struct Code {
    /// File with the program, the body of an async function; - or nothing for standard input
    #[arg(value_name = "FILE | -", conflicts_with = "source")]
    pub(crate) file: Option<PathBuf>,
    /// The program itself
    #[arg(short = 'e', long = "eval", value_name = "SOURCE")]
    pub(crate) source: Option<String>,
    /// What to print of the result
    #[arg(long, value_name = "FORMAT", default_value = "native")]
    pub(crate) format: Format,
    /// Log the call, and what the program calls, in this session, made if it is not there
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// What to print of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The text a model reads.
    Native,
    /// The canonical value as one line of JSON; nothing when the call failed.
    Value,
    /// The whole result as one line of JSON.
    Result,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
