//! A store that keeps texts in memory: for tests, and for hosts without a disk.

use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;

use crate::error::SpillError;
use crate::store::{Plan, Saved, SpillSource, SpillStore};
use crate::text::SpillText;

/// Keeps texts for as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryStore {
    shelf: Mutex<Shelf>,
}

#[derive(Debug, Default)]
struct Shelf {
    planned: u64,
    texts: Vec<StoredText>,
}

/// A text as it was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredText {
    /// The place a model was told.
    pub locator: String,
    /// The text.
    pub text: String,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// All texts, in the order they were saved.
    #[must_use]
    pub fn texts(&self) -> Vec<StoredText> {
        self.shelf().texts.clone()
    }

    /// The text at a place.
    #[must_use]
    pub fn get(&self, locator: &str) -> Option<String> {
        let shelf = self.shelf();
        let found = shelf.texts.iter().find(|stored| stored.locator == locator);
        found.map(|stored| stored.text.clone())
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpillStore for MemoryStore {
    fn plan(&self, source: &SpillSource<'_>) -> Result<Plan, SpillError> {
        let mut shelf = self.shelf();
        shelf.planned += 1;
        let kind = source.label.as_str();
        let locator = format!("memory/{kind}/{}/{}", shelf.planned, source.suggested_name);
        Ok(Plan::new(locator, "Ask the host for it."))
    }

    fn save<'a>(
        &'a self,
        plan: &'a Plan,
        text: &'a SpillText<'a>,
    ) -> BoxFuture<'a, Result<Saved, SpillError>> {
        let stored = StoredText { locator: plan.locator().to_owned(), text: text.to_string() };
        self.shelf().texts.push(stored);
        Box::pin(async { Ok(Saved { bytes: text.bytes() }) })
    }
}
