//! The bridge: each call of a program goes through the whole pipeline, in a lane of the run's own.
//!
//! The runtime drops its calls when a program ends. The calls here are not its own: they are driven beside
//! it until all have settled, so that what they own is gone, and what they did is logged, before the result
//! is there (contract C6).

use std::future::{poll_fn, ready};
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use code_runtime::{CallError, CallStart, Host, Program, RunOutcome, Runtime};
use contract_registry::{
    CallContext, CancelSignal, CancelSource, Lane, OnStart, Outcome, ToolDefinition, describe,
};
use contract_schema::{Json, nearest};
use futures_util::StreamExt as _;
use futures_util::future::{BoxFuture, Either, join3, select};
use futures_util::stream::FuturesUnordered;
use tokio::sync::{mpsc, oneshot};

use super::log::{NestedCall, NestedCalls, NestedLog};
use super::notes::Notes;

type Running = BoxFuture<'static, ()>;
type Answer = oneshot::Sender<Result<Json, CallError>>;
/// A call that ended, on its way to the log.
type Ended = (NestedCall, Outcome);

/// The host of one run.
pub(super) struct Bridge {
    cx: CallContext,
    lane: Lane,
    /// Cancels the calls when the run ends.
    over: CancelSource,
    /// That, or the caller's own signal.
    cancel: CancelSignal,
    log: Option<Arc<dyn NestedLog>>,
    notes: Arc<Notes>,
    /// Where calls go while the program runs.
    gate: Mutex<Option<Gate>>,
}

#[derive(Clone)]
struct Gate {
    running: mpsc::UnboundedSender<Running>,
    ended: mpsc::Sender<Ended>,
}

/// The other ends of a [`Gate`].
pub(super) struct Queues {
    running: mpsc::UnboundedReceiver<Running>,
    ended: mpsc::Receiver<Ended>,
}

impl Bridge {
    /// A bridge for the program of this call; up to `overlap` parallel-safe calls overlap.
    pub(super) fn new(cx: &CallContext, overlap: NonZeroUsize) -> (Self, Queues) {
        let over = CancelSource::new();
        let (running, next_running) = mpsc::unbounded_channel();
        // A log that is slower than the program holds its calls up, not the memory.
        let (ended, next_ended) = mpsc::channel(overlap.get());
        let bridge = Self {
            lane: Lane::new(cx.scope().clone(), overlap),
            cancel: cx.cancel().fused_with(&over.signal()),
            over,
            log: cx.services().get::<NestedCalls>().map(|calls| Arc::clone(&calls.0)),
            notes: Arc::default(),
            gate: Mutex::new(Some(Gate { running, ended })),
            cx: cx.clone(),
        };
        (bridge, Queues { running: next_running, ended: next_ended })
    }

    /// What the run leaves beside its outcome.
    pub(super) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Runs the program to its end and its calls to theirs.
    pub(super) async fn drive(
        &self,
        runtime: &Runtime,
        program: Program,
        queues: Queues,
    ) -> RunOutcome {
        let run = runtime.run(program, self);
        let stopper = run.stopper();
        let running = async {
            let outcome = run.await;
            self.over.cancel();
            self.gate.lock().unwrap_or_else(PoisonError::into_inner).take();
            outcome
        };
        let all = pin!(join3(running, settle(queues.running), self.write(queues.ended)));
        match select(all, pin!(self.cancel.cancelled())).await {
            Either::Left(((outcome, (), ()), _)) => outcome,
            Either::Right(((), all)) => {
                stopper.stop();
                all.await.0
            }
        }
    }

    /// Logs ends one after the other.
    async fn write(&self, mut ended: mpsc::Receiver<Ended>) {
        while let Some((call, outcome)) = ended.recv().await {
            let Some(log) = &self.log else { continue };
            if let Err(error) = log.ended(&call, &outcome).await {
                self.notes.unlogged(error);
                self.over.cancel();
            }
        }
    }

    fn begin(&self, call: CallStart, answer: Answer) {
        let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(gate) = gate else { return };
        let request =
            self.cx.nested(&call.name, call.args.clone()).with_cancel(self.cancel.clone());
        let started = Started::default();
        let running = self.lane.submit_watched(request, self.on_start(&started, call.args));
        let (cx, notes) = (self.cx.clone(), Arc::clone(&self.notes));
        let log = self.log.is_some().then_some(gate.ended);
        let ending = async move {
            let outcome = running.await;
            cx.forward(&outcome);
            let started = started.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((number, call)) = started {
                notes.ended(number, &outcome);
                if let Some(log) = log {
                    // It is received until the last sender is gone.
                    let _ = log.send((call, outcome.clone())).await;
                }
            }
            // A program that has ended waits for nothing.
            let _ = answer.send(answer_of(&outcome));
        };
        // As above.
        let _ = gate.running.send(Box::pin(ending));
    }

    fn on_start(&self, started: &Started, arguments: Json) -> OnStart {
        let (started, parent_call_id) = (Arc::clone(started), self.cx.call_id().clone());
        let (log, notes, over) = (self.log.clone(), Arc::clone(&self.notes), self.over.clone());
        Box::new(move |head| {
            let number = notes.started(head.name());
            let call = NestedCall { head: head.clone(), parent_call_id, arguments };
            if let Some(Err(error)) = log.map(|log| log.started(&call)) {
                notes.unlogged(error);
                over.cancel();
            }
            *started.lock().unwrap_or_else(PoisonError::into_inner) = Some((number, call));
        })
    }
}

/// Drives calls as they come, until no more can come and all have ended.
fn settle(mut queue: mpsc::UnboundedReceiver<Running>) -> impl Future<Output = ()> + Send {
    let (mut running, mut is_open) = (FuturesUnordered::new(), true);
    poll_fn(move |cx| {
        while is_open {
            match queue.poll_recv(cx) {
                Poll::Ready(Some(call)) => running.push(call),
                Poll::Ready(None) => is_open = false,
                Poll::Pending => break,
            }
        }
        while let Poll::Ready(ended) = running.poll_next_unpin(cx) {
            if ended.is_none() {
                return if is_open { Poll::Pending } else { Poll::Ready(()) };
            }
        }
        Poll::Pending
    })
}

/// The number of a call that has started, and what the log is to have of it.
type Started = Arc<Mutex<Option<(usize, NestedCall)>>>;

/// The canonical value after policy, or the message of the failure and nothing else (contract C1).
fn answer_of(outcome: &Outcome) -> Result<Json, CallError> {
    match outcome.result() {
        Ok(success) => Ok(success.value().json().clone()),
        Err(failure) => Err(CallError::new(failure.message())),
    }
}

/// What a program calls for the declaration of one tool. It is no tool: it makes no call, and no tool's name has
/// this character.
pub(super) const DESCRIBE: &str = "$describe";

/// The declaration of a tool that a program of this call can use (contract C3).
fn described(cx: &CallContext, name: &Json) -> Result<Json, CallError> {
    let Some(name) = name.root().as_str() else {
        return Err(CallError::new("give the name of a tool, as a text"));
    };
    let visible = cx.scope().list();
    let callable: Vec<&ToolDefinition> =
        visible.iter().map(|tool| &**tool).filter(|tool| !tool.is_reserved()).collect();
    let found = callable.iter().find(|tool| tool.name() == name).ok_or_else(|| {
        let names: Vec<&str> = callable.iter().map(|tool| tool.name()).collect();
        let meant = nearest(name, &names).map(|near| format!("; did you mean `{near}`?"));
        CallError::new(format!("there is no tool `{name}`{}", meant.unwrap_or_default()))
    })?;
    Json::snapshot(&describe(found)).map_err(|error| CallError::new(error.to_string()))
}

impl Host for Bridge {
    fn call(&self, call: CallStart) -> BoxFuture<'_, Result<Json, CallError>> {
        if call.name == DESCRIBE {
            return Box::pin(ready(described(&self.cx, &call.args)));
        }
        let (answer, answered) = oneshot::channel();
        self.begin(call, answer);
        Box::pin(async {
            answered.await.unwrap_or_else(|_| Err(CallError::new("the program has ended")))
        })
    }
}
