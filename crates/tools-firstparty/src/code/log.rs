//! Where the calls of a program are logged: a seam that a host with a session fills (contract L3).

use std::fmt;
use std::sync::Arc;

use contract_registry::{CallHead, CallId, Outcome};
use contract_schema::Json;
use futures_util::future::BoxFuture;

/// A call that a program made, once it has started.
#[derive(Clone, Debug)]
pub struct NestedCall {
    /// The call: its ids, its tool, its surroundings.
    pub head: CallHead,
    /// The call whose program made it.
    pub parent_call_id: CallId,
    /// What it was given.
    pub arguments: Json,
}

/// Keeps what a program calls. Starts come in the order of the calls, and so do ends, each after its start;
/// all of them before the result of the program's own call.
pub trait NestedLog: Send + Sync + 'static {
    /// A call starts. It waits for this.
    ///
    /// # Errors
    ///
    /// [`NestedLogError`] stops the program before the call's body runs.
    fn started(&self, call: &NestedCall) -> Result<(), NestedLogError>;

    /// A call ended. The program goes on meanwhile.
    ///
    /// # Errors
    ///
    /// [`NestedLogError`] stops the program.
    fn ended<'a>(
        &'a self,
        call: &'a NestedCall,
        outcome: &'a Outcome,
    ) -> BoxFuture<'a, Result<(), NestedLogError>>;
}

/// A call of a program could not be logged. The program's own call fails with this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NestedLogError {
    /// The code of the failure, such as `SESSION_WRITE_FAILED`.
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
}

/// The log as a service: a host puts one into the services of a session.
#[derive(Clone)]
pub struct NestedCalls(pub Arc<dyn NestedLog>);

impl fmt::Debug for NestedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NestedCalls")
    }
}
