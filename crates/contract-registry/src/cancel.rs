//! Cancellation: cooperative, level-triggered, fused where several parties may cancel (contract P8, P9).

use std::sync::Arc;

use futures_util::future::select_all;
use tokio_util::sync::CancellationToken;

/// The side that cancels.
#[derive(Debug, Clone, Default)]
pub struct CancelSource {
    token: CancellationToken,
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
        CancelSignal { parties: Parties::One(self.token.clone()) }
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
    One(CancellationToken),
    Several(Arc<[CancellationToken]>),
}

impl CancelSignal {
    /// A signal nobody can cancel; costs nothing.
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    fn tokens(&self) -> &[CancellationToken] {
        match &self.parties {
            Parties::Nobody => &[],
            Parties::One(token) => std::slice::from_ref(token),
            Parties::Several(tokens) => tokens,
        }
    }

    /// Whether any party has cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.tokens().iter().any(CancellationToken::is_cancelled)
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

    /// A signal that fires when either does.
    #[must_use]
    pub fn fused_with(&self, other: &Self) -> Self {
        match (&self.parties, &other.parties) {
            (Parties::Nobody, _) => other.clone(),
            (_, Parties::Nobody) => self.clone(),
            _ => {
                let both = self.tokens().iter().chain(other.tokens()).cloned().collect();
                Self { parties: Parties::Several(both) }
            }
        }
    }
}
