#![doc = include_str!("../README.md")]

pub mod catalog;
pub mod config;
pub mod files;
pub mod seam;
pub mod search;

mod text;

pub use catalog::{BuildError, Seams, ToolList, tools};
pub use config::{
    AccessCaps, ChangeCaps, Config, ConfigError, EditCaps, GlobCaps, GrepCaps, ReadCaps,
    SearchCaps, WriteCaps,
};
pub use files::edit::{Edit, EditArgs, EditValue};
pub use files::observe::Observations;
pub use files::read::{Read, ReadArgs, ReadLine, ReadValue};
pub use files::write::{Operation, Write, WriteArgs, WriteValue};
pub use search::glob::{Glob, GlobArgs, GlobValue};
pub use search::grep::{Grep, GrepArgs, GrepValue};
pub use search::incomplete::{Incomplete, Reason};
pub use search::matches::{GrepMatch, Matches};
