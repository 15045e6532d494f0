//! One run as a future.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use contract_schema::Json;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;

use super::exit;
use super::keeper::{Asked, NoWorker, Shared};
use super::link::{Heard, Link};
use super::slot::{Slot, Why};
use super::story::{Story, Turn};
use crate::host::{CallError, Host};
use crate::outcome::{CallEnd, Ended, RunOutcome};
use crate::program::Program;
use crate::wire::{FRAME_HEAD, FrameKind, Writer, encode, put, write_program};

/// How long a worker may take to say that it is one.
const GREETING: Duration = Duration::from_secs(10);

type Answer = (u32, Result<Json, CallError>);

/// A run. A future of its outcome; dropped before, it ends the worker and its calls.
#[must_use = "a program runs only while its future is polled"]
pub struct Run<'h> {
    shared: Arc<Shared>,
    host: &'h dyn Host,
    story: Story,
    worker: Worker,
    calls: FuturesUnordered<BoxFuture<'h, Answer>>,
    began: Instant,
    stop: Arc<Stop>,
    /// Something was sent whose answer is likely to come at once.
    hopeful: bool,
}

/// Where the worker is.
enum Worker {
    Asked(Arc<Asked>),
    Linked(Link),
    /// Its end of the socket is closed; how it ended is still to be told.
    Closed(Link),
    None,
}

#[derive(Debug, Default)]
struct Stop {
    wanted: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

/// Stops a run from elsewhere; its outcome keeps what was logged.
#[derive(Debug, Clone)]
pub struct Stopper(Arc<Stop>);

impl Stopper {
    /// Stops the run. One that has ended does not mind.
    pub fn stop(&self) {
        self.0.wanted.store(true, Ordering::SeqCst);
        let waker = self.0.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("calls", &self.story.calls.len()).finish_non_exhaustive()
    }
}

impl<'h> Run<'h> {
    pub(super) fn begin(shared: Arc<Shared>, program: Program, host: &'h dyn Host) -> Self {
        let story = Story::new(program, shared.config.limits.clone());
        let mut run = Self {
            host,
            story,
            worker: Worker::None,
            calls: FuturesUnordered::new(),
            began: Instant::now(),
            stop: Arc::default(),
            hopeful: false,
            shared,
        };
        if run.story.refused().is_none() {
            match run.shared.obtain() {
                Ok(slot) => run.link(slot),
                Err(asked) => run.worker = Worker::Asked(asked),
            }
        }
        run
    }

    /// What stops this run from elsewhere.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stop))
    }

    /// Gives a worker the program.
    fn link(&mut self, slot: Arc<Slot>) {
        let mut link = Link::new(slot, Arc::clone(&self.shared));
        let program = &self.story.program;
        let Ok(()) =
            put::<std::convert::Infallible>(&mut link.outbox, FrameKind::Program, 0, |out| {
                write_program(&mut Writer { out }, program);
                Ok(())
            });
        let wall = Duration::from_millis(self.shared.config.limits.wall_ms);
        let (time, why) = if wall < GREETING { (wall, Why::Wall) } else { (GREETING, Why::Silent) };
        // A timer that cannot be set is met by the end of the run: the worker's own limits hold.
        let _ = link.slot.end_after(time, why);
        link.send();
        self.hopeful = true;
        self.worker = Worker::Linked(link);
    }

    fn finish(&mut self, ended: Ended) -> RunOutcome {
        // Calls first: nothing of them outlives the run.
        self.calls.clear();
        self.worker = Worker::None;
        RunOutcome {
            logs: std::mem::take(&mut self.story.logs),
            ended,
            calls: std::mem::take(&mut self.story.calls),
            confinement: self.story.confinement,
        }
    }

    /// One step; `None` when nothing more can be done now.
    fn step(&mut self, cx: &mut Context<'_>) -> Poll<Ended> {
        loop {
            match &mut self.worker {
                Worker::None => {
                    let refused = self.story.refused();
                    return Poll::Ready(refused.unwrap_or(Ended::Stopped));
                }
                Worker::Asked(asked) => match asked.poll(cx.waker()) {
                    None => return Poll::Pending,
                    Some(Ok(slot)) => self.link(slot),
                    Some(Err(NoWorker::Gone)) => return Poll::Ready(Ended::Stopped),
                    Some(Err(NoWorker::Start(error))) => {
                        return Poll::Ready(Ended::Broken(format!(
                            "it cannot be started: {error}"
                        )));
                    }
                },
                Worker::Closed(link) => {
                    link.slot.set_waker(cx.waker());
                    let Some(status) = link.slot.over() else { return Poll::Pending };
                    let (spoke, started) = (self.story.confinement.is_some(), self.story.started);
                    let limits = &self.shared.config.limits;
                    let why = link.slot.why();
                    return Poll::Ready(exit::ended(why, status, limits, spoke, started));
                }
                Worker::Linked(_) => {
                    if let Some(poll) = self.linked(cx) {
                        return poll;
                    }
                }
            }
        }
    }

    /// Answers what can be answered and hears what can be heard. `None` to go on.
    fn linked(&mut self, cx: &mut Context<'_>) -> Option<Poll<Ended>> {
        let mut moved = false;
        while let Poll::Ready(Some(answer)) = self.calls.poll_next_unpin(cx) {
            self.answer(answer);
            moved = true;
        }
        let Worker::Linked(link) = &mut self.worker else { return None };
        self.hopeful |= link.send();
        // While the host works on a call, there is better to do than to poll for the worker.
        let heard = if std::mem::take(&mut self.hopeful) && self.calls.is_empty() {
            link.hear_soon(self.shared.config.poll())
        } else {
            link.hear()
        };
        match heard {
            Heard::Bytes => self.frames().map(Poll::Ready),
            Heard::Closed => {
                if let Worker::Linked(link) = std::mem::replace(&mut self.worker, Worker::None) {
                    link.slot.reap();
                    self.worker = Worker::Closed(link);
                }
                None
            }
            Heard::Nothing if moved => None,
            Heard::Nothing => {
                self.shared.refill();
                match link.arm(cx.waker()) {
                    Ok(()) => Some(Poll::Pending),
                    Err(_) if link.slot.over().is_some() => None,
                    Err(error) => Some(Poll::Ready(Ended::Broken(error.to_string()))),
                }
            }
        }
    }

    /// Takes in every whole frame.
    fn frames(&mut self) -> Option<Ended> {
        loop {
            let Worker::Linked(link) = &mut self.worker else { return None };
            let turn = match link.next() {
                Ok(None) => return None,
                Ok(Some(frame)) => self.story.hear(&frame),
                Err(broken) => return Some(Ended::Broken(format!("it sent {broken}"))),
            };
            match turn {
                Turn::Nothing => {}
                Turn::Ended(ended) => return Some(ended),
                Turn::Spoke => {
                    let wall = Duration::from_millis(self.shared.config.limits.wall_ms);
                    let left = wall.saturating_sub(self.began.elapsed());
                    if let Worker::Linked(link) = &self.worker
                        && link.slot.end_after(left, Why::Wall).is_err()
                    {
                        return Some(self.story.wall());
                    }
                }
                Turn::Call(call) => {
                    let (id, answer) = (call.id, self.host.call(call));
                    self.calls.push(Box::pin(async move { (id, answer.await) }));
                }
            }
        }
    }

    /// Queues the answer of a call.
    fn answer(&mut self, (id, answer): Answer) {
        let Worker::Linked(link) = &mut self.worker else { return };
        let most = self.shared.config.limits.value_bytes;
        let answer = answer.and_then(|json| {
            let before = link.outbox.len();
            let Ok(()) =
                put::<std::convert::Infallible>(&mut link.outbox, FrameKind::Return, id, |out| {
                    encode(out, &json);
                    Ok(())
                });
            let bytes = link.outbox.len() - before - FRAME_HEAD;
            if bytes <= most {
                return Ok(());
            }
            link.outbox.truncate(before);
            Err(CallError {
                name: None,
                code: Some("VALUE_TOO_LARGE".to_owned()),
                message: format!(
                    "the value takes {bytes} bytes, more than the {most} that may reach a program"
                ),
            })
        });
        let ended = match answer {
            Ok(()) => CallEnd::Returned,
            Err(error) => {
                reject(&mut link.outbox, id, &error, self.shared.config.limits.message_bytes);
                CallEnd::Failed(error.message)
            }
        };
        self.story.answered(id, ended);
    }
}

fn reject(outbox: &mut Vec<u8>, id: u32, error: &CallError, most: usize) {
    let message = error.message.get(..error.message.floor_char_boundary(most));
    let Ok(()) = put::<std::convert::Infallible>(outbox, FrameKind::Reject, id, |out| {
        let mut writer = Writer { out };
        writer.maybe_text(error.name.as_deref());
        writer.maybe_text(error.code.as_deref());
        writer.text(message.unwrap_or_default());
        Ok(())
    });
}

impl Future for Run<'_> {
    type Output = RunOutcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<RunOutcome> {
        let run = &mut *self;
        *run.stop.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
        if run.stop.wanted.load(Ordering::SeqCst) {
            run.last_words();
            return Poll::Ready(run.finish(Ended::Stopped));
        }
        run.step(cx).map(|ended| run.finish(ended))
    }
}

impl Run<'_> {
    /// Takes in what the worker said before it was stopped.
    fn last_words(&mut self) {
        while let Worker::Linked(link) = &mut self.worker {
            if link.hear() != Heard::Bytes || self.frames().is_some() {
                return;
            }
        }
    }
}
