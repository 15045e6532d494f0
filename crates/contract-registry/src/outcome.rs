//! The outcome of a call: a success with a value or a failure without one (contract P4).

use contract_schema::{AdditionalContext, Canonical, ContentBlock, Json};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use crate::error::{ErrorInfo, code};
use crate::token::Token;

/// What a call came to. Only the registry makes one; it belongs to the token it was made for.
#[derive(Debug, Clone)]
pub struct Outcome {
    token: Token,
    result: Result<Success, Failure>,
    contexts: Vec<AdditionalContext>,
}

/// A success. There is none without a value.
#[derive(Debug, Clone)]
pub struct Success {
    pub(crate) value: Canonical,
    pub(crate) content: Vec<ContentBlock>,
    pub(crate) meta: Option<Json>,
    pub(crate) concludes_turn: bool,
}

/// A failure. It has no value.
#[derive(Debug, Clone)]
pub struct Failure {
    pub(crate) message: String,
    pub(crate) info: Option<ErrorInfo>,
    pub(crate) content: Vec<ContentBlock>,
    pub(crate) meta: Option<Json>,
}

impl Success {
    /// The canonical value.
    #[must_use]
    pub fn value(&self) -> &Canonical {
        &self.value
    }

    /// What a model reads.
    #[must_use]
    pub fn content(&self) -> &[ContentBlock] {
        &self.content
    }

    /// What a user interface shows; absent for nested calls.
    #[must_use]
    pub fn meta(&self) -> Option<&Json> {
        self.meta.as_ref()
    }

    /// Whether the tool asked to end the turn with this result (contract P15).
    #[must_use]
    pub fn concludes_turn(&self) -> bool {
        self.concludes_turn
    }
}

impl Failure {
    /// A failure whose content is `Error: ` and the message (contract P5).
    pub(crate) fn new(message: String, info: Option<ErrorInfo>) -> Self {
        let content = vec![ContentBlock::text(format!("Error: {message}"))];
        Self { message, info, content, meta: None }
    }

    pub(crate) fn coded(name: &'static str, code: &'static str, message: String) -> Self {
        Self::new(message, Some(ErrorInfo::new(name, code)))
    }

    /// What went wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Class and code, if given.
    #[must_use]
    pub fn info(&self) -> Option<&ErrorInfo> {
        self.info.as_ref()
    }

    /// The code, if given.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.info.as_ref().map(|info| &*info.code)
    }

    /// What a model reads.
    #[must_use]
    pub fn content(&self) -> &[ContentBlock] {
        &self.content
    }

    /// What a user interface shows, from the tool's own error only (contract P16).
    #[must_use]
    pub fn meta(&self) -> Option<&Json> {
        self.meta.as_ref()
    }

    /// Whether the call was cancelled, before or after its body started.
    #[must_use]
    pub fn is_abort(&self) -> bool {
        matches!(self.code(), Some(code::ABORTED | code::ABORTED_BEFORE_DISPATCH))
    }
}

impl Outcome {
    pub(crate) fn new(token: Token, result: Result<Success, Failure>) -> Self {
        Self { token, result, contexts: Vec::new() }
    }

    /// The call this outcome belongs to.
    #[must_use]
    pub fn token(&self) -> Token {
        self.token
    }

    /// Success or failure.
    ///
    /// # Errors
    ///
    /// The failure, if the call failed.
    pub fn result(&self) -> Result<&Success, &Failure> {
        self.result.as_ref()
    }

    /// Whether the call failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.result.is_err()
    }

    /// The canonical value of a success.
    #[must_use]
    pub fn value(&self) -> Option<&Canonical> {
        self.result.as_ref().ok().map(Success::value)
    }

    /// The failure, if the call failed.
    #[must_use]
    pub fn error(&self) -> Option<&Failure> {
        self.result.as_ref().err()
    }

    /// What a model reads.
    #[must_use]
    pub fn content(&self) -> &[ContentBlock] {
        match &self.result {
            Ok(success) => &success.content,
            Err(failure) => &failure.content,
        }
    }

    /// What a user interface shows.
    #[must_use]
    pub fn meta(&self) -> Option<&Json> {
        match &self.result {
            Ok(success) => success.meta.as_ref(),
            Err(failure) => failure.meta.as_ref(),
        }
    }

    /// Messages for the model after this result, in order (contract P12).
    #[must_use]
    pub fn contexts(&self) -> &[AdditionalContext] {
        &self.contexts
    }

    /// The whole union in its wire form.
    #[must_use]
    pub fn union(&self) -> ResultUnion<'_> {
        ResultUnion(self)
    }

    pub(crate) fn contexts_mut(&mut self) -> &mut Vec<AdditionalContext> {
        &mut self.contexts
    }

    pub(crate) fn set_content(&mut self, replacement: Vec<ContentBlock>) {
        match &mut self.result {
            Ok(success) => success.content = replacement,
            Err(failure) => failure.content = replacement,
        }
    }

    pub(crate) fn into_parts(self) -> (Token, Result<Success, Failure>, Vec<AdditionalContext>) {
        (self.token, self.result, self.contexts)
    }
}

/// The wire form of an outcome: `isError`, then `value` or `error`, `content`, and `meta` and
/// `additionalContexts` where there are any.
#[derive(Debug, Clone, Copy)]
pub struct ResultUnion<'a>(&'a Outcome);

#[derive(Serialize)]
struct WireError<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    info: Option<&'a ErrorInfo>,
}

impl Serialize for ResultUnion<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outcome = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("isError", &outcome.is_error())?;
        match &outcome.result {
            Ok(success) => map.serialize_entry("value", &success.value)?,
            Err(failure) => map.serialize_entry(
                "error",
                &WireError { message: &failure.message, info: failure.info.as_ref() },
            )?,
        }
        map.serialize_entry("content", outcome.content())?;
        if let Some(meta) = outcome.meta() {
            map.serialize_entry("meta", meta)?;
        }
        if !outcome.contexts.is_empty() {
            map.serialize_entry("additionalContexts", &outcome.contexts)?;
        }
        map.end()
    }
}
