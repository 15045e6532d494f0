//! One terminal: its screen, how it stands, and who is typing.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use contract_registry::AccessMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::JobOwner;

use super::ready::Seen;
use super::screen::{Event, PORTION_BYTES, Screen};
use crate::config::TerminalCaps;
use crate::seam::terminal::{Exit, Pty, TerminalSink};
use crate::shell::signal as signals;

/// What a terminal runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TerminalType {
    /// An interactive shell.
    #[default]
    Shell,
}

/// Whether what a terminal runs still runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum TerminalStatus {
    /// It runs.
    Running {},
    /// It has ended.
    Exited {
        /// Its exit code; null when a signal ended it.
        exit_code: Option<i32>,
        /// The signal that ended it, such as `SIGKILL`; null when it exited.
        signal: Option<String>,
    },
}

impl From<Option<Exit>> for TerminalStatus {
    fn from(exit: Option<Exit>) -> Self {
        match exit {
            None => Self::Running {},
            Some(Exit::Code(code)) => Self::Exited { exit_code: Some(code), signal: None },
            Some(Exit::Signal(signal)) => {
                Self::Exited { exit_code: None, signal: Some(signals::name(signal)) }
            }
            Some(Exit::Unknown) => Self::Exited { exit_code: None, signal: None },
        }
    }
}

/// Between two looks at whether what runs has ended.
const END_LOOK: Duration = Duration::from_millis(10);

/// What every session has in common with its sink.
#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// How a terminal stands.
#[derive(Debug)]
pub(super) struct State {
    pub(super) screen: Screen,
    /// It is told to end; nothing more is typed.
    pub(super) is_closing: bool,
    /// A send is on.
    pub(super) is_sending: bool,
    pub(super) answers_left: u32,
    pub(super) seen: Seen,
}

impl Shared {
    pub(super) fn new(caps: &TerminalCaps, nonce: &str) -> Result<Self, avt::InvalidSize> {
        let seen = Seen { output_bytes: 0, last_output: None, prompts: 0, is_at_prompt: false };
        let state = State {
            screen: Screen::new(caps, nonce)?,
            is_closing: false,
            is_sending: false,
            answers_left: caps.max_answers,
            seen,
        };
        Ok(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of the state until something happens, at most for `patience`.
    pub(super) fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        patience: Duration,
    ) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, patience).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn notify(&self) {
        self.changed.notify_all();
    }
}

/// Takes a terminal's output for as long as its program runs.
#[derive(Debug)]
pub(super) struct Sink(pub(super) Arc<Shared>);

impl TerminalSink for Sink {
    fn output(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut answers = Vec::new();
        for portion in bytes.chunks(PORTION_BYTES) {
            let mut state = self.0.state();
            let events = state.screen.feed(portion);
            state.seen.output_bytes += u64::try_from(portion.len()).unwrap_or(0);
            state.seen.last_output = Some(Instant::now());
            for event in events {
                match event {
                    Event::Prompt => {
                        state.seen.prompts = state.seen.prompts.saturating_add(1);
                        state.seen.is_at_prompt = true;
                        self.0.notify();
                    }
                    Event::Command => state.seen.is_at_prompt = false,
                    Event::Answer(text) if state.answers_left > 0 => {
                        state.answers_left -= 1;
                        answers.extend_from_slice(text.as_bytes());
                    }
                    Event::Answer(_) => {}
                }
            }
        }
        answers
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.0.notify();
    }
}

/// A terminal that is open, or was until its program ended.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) number: u64,
    pub(super) name: Option<String>,
    pub(super) owner: JobOwner,
    pub(super) kind: TerminalType,
    /// How far it may change things; fixed when it was opened.
    pub(super) access_mode: AccessMode,
    pub(super) pty: Box<dyn Pty>,
    pub(super) shared: Arc<Shared>,
}

impl Session {
    pub(super) fn id(&self) -> String {
        id(self.number)
    }

    pub(super) fn status(&self) -> TerminalStatus {
        self.pty.exit().into()
    }

    /// Waits until its end, at most for `patience`, or until `stop` says so. Whether it has ended.
    pub(super) fn wait_for_end(&self, patience: Duration, stop: &dyn Fn() -> bool) -> bool {
        let until = Instant::now() + patience;
        while self.pty.exit().is_none() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || stop() {
                return false;
            }
            drop(self.shared.wait(self.shared.state(), left.min(END_LOOK)));
        }
        true
    }
}

/// The id of a terminal, as callers know it.
pub(super) fn id(number: u64) -> String {
    format!("pty-{number}")
}
