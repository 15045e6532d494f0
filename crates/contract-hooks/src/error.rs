//! Errors of hooks, and the codes of the failures that policies here cause.

/// The codes of failures that this crate's policies give.
pub mod code {
    /// The tool's deadline passed.
    pub const TOOL_TIMEOUT: &str = "TOOL_TIMEOUT";
    /// A person, or who answers for one, said no.
    pub const APPROVAL_REJECTED: &str = "APPROVAL_REJECTED";
    /// The question was withdrawn before it was answered.
    pub const APPROVAL_CANCELLED: &str = "APPROVAL_CANCELLED";
    /// A policy asks, and there is nobody to ask.
    pub const APPROVAL_UNAVAILABLE: &str = "APPROVAL_UNAVAILABLE";
    /// A permission rule forbids the call.
    pub const PERMISSION_DENIED: &str = "PERMISSION_DENIED";
}

/// A hook that could not judge. The call it was to judge fails with this message (contract H7).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookError(pub String);

impl HookError {
    /// An error with a message of one plain line.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}
