//! External command hooks, in the two JSON forms that users already have files for (decisions DH1, DH3).
//!
//! [`HookFile`] is what a file says; [`CommandHooks`] runs it, as a listener of the chains. Loading a file
//! runs nothing: a file that came with a workspace must be trusted before it is registered.
//!
//! What a hook decides is merged over all hooks that match: deny beats ask, ask beats allow. A hook that
//! was to let something in (`PreToolUse`, `UserPromptSubmit`) and could not judge fails it (contract H7):
//! it did not start, was stopped at its deadline, was ended by a signal, or wrote a decision that cannot be
//! read: one in another wrapping than a single JSON object, or more output than is kept. Exit codes other than 0, 2, 126 and 127 decide nothing, as users' files expect.

pub mod alias;
pub mod config;
pub mod event;
pub mod options;
pub mod records;

mod listener;
mod locate;
mod matcher;
mod merge;
mod opening;
mod output;
mod run;
mod wire;

pub use alias::KnownTools;
pub use config::{HookConfigError, HookFile, HookWarning};
pub use event::{Dialect, HookEvent};
pub use listener::{CommandHookHandles, CommandHooks};
pub use options::{CommandOptions, CommandOptionsError, HookLimits, OnFault, Replacement};
pub use records::{HookDecided, HookInvoked, HookRecords, HookResult, Tracing};
