//! Cancellation: cooperative, level-triggered, fused where several parties may cancel (contract P8, P9).

use std::sync::Arc;

use futures_util::future::select_all;
use tokio_util::sync::CancellationToken;

/// The side that cancels.
#[derive(Debug, Clone, Default)]
pub struct CancelSource {
    token: Arc<CancellationToken>,
}

impl CancelSource {
    /// A source that has not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels every signal of this source, now and for good.
    pub fn cancel(&self) {
        self.token.cancel();
    }

    /// A signal of this source.
    #[must_use]
    pub fn signal(&self) -> CancelSignal {
        CancelSignal { parties: Parties::One(Arc::clone(&self.token)) }
    }
}

/// The side that is told to stop.
#[derive(Debug, Clone, Default)]
pub struct CancelSignal {
    parties: Parties,
}

#[derive(Debug, Clone, Default)]
enum Parties {
    #[default]
    Nobody,
    One(Arc<CancellationToken>),
    Several(Arc<[Arc<CancellationToken>]>),
}

impl CancelSignal {
    /// A signal nobody can cancel; costs nothing.
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    fn tokens(&self) -> &[Arc<CancellationToken>] {
        match &self.parties {
            Parties::Nobody => &[],
            Parties::One(token) => std::slice::from_ref(token),
            Parties::Several(tokens) => tokens,
        }
    }

    /// Whether any party has cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.tokens().iter().any(|token| token.is_cancelled())
    }

    /// Waits until a party cancels; for ever if nobody can.
    pub async fn cancelled(&self) {
        match self.tokens() {
            [] => std::future::pending().await,
            [token] => token.cancelled().await,
            tokens => {
                select_all(tokens.iter().map(|token| Box::pin(token.cancelled()))).await;
            }
        }
    }

    /// Each party once, however often signals are fused with one another.
    fn joined(&self, other: &Self) -> Self {
        let mine = self.tokens();
        let is_new =
            |token: &&Arc<CancellationToken>| !mine.iter().any(|own| Arc::ptr_eq(own, token));
        let new: Vec<_> = other.tokens().iter().filter(is_new).cloned().collect();
        if new.is_empty() {
            return self.clone();
        }
        Self { parties: Parties::Several(mine.iter().cloned().chain(new).collect()) }
    }

    /// A signal that fires when either does.
    #[must_use]
    pub fn fused_with(&self, other: &Self) -> Self {
        match (&self.parties, &other.parties) {
            (Parties::Nobody, _) => other.clone(),
            (_, Parties::Nobody) => self.clone(),
            _ => self.joined(other),
        }
    }
}
