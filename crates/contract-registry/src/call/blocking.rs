//! Blocking work of a body: off the async threads, told to stop, accounted for if it does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use futures_util::future::{Either, select};
use tokio::sync::oneshot;

use crate::cancel::CancelSignal;
use crate::contain::contained;
use crate::error::{ToolError, code};
use crate::runtime::Runtime;

/// Tells blocking work to stop. Cheap to poll.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Whether the work should stop now.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Blocking work that runs on after its call has settled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Orphans(Arc<AtomicUsize>);

impl Orphans {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

const RUNNING: u8 = 0;
const ENDED: u8 = 1;
const ABANDONED: u8 = 2;

/// Where one piece of work stands, shared by the work and the call that waits for it.
struct WorkState {
    state: AtomicU8,
    orphans: Orphans,
}

impl WorkState {
    /// The call went away; whether the work runs on as an orphan. Counted before it is marked, so that
    /// the work's end never takes back what was not yet counted.
    fn abandon(&self) -> bool {
        self.orphans.0.fetch_add(1, Ordering::AcqRel);
        let marked =
            self.state.compare_exchange(RUNNING, ABANDONED, Ordering::AcqRel, Ordering::Acquire);
        if marked.is_err() {
            self.orphans.0.fetch_sub(1, Ordering::AcqRel);
        }
        marked.is_ok()
    }

    fn end(&self) {
        if self.state.swap(ENDED, Ordering::AcqRel) == ABANDONED {
            self.orphans.0.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// The waiting side: raises the flag when it goes away.
struct Waiting<'a> {
    flag: CancelFlag,
    work: Arc<WorkState>,
    tool: &'a str,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.flag.raise();
        if self.work.abandon() {
            tracing::warn!(tool = self.tool, "blocking work runs on after its call has settled");
        }
    }
}

/// The working side: marks the work as ended when it returns, panics or is refused.
struct Working(Arc<WorkState>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.end();
    }
}

pub(crate) async fn run<T, F>(
    runtime: &dyn Runtime,
    orphans: &Orphans,
    cancel: &CancelSignal,
    tool: &str,
    work: F,
) -> Result<T, ToolError>
where
    T: Send + 'static,
    F: FnOnce(&CancelFlag) -> T + Send + 'static,
{
    let flag = CancelFlag::default();
    let shared = Arc::new(WorkState { state: AtomicU8::new(RUNNING), orphans: orphans.clone() });
    let (send, receive) = oneshot::channel();
    let working = Working(Arc::clone(&shared));
    let seen = flag.clone();
    let waiting = Waiting { flag, work: shared, tool };
    runtime.spawn_blocking(Box::new(move || {
        let result = contained(|| work(&seen));
        drop(working);
        // The receiver may be gone; then nobody wants the result.
        let _ = send.send(result);
    }));
    let received = match select(receive, Box::pin(cancel.cancelled())).await {
        Either::Left((received, _)) => received,
        Either::Right(((), receive)) => {
            waiting.flag.raise();
            receive.await
        }
    };
    match received {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(panic)) => Err(ToolError::coded(
            "ToolPanicError",
            code::TOOL_PANICKED,
            format!("the tool {tool} panicked: {panic}"),
        )),
        Err(_) => Err(ToolError::new("the host refused to run blocking work")),
    }
}
