//! Errors: what a body reports, what registration refuses, and the registry's own codes.

use std::borrow::Cow;

use contract_schema::{DecodeError, Meta, SchemaError, SnapshotError};
use serde::Serialize;

/// The codes the registry itself gives to failures. Tools add their own.
pub mod code {
    /// No tool of that name is visible to the caller (contract P6).
    pub const UNKNOWN_TOOL: &str = "UNKNOWN_TOOL";
    /// The arguments break the parameter schema (contract P6).
    pub const INVALID_TOOL_ARGS: &str = "INVALID_TOOL_ARGS";
    /// What the tool returned, or a projection of it, is not what it declared (contract P3).
    pub const INVALID_TOOL_OUTPUT: &str = "INVALID_TOOL_OUTPUT";
    /// Cancelled before the body ran (contract P9).
    pub const ABORTED_BEFORE_DISPATCH: &str = "ABORTED_BEFORE_DISPATCH";
    /// Cancelled after the body had started (contract P9).
    pub const ABORTED: &str = "ABORTED";
    /// Calls are nested in one another too deep.
    pub const NESTED_TOO_DEEP: &str = "NESTED_TOO_DEEP";
    /// The body panicked.
    pub const TOOL_PANICKED: &str = "TOOL_PANICKED";
    /// A policy or a guard refused the call.
    pub const TOOL_DENIED: &str = "TOOL_DENIED";
    /// A policy looked at the result and blocked it.
    pub const TOOL_BLOCKED: &str = "TOOL_BLOCKED";
    /// A policy itself failed or panicked; the call fails closed (contract H7).
    pub const POLICY_FAILED: &str = "POLICY_FAILED";
}

/// Class and code of a failure: stable, for programs and tests to match on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorInfo {
    /// Class, such as `ToolOutputError`.
    pub name: Cow<'static, str>,
    /// Code, such as `INVALID_TOOL_OUTPUT`.
    pub code: Cow<'static, str>,
}

impl ErrorInfo {
    /// Class and code.
    pub fn new(name: impl Into<Cow<'static, str>>, code: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), code: code.into() }
    }
}

/// What a body returns when it fails.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    message: String,
    info: Option<ErrorInfo>,
    meta: Option<Meta>,
}

impl ToolError {
    /// A failure without a code. First-party tools always give one.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), info: None, meta: None }
    }

    /// A failure of a class, with its code.
    pub fn coded(
        name: impl Into<Cow<'static, str>>,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self { message: message.into(), info: Some(ErrorInfo::new(name, code)), meta: None }
    }

    /// Adds metadata for a user interface (contract P16).
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }

    /// What a model reads after `Error: `.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Class and code, if given.
    #[must_use]
    pub fn info(&self) -> Option<&ErrorInfo> {
        self.info.as_ref()
    }

    pub(crate) fn into_parts(self) -> (String, Option<ErrorInfo>, Option<Meta>) {
        (self.message, self.info, self.meta)
    }
}

/// Why a projection did not come about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// The validated value does not read back into the tool's own type.
    #[error("its value cannot be read back into its type at {}", place(.0))]
    ReadBack(DecodeError),
    /// The metadata has no lossless JSON form.
    #[error("its metadata is not lossless JSON: {0}")]
    Meta(#[from] SnapshotError),
    /// A renderer that runs elsewhere failed.
    #[error("its renderer failed: {0}")]
    Renderer(String),
}

/// Only the place: the type's own words may quote the value, which no message may (decisions DG7).
fn place(error: &DecodeError) -> String {
    let path = error.path();
    if path.is_empty() { "the top level".to_owned() } else { path }
}

/// Why a tool cannot be registered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is empty, too long, or has characters that model providers refuse.
    #[error(
        "`{0}` is no tool name: use 1 to 64 of A-Z, a-z, 0-9, `_` and `-`, not starting with a digit or `-`"
    )]
    InvalidName(String),
    /// The layer has a tool of that name already.
    #[error("a tool named `{0}` is already registered in this layer")]
    DuplicateName(String),
    /// A layer below has a tool of that name that nothing shadows (contract C5).
    #[error("the name `{0}` is reserved for a tool that is registered already")]
    Reserved(String),
    /// The parameter schema is outside the supported subset.
    #[error("parameters of `{tool}`: {error}")]
    Parameters {
        /// The tool.
        tool: String,
        /// Every offending path.
        error: SchemaError,
    },
    /// The output schema is outside the supported subset.
    #[error("output of `{tool}`: {error}")]
    Output {
        /// The tool.
        tool: String,
        /// Every offending path.
        error: SchemaError,
    },
    /// `adjust_schema` named something that is not there, or tried to widen.
    #[error("schema adjustment of `{tool}`: {what}")]
    Adjustment {
        /// The tool.
        tool: String,
        /// What was wrong.
        what: String,
    },
    /// A definition from a schema document lacks a part.
    #[error("the definition of `{tool}` has no {part}")]
    Incomplete {
        /// The tool.
        tool: String,
        /// The part that is missing.
        part: &'static str,
    },
}
