//! The seam to where texts are saved.

use contract_registry::{CallHead, CallId, SessionId};
use futures_util::future::BoxFuture;

use crate::error::SpillError;
use crate::text::SpillText;

/// Saves texts, in two steps: the notice with the place is measured before anything is written.
pub trait SpillStore: Send + Sync + 'static {
    /// Says where a text will be. Writes nothing; a plan may be dropped.
    ///
    /// # Errors
    ///
    /// [`SpillError`] when it is known already that saving will fail.
    fn plan(&self, source: &SpillSource<'_>) -> Result<Plan, SpillError>;

    /// Saves the text where the plan says. When this returns, the text can be read there and survives a
    /// crash of the machine. When it fails, nothing is left there. Dropping the future gives up; then, too,
    /// nothing is to be left. It must not block the thread that polls it: only waiting can be given up.
    fn save<'a>(
        &'a self,
        plan: &'a Plan,
        text: &'a SpillText<'a>,
    ) -> BoxFuture<'a, Result<Saved, SpillError>>;
}

/// Whose text it is.
#[derive(Debug, Clone, Copy)]
pub struct SpillSource<'a> {
    /// The session, if there is one. Texts live per session (contract S6).
    pub session: Option<&'a SessionId>,
    /// The tool.
    pub tool: &'a str,
    /// The call.
    pub call_id: &'a CallId,
    /// What kind of text it is.
    pub label: Label,
    /// A name that tells a reader what it is; any text at all.
    pub suggested_name: &'a str,
}

impl<'a> SpillSource<'a> {
    pub(crate) fn of(call: &'a CallHead, label: Label, suggested_name: &'a str) -> Self {
        Self {
            session: call.session_id(),
            tool: call.name(),
            call_id: call.call_id(),
            label,
            suggested_name,
        }
    }
}

/// What kind of text is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// The content of a direct result.
    Result,
    /// The full text behind a tool's own page (contract P17).
    Overflow,
    /// The log copy of a nested result (contract C2).
    Dispatch,
}

impl Label {
    /// The label as a word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Overflow => "overflow",
            Self::Dispatch => "dispatch",
        }
    }
}

/// Where a text will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    locator: String,
    hint: String,
    key: String,
}

impl Plan {
    /// A plan with the place as a model is told it, and one sentence on how to read there.
    pub fn new(locator: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { locator: locator.into(), hint: hint.into(), key: String::new() }
    }

    /// Adds what the store itself finds the place by.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// The place as a model is told it.
    #[must_use]
    pub fn locator(&self) -> &str {
        &self.locator
    }

    /// How to read there.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// What the store finds the place by.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// A text that is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// Its length in bytes.
    pub bytes: u64,
}

/// No store: nothing is saved, and every result stays as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoStore;

impl SpillStore for NoStore {
    fn plan(&self, _: &SpillSource<'_>) -> Result<Plan, SpillError> {
        Err(SpillError::NoStore)
    }

    fn save<'a>(
        &'a self,
        _: &'a Plan,
        _: &'a SpillText<'a>,
    ) -> BoxFuture<'a, Result<Saved, SpillError>> {
        Box::pin(async { Err(SpillError::NoStore) })
    }
}
