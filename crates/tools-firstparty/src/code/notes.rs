//! What a run leaves beside its outcome: how its calls ended, their images, a log that failed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use contract_registry::{CallContext, Outcome};
use contract_schema::{AdditionalContext, ContentBlock, ContextSource};

use super::log::NestedLogError;

/// Written by the calls of a run, read at its end.
#[derive(Debug, Default)]
pub(super) struct Notes {
    noted: Mutex<Noted>,
}

#[derive(Debug, Default)]
struct Noted {
    calls: Vec<NotedCall>,
    images: Vec<AdditionalContext>,
    fault: Option<NestedLogError>,
}

/// A call that started.
#[derive(Clone, Debug)]
pub(super) struct NotedCall {
    /// The tool.
    pub(super) name: String,
    /// How it ended; `None` while it runs.
    pub(super) ended: Option<CallEnd>,
}

/// How a call ended.
#[derive(Clone, Debug)]
pub(super) enum CallEnd {
    Returned,
    Failed(String),
}

impl Notes {
    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call of `name` starts; its number.
    pub(super) fn started(&self, name: &str) -> usize {
        let mut noted = self.lock();
        noted.calls.push(NotedCall { name: name.to_owned(), ended: None });
        noted.calls.len() - 1
    }

    /// The call of that number ended. Images of a success are kept for the model; text stays out of the
    /// conversation.
    pub(super) fn ended(&self, number: usize, outcome: &Outcome) {
        let mut noted = self.lock();
        let Some(call) = noted.calls.get_mut(number) else { return };
        call.ended = Some(match outcome.error() {
            None => CallEnd::Returned,
            Some(failure) => CallEnd::Failed(failure.message().to_owned()),
        });
        let name = call.name.clone();
        let is_image = |block: &&ContentBlock| matches!(block, ContentBlock::Image { .. });
        let images: Vec<_> = outcome.content().iter().filter(is_image).cloned().collect();
        if !outcome.is_error() && !images.is_empty() {
            let source = ContextSource { kind: "tool".to_owned(), name };
            noted.images.push(AdditionalContext { source, content: images });
        }
    }

    /// A call could not be logged. The first that could not is what the run fails with.
    pub(super) fn unlogged(&self, error: NestedLogError) {
        self.lock().fault.get_or_insert(error);
    }

    /// Why a call could not be logged, if one could not.
    pub(super) fn fault(&self) -> Option<NestedLogError> {
        self.lock().fault.clone()
    }

    /// The calls that started, in order.
    pub(super) fn calls(&self) -> Vec<NotedCall> {
        self.lock().calls.clone()
    }

    /// Defers the images to the model.
    pub(super) fn attach_images(&self, cx: &CallContext) {
        let images = std::mem::take(&mut self.lock().images);
        images.into_iter().for_each(|context| cx.defer_context(context));
    }
}
