#![doc = include_str!("../README.md")]

pub mod config;
pub mod error;
pub mod local;
pub mod memory;
pub mod policy;
pub mod preview;
pub mod store;
pub mod text;

mod contain;
mod notice;

pub use config::{CapError, SpillCap, SpillConfig};
pub use error::SpillError;
pub use local::{LocalConfig, LocalStore, Swept};
pub use memory::MemoryStore;
pub use policy::{Mounted, Spill};
pub use preview::{Preview, preview};
pub use store::{Label, NoStore, Plan, Saved, SpillSource, SpillStore};
pub use text::SpillText;
