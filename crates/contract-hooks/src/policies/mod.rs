//! Ready-made policies, one a file.

pub mod deadline;
pub mod permissions;
pub mod repeat_reminder;

mod wildcard;

pub use deadline::Deadline;
pub use permissions::{Permissions, Rule, RuleDoubt, RuleError};
pub use repeat_reminder::{ReminderConfig, ReminderError, RepeatReminder};
