//! Change notification: something about what a scope can see is different.

use tokio::sync::watch;

/// Counts changes and wakes those who follow them.
#[derive(Debug)]
pub(crate) struct Notifier {
    changes: watch::Sender<u64>,
}

impl Default for Notifier {
    fn default() -> Self {
        Self { changes: watch::Sender::new(0) }
    }
}

impl Notifier {
    pub(crate) fn notify(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    pub(crate) fn subscribe(&self) -> Changes {
        Changes { changes: self.changes.subscribe() }
    }
}

/// Follows a registry's changes. Several changes at once may be seen as one.
#[derive(Debug, Clone)]
pub struct Changes {
    changes: watch::Receiver<u64>,
}

impl Changes {
    /// Waits for a change since the last call. `false` once the registry is gone.
    pub async fn changed(&mut self) -> bool {
        self.changes.changed().await.is_ok()
    }
}
