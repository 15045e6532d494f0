#![doc = include_str!("../README.md")]

pub mod catalog;
pub mod code;
pub mod config;
pub mod files;
pub mod jobs;
pub mod seam;
pub mod search;
pub mod shell;
pub mod terminal;

mod text;

pub use catalog::{BuildError, Seams, ToolList, tools};
pub use code::log::{NestedCall, NestedCalls, NestedLog, NestedLogError};
pub use code::run_code::{RunCode, RunCodeArgs, RunCodeValue};
pub use config::{
    AccessCaps, BashCaps, ChangeCaps, CodeCaps, Config, ConfigError, EditCaps, GlobCaps, GrepCaps,
    HostLife, JobsCaps, ReadCaps, SearchCaps, TerminalCaps, WriteCaps,
};
pub use files::edit::{Edit, EditArgs, EditValue};
pub use files::observe::Observations;
pub use files::read::{Read, ReadArgs, ReadLine, ReadValue};
pub use files::write::{Operation, Write, WriteArgs, WriteValue};
pub use jobs::kill::{JobKill, JobKillArgs, JobKillValue};
pub use jobs::list::{JobList, JobListArgs, JobListValue};
pub use jobs::output::{JobOutput, JobOutputArgs, JobOutputValue};
pub use jobs::service::JobService;
pub use search::glob::{Glob, GlobArgs, GlobValue};
pub use search::grep::{Grep, GrepArgs, GrepValue};
pub use search::incomplete::{Incomplete, Reason};
pub use search::matches::{GrepMatch, Matches};
pub use shell::bash::{Bash, BashArgs};
pub use shell::sandbox::{BashSandbox, SandboxEnforcement, SandboxMode};
pub use shell::value::{BashEnded, BashStream, BashValue};
pub use terminal::close::{CloseOutcome, TerminalClose, TerminalCloseArgs, TerminalCloseValue};
pub use terminal::keys::Key;
pub use terminal::list::{TerminalList, TerminalListArgs, TerminalListValue};
pub use terminal::open::{TerminalOpen, TerminalOpenArgs, TerminalOpenValue};
pub use terminal::read::{TerminalRead, TerminalReadArgs, TerminalReadValue};
pub use terminal::ready::WaitReason;
pub use terminal::sandbox::TerminalSandbox;
pub use terminal::send::{TerminalSend, TerminalSendArgs, TerminalSendValue, TerminalSent};
pub use terminal::service::Terminals;
pub use terminal::session::{TerminalStatus, TerminalType};
pub use terminal::signal::{TerminalSignalArgs, TerminalSignalTool, TerminalSignalValue};
pub use terminal::tool::TerminalSnapshot;
