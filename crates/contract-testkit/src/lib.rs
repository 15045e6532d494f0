#![doc = include_str!("../README.md")]

pub mod catalog;
pub mod counting;
pub mod faults;
pub mod sheet;
pub mod shown;
pub mod snapshot;
pub mod tsc;
pub mod typescript;

mod projection;

pub use catalog::check_catalog;
pub use counting::{CountingAllocator, MemoryUse};
pub use faults::Faults;
pub use sheet::sheet;
pub use snapshot::{check_sheets, check_text};
pub use typescript::check_typescript;
