#![doc = include_str!("../README.md")]

pub mod catalog;
pub mod config;
pub mod files;
pub mod seam;
pub mod search;

mod text;

pub use catalog::{BuildError, Seams, ToolList, tools};
pub use config::{
    AccessCaps, Config, ConfigError, GlobCaps, GrepCaps, HostLife, ReadCaps, SearchCaps,
};
pub use files::read::{Read, ReadArgs, ReadLine, ReadValue};
pub use search::glob::{Glob, GlobArgs, GlobValue};
pub use search::grep::{Grep, GrepArgs, GrepValue};
pub use search::incomplete::{Incomplete, Reason};
pub use search::matches::{GrepMatch, Matches};
