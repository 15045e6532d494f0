//! The local store: private files under one root, a directory per session.

mod config;
mod dir;
mod name;
mod retention;
mod session;
mod write;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use contract_registry::{Runtime, SessionId, ThreadRuntime};
use futures_util::future::{BoxFuture, Either, select};
use tokio::sync::{mpsc, oneshot};

pub use config::LocalConfig;
pub use retention::Swept;

use crate::contain::caught;
use crate::error::SpillError;
use crate::store::{Plan, Saved, SpillSource, SpillStore};
use crate::text::SpillText;
use dir::PrivateDir;
use retention::Ledger;
use session::SessionDir;
use write::Piece;

/// What a model is told about reading a file of this store.
const HINT: &str = "Read that file in pages (read with offset and limit), or search it with grep.";

/// Bytes that are handed to the writing thread at once.
const PIECE_BYTES: usize = 512 * 1024;

/// Pieces that may wait for the writing thread.
const PIECES: usize = 3;

/// Saves texts as files that only the user can open (contract S6).
///
/// A session that this store has saved for, or [`hold`](Self::hold)s, is live: no process removes its files.
/// Clones share what is held.
#[derive(Clone)]
pub struct LocalStore {
    shared: Arc<Shared>,
    runtime: Arc<dyn Runtime>,
}

/// What the writing threads share.
struct Shared {
    root: PathBuf,
    /// The root as a model is told it.
    root_text: String,
    config: LocalConfig,
    held: Mutex<HashMap<String, Arc<SessionDir>>>,
    ledger: Mutex<Ledger>,
}

impl LocalStore {
    /// A store under `root`. The disk is not touched before something is saved; the root is made then.
    ///
    /// # Errors
    ///
    /// [`SpillError::NotUtf8`] for a root that a model could not be told, [`SpillError::Io`] when a
    /// relative root has no directory to start from.
    pub fn open(root: impl Into<PathBuf>, config: LocalConfig) -> Result<Self, SpillError> {
        let root = root.into();
        let absolute =
            std::path::absolute(&root).map_err(SpillError::io("find the directory of", &root))?;
        // Without the separator at the end, which would have a link followed.
        let root: PathBuf = absolute.components().collect();
        let Some(root_text) = root.to_str().map(str::to_owned) else {
            return Err(SpillError::NotUtf8 { path: root });
        };
        let (held, ledger) = (Mutex::default(), Mutex::default());
        let shared = Arc::new(Shared { root, root_text, config, held, ledger });
        Ok(Self { shared, runtime: Arc::new(ThreadRuntime) })
    }

    /// Has blocking work run where the host wants it. The default is a thread for each text.
    #[must_use]
    pub fn with_runtime(mut self, runtime: Arc<dyn Runtime>) -> Self {
        self.runtime = runtime;
        self
    }

    /// The root, absolute.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.shared.root
    }

    /// Keeps what is saved for a session from being removed, for as long as this store lives or until
    /// [`release`](Self::release). A host does so when it resumes a session, and for the session that a
    /// fork came from, since old pointers lead there. Saving does it by itself.
    ///
    /// # Errors
    ///
    /// [`SpillError`] when the directory is there and cannot be held.
    pub async fn hold(&self, session: &SessionId) -> Result<(), SpillError> {
        let name = name::session_dir(Some(session));
        self.blocking(move |shared| match PrivateDir::existing_root(&shared.root)? {
            Some(root) => shared.existing_session(&root, &name),
            None => Ok(()),
        })
        .await
    }

    /// A session's directory, made and held, for files that something else writes there by itself: the full
    /// streams of a command, say. Files whose names end in `.stdout` or `.stderr` are kept and removed like
    /// saved texts, and count from the next sweep on. It blocks.
    ///
    /// # Errors
    ///
    /// [`SpillError`] when the directory cannot be made or held, and when there is no room under the total.
    pub fn folder(&self, session: Option<&SessionId>) -> Result<PathBuf, SpillError> {
        let root = PrivateDir::root(&self.shared.root)?;
        let session = self.shared.session(&root, &name::session_dir(session))?;
        self.shared.reserve(&root, 1)?;
        Ok(session.dir.path().to_owned())
    }

    /// Ends what [`hold`](Self::hold) or saving began: the session is not live in this process any more.
    pub fn release(&self, session: &SessionId) {
        let name = name::session_dir(Some(session));
        self.shared.held.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
    }

    /// Removes everything that was saved for a session, for a host that removes the session itself. `None`
    /// when another process has the session live: nothing of it went then.
    ///
    /// # Errors
    ///
    /// [`SpillError`] when the files are there and cannot be removed.
    pub async fn forget(&self, session: &SessionId) -> Result<Option<Swept>, SpillError> {
        self.release(session);
        let name = name::session_dir(Some(session));
        self.blocking(move |shared| match PrivateDir::existing_root(&shared.root)? {
            Some(root) => retention::forget(&root, &name),
            None => Ok(Some(Swept::default())),
        })
        .await
    }

    /// Removes what is too old or over the total, oldest first, and nothing of a live session. The store
    /// does so by itself, before its first save and every few minutes.
    ///
    /// # Errors
    ///
    /// [`SpillError`] when the root is there and cannot be read.
    pub async fn sweep(&self) -> Result<Swept, SpillError> {
        self.blocking(|shared| match PrivateDir::existing_root(&shared.root)? {
            Some(root) => shared.sweep(&root),
            None => Ok(Swept::default()),
        })
        .await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared) -> Result<T, SpillError> + Send + 'static,
    ) -> Result<T, SpillError> {
        let (send, receive) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        self.runtime.spawn_blocking(Box::new(move || {
            let result = caught("the spill store", || work(&shared));
            drop(shared);
            // The receiver may be gone; then nobody wants the result.
            let _ = send.send(result);
        }));
        receive.await.map_err(|_| SpillError::Refused)??
    }

    async fn write(&self, plan: &Plan, text: &SpillText<'_>) -> Result<Saved, SpillError> {
        let (pieces, receive) = mpsc::channel(PIECES);
        let (done, result) = oneshot::channel();
        let (shared, bytes) = (Arc::clone(&self.shared), text.bytes());
        let key = plan.key().to_owned();
        self.runtime.spawn_blocking(Box::new(move || shared.run(&key, bytes, receive, done)));
        hand_over(text, &pieces).await;
        let saved = result.await;
        drop(pieces);
        saved.map_err(|_| SpillError::Refused)?
    }
}

/// Hands the text over piece by piece, so that no second copy of it is held. The writer stops listening
/// when it fails.
async fn hand_over(text: &SpillText<'_>, pieces: &mpsc::Sender<Piece>) {
    for chunk in text.chunks() {
        for piece in chunk.as_bytes().chunks(PIECE_BYTES) {
            if pieces.send(Piece::Bytes(piece.to_vec())).await.is_err() {
                return;
            }
        }
    }
    let _ = pieces.send(Piece::End).await;
}

impl SpillStore for LocalStore {
    fn plan(&self, source: &SpillSource<'_>) -> Result<Plan, SpillError> {
        let directory = name::session_dir(source.session);
        let key = format!("{directory}/{}", name::file(source.suggested_name));
        let locator = format!("{}/{key}", self.shared.root_text);
        Ok(Plan::new(locator, HINT).with_key(key))
    }

    fn save<'a>(
        &'a self,
        plan: &'a Plan,
        text: &'a SpillText<'a>,
    ) -> BoxFuture<'a, Result<Saved, SpillError>> {
        Box::pin(async move {
            let after = self.shared.config.save_deadline;
            let write = Box::pin(self.write(plan, text));
            match select(write, self.runtime.sleep(after)).await {
                Either::Left((saved, _)) => saved,
                Either::Right(((), _)) => Err(SpillError::TimedOut { after }),
            }
        })
    }
}

impl fmt::Debug for LocalStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalStore")
            .field("root", &self.shared.root)
            .field("config", &self.shared.config)
            .finish_non_exhaustive()
    }
}
