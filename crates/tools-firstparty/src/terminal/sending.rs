//! One send: what is typed, and the wait for what comes of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::error::TerminalFault;
use super::keys::Key;
use super::ready::{Look, Seen, WaitReason, Watch};
use super::screen::Shown;
use super::session::{Session, TerminalStatus};
use crate::config::TerminalCaps;
use crate::seam::terminal::{TerminalSignal, WaitingReader};

/// What to type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    pub(super) text: String,
    pub(super) keys: Vec<Key>,
    pub(super) submit: bool,
}

impl Typed {
    fn bytes(&self, application: bool) -> Vec<u8> {
        let keys = self.keys.iter().map(|key| key.bytes(application));
        let enter = self.submit.then(|| Key::Enter.bytes(application));
        let mut all = self.text.clone();
        all.extend(keys.chain(enter));
        all.into_bytes()
    }
}

/// What came of a send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) shown: Shown,
    pub(super) reason: WaitReason,
    pub(super) status: TerminalStatus,
    /// Bytes that the terminal did not take before the time was up.
    pub(super) untyped_bytes: usize,
}

/// The right to send: one at a time, given back when what was sent is settled.
#[derive(Debug)]
pub(super) struct Slot {
    session: Arc<Session>,
}

impl Slot {
    pub(super) fn claim(session: &Arc<Session>) -> Result<Self, TerminalFault> {
        let mut state = session.shared.state();
        if state.is_closing {
            return Err(TerminalFault::Closing(session.id()));
        }
        if std::mem::replace(&mut state.is_sending, true) {
            return Err(TerminalFault::SendActive(session.id()));
        }
        Ok(Self { session: Arc::clone(session) })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.session.shared.state().is_sending = false;
    }
}

impl Slot {
    /// Types and waits. `stop` cancels: what runs is interrupted as by Ctrl-C, and the send settles as it
    /// would have, only sooner.
    pub(super) fn send(
        self,
        caps: &TerminalCaps,
        typed: &Typed,
        stop: &dyn Fn() -> bool,
    ) -> Result<Sent, TerminalFault> {
        let session = &*self.session;
        if session.pty.exit().is_some() {
            return Ok(Sent {
                shown: Shown { text: String::new(), truncated: false },
                reason: WaitReason::SessionExit,
                status: session.status(),
                untyped_bytes: 0,
            });
        }
        // Before anything is typed: who waits now has not been told.
        let nothing_is_typed = typed.bytes(false).is_empty();
        let reader_before = if nothing_is_typed { None } else { session.pty.waiting_reader() };
        let (bytes, was_at_prompt) = session.begin(caps, typed);
        if stop() {
            return Err(TerminalFault::Cancelled("; nothing was typed"));
        }
        let watch = Watch {
            since: Instant::now(),
            timeout: Duration::from_millis(caps.send_timeout_ms),
            is_startup: false,
            prompts_expected: prompts_expected(&bytes, was_at_prompt),
            reader_before,
        };
        let is_late = || watch.since.elapsed() >= watch.timeout;
        let written = session.pty.write(&bytes, &|| stop() || is_late());
        let written = match written {
            Ok(written) => written,
            Err(_) if session.wait_for_end(caps.poll(), &|| false) => bytes.len(),
            Err(error) => return Err(error.into()),
        };
        let untyped_bytes = bytes.len().saturating_sub(written);
        let mut reason = session.settle(caps, &watch, stop)?;
        if untyped_bytes > 0 && reason == WaitReason::InferredIdle {
            // What is silent because it was not told all is not done.
            reason = WaitReason::Timeout;
        }
        Ok(session.sent(caps, reason, untyped_bytes))
    }
}

/// One for each line, and one for the command that was still on.
fn prompts_expected(bytes: &[u8], was_at_prompt: bool) -> u32 {
    let lines = bytes.iter().filter(|byte| matches!(byte, b'\r' | b'\n')).count();
    u32::try_from(lines.max(1)).unwrap_or(u32::MAX).saturating_add(u32::from(!was_at_prompt))
}

impl Session {
    /// What comes from now on is this send's.
    fn begin(&self, caps: &TerminalCaps, typed: &Typed) -> (Vec<u8>, bool) {
        let mut state = self.shared.state();
        state.screen.mark();
        state.answers_left = caps.max_answers;
        let was_at_prompt = state.seen.is_at_prompt;
        state.seen =
            Seen { output_bytes: 0, last_output: None, prompts: 0, is_at_prompt: was_at_prompt };
        (typed.bytes(state.screen.has_application_cursor_keys()), was_at_prompt)
    }

    /// Waits until the watch is over. A cancelled wait fails once it has settled, or soon after.
    pub(super) fn settle(
        &self,
        caps: &TerminalCaps,
        watch: &Watch,
        stop: &dyn Fn() -> bool,
    ) -> Result<WaitReason, TerminalFault> {
        let settle = Duration::from_millis(caps.cancel_settle_ms);
        let mut cancelled: Option<Instant> = None;
        loop {
            let now = Instant::now();
            let seen = self.shared.state().seen;
            let verdict = watch.judge(caps, now, &seen, self);
            if let Some(since) = cancelled {
                if verdict.is_some() || now.saturating_duration_since(since) >= settle {
                    return Err(TerminalFault::Cancelled("; what ran was interrupted"));
                }
            } else if stop() {
                cancelled = Some(now);
                // A group that is gone needs no interrupt.
                let _ = self.pty.signal_foreground(TerminalSignal::SigInt);
                continue;
            } else if let Some(reason) = verdict {
                return Ok(reason);
            }
            let patience = watch.next_look(caps, now, &seen);
            drop(self.shared.wait(self.shared.state(), patience));
        }
    }

    fn sent(&self, caps: &TerminalCaps, reason: WaitReason, untyped_bytes: usize) -> Sent {
        Sent { shown: self.shown(caps), reason, status: self.status(), untyped_bytes }
    }

    /// What a person saw come up since the last send began.
    pub(super) fn shown(&self, caps: &TerminalCaps) -> Shown {
        let state = self.shared.state();
        if state.seen.output_bytes == 0 && !state.screen.is_alternate() {
            return Shown { text: String::new(), truncated: false };
        }
        state.screen.since_mark(caps.read_max_bytes)
    }
}

impl Look for Session {
    fn has_ended(&self) -> bool {
        self.pty.exit().is_some()
    }

    fn shell_is_in_front(&self) -> bool {
        self.pty.foreground() == Some(self.pty.pid())
    }

    fn waiting_reader(&self) -> Option<WaitingReader> {
        self.pty.waiting_reader()
    }
}
