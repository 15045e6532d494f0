#![doc = include_str!("../README.md")]

pub mod approval;
pub mod around;
pub mod chain;
#[cfg(feature = "command-hooks")]
pub mod command;
pub mod error;
pub mod hooks;
pub mod lifecycle;
pub mod log_copy;
pub mod observe;
pub mod policies;
pub mod post;
pub mod pre;

mod contain;
mod deep;
mod follow;

pub use approval::{Answer, Approver};
pub use around::{AroundExecute, AroundNext};
pub use chain::{HookHandle, HookScope, Place, Position};
pub use error::{HookError, code};
pub use hooks::{Bound, Guard, Hooks};
pub use lifecycle::{
    Lifecycle, LifecycleDecision, LifecycleEvent, LifecycleHead, LifecycleNext, MAX_STOP_ROUNDS,
    StopRounds,
};
pub use log_copy::{LogCopy, LogCopyNext, NestedResult};
pub use observe::Observe;
pub use post::{InnerPost, PostExecute, PostNext};
pub use pre::{InnerPre, PreExecute, PreNext, PreReply, PreVerdict, Question};
