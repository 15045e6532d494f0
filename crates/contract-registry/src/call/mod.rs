//! Calls: what one carries, and what its body may do (contract P15).

mod blocking;
mod context;
mod env;
mod ids;
mod request;

pub use blocking::CancelFlag;
pub use context::{Call, CallContext, CallHead};
pub use env::{AccessMode, CallEnv, ProgressSink, Services};
pub use ids::{AgentId, CallId, SessionId};
pub use request::CallRequest;

pub(crate) use blocking::Orphans;
pub(crate) use context::Effects;
