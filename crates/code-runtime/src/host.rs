//! The other side of a binding.

use contract_schema::Json;
use futures_util::future::BoxFuture;

/// A call that a program made.
#[derive(Debug, Clone)]
pub struct CallStart {
    /// Its number, from 1 in the order of the calls.
    pub id: u32,
    /// The object whose function is called.
    pub global: String,
    /// The function. Always one the program was given.
    pub name: String,
    /// Its one argument.
    pub args: Json,
}

/// Why a call failed, as the program sees it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// The `name` of the error instead of that of its class.
    pub name: Option<String>,
    /// Its `code`, if it has one.
    pub code: Option<String>,
    /// Its message.
    pub message: String,
}

impl CallError {
    /// An error of the bindings' own class, without a code.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { name: None, code: None, message: message.into() }
    }
}

/// Answers the calls of a program.
///
/// Calls overlap as the program makes them overlap; order, lanes and limits beyond [`Limits`](crate::Limits) are the
/// host's. The futures are polled by the run and dropped with it.
pub trait Host: Send + Sync {
    /// Answers one call.
    fn call(&self, call: CallStart) -> BoxFuture<'_, Result<Json, CallError>>;
}

/// A host without functions.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn call(&self, call: CallStart) -> BoxFuture<'_, Result<Json, CallError>> {
        let error = CallError::new(format!("{}.{} has no host", call.global, call.name));
        Box::pin(std::future::ready(Err(error)))
    }
}
