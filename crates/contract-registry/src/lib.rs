#![doc = include_str!("../README.md")]

pub mod call;
pub mod cancel;
pub mod declarations;
pub mod erased;
pub mod error;
pub mod outcome;
pub mod policy;
pub mod raw;
pub mod registry;
pub mod runtime;
#[cfg(feature = "samples")]
pub mod samples;
pub mod scheduler;
pub mod token;
pub mod tool;

mod contain;
mod pipeline;

pub use call::{
    AccessMode, AgentId, Call, CallContext, CallEnv, CallHead, CallId, CallRequest, CancelFlag,
    ProgressSink, Services, SessionId,
};
pub use cancel::{CancelSignal, CancelSource};
pub use declarations::{TooManyTools, declarations, declarations_within, describe};
pub use erased::{Audience, DynTool, PreparedCall, Projected, Projection, Returned, TypedTool};
pub use error::{ErrorInfo, ProjectError, RegisterError, ToolError, code};
pub use outcome::{Failure, Outcome, ResultUnion, Success};
pub use policy::{
    Completed, Denial, ExecuteReply, Next, Policy, PolicyError, PostDecision, PostVerdict,
    PreDecision,
};
pub use raw::RawTool;
pub use registry::{
    Changes, Guard, Presentation, Registration, Registry, RegistryBuilder, Restriction, Scope,
    ToolDefinition,
};
pub use runtime::{Runtime, ThreadRuntime};
pub use scheduler::{Lane, OnStart};
pub use token::Token;
pub use tool::{Annotations, Ended, Overflow, SchemaAdjuster, Tool};
