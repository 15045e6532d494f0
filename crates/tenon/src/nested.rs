//! The session's log of what programs call: rendered content only, shaped by the log-copy chain (contract L3).

use std::sync::Arc;

use contract_hooks::{Hooks, NestedResult};
use contract_registry::Outcome;
use contract_session::event::{PtcDispatch, PtcDispatchStart};
use contract_session::{CallId, Event, Journal};
use futures_util::future::BoxFuture;
use tools_firstparty::{NestedCall, NestedLog, NestedLogError};

/// Logs nested calls in the session of their direct call.
pub(crate) struct Nested {
    journal: Arc<dyn Journal>,
    hooks: Hooks,
}

impl Nested {
    /// Logs there, as these chains shape it.
    pub(crate) fn new(journal: Arc<dyn Journal>, hooks: Hooks) -> Self {
        Self { journal, hooks }
    }

    fn append(&self, event: impl Into<Event>) -> Result<(), NestedLogError> {
        self.journal
            .append(&event.into())
            .map(drop)
            .map_err(|error| NestedLogError { code: error.code(), message: error.to_string() })
    }
}

/// Root, parent and own id.
fn ids(call: &NestedCall) -> [CallId; 3] {
    [call.head.root_call_id(), &call.parent_call_id, call.head.call_id()]
        .map(|id| id.as_str().into())
}

impl NestedLog for Nested {
    fn started(&self, call: &NestedCall) -> Result<(), NestedLogError> {
        let [root_call_id, parent_call_id, sub_call_id] = ids(call);
        self.append(PtcDispatchStart {
            root_call_id,
            parent_call_id,
            sub_call_id,
            name: call.head.name().to_owned(),
            arguments: call.arguments.clone(),
        })
    }

    fn ended<'a>(
        &'a self,
        call: &'a NestedCall,
        outcome: &'a Outcome,
    ) -> BoxFuture<'a, Result<(), NestedLogError>> {
        Box::pin(async move {
            let content = outcome.content().to_vec();
            let result = NestedResult { content, is_error: outcome.is_error() };
            let content = self.hooks.shape_log_copy(&call.head, &result).await;
            let [root_call_id, parent_call_id, sub_call_id] = ids(call);
            self.append(PtcDispatch {
                root_call_id,
                parent_call_id,
                sub_call_id,
                name: call.head.name().to_owned(),
                arguments: call.arguments.clone(),
                content,
                is_error: result.is_error,
            })
        })
    }
}
