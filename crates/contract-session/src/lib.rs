#![doc = include_str!("../README.md")]

pub mod error;
pub mod event;
pub mod history;
mod id;
pub mod journal;
mod jsonl;
mod line;
mod log;
pub mod native;
pub mod replay;
#[cfg(feature = "sqlite")]
mod sqlite;
pub mod store;

pub use error::{SessionError, code};
pub use event::{Entry, Event, Record};
pub use history::{Message, history};
pub use id::{CallId, SessionId};
pub use journal::{Appended, Entries, Journal, Recovery, SyncPolicy};
pub use store::{LogFormat, Opened, Opening, Owner, SessionSummary, Sessions};
