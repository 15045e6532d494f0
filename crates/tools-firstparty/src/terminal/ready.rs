//! When a send is over: what was seen of the terminal since, judged without a look at its text.
//!
//! 1. The program has ended.
//! 2. The shell is in front, has printed its prompt, and is quiet.
//! 3. A thread in front provably waits for input, and not still for what came before.
//! 4. Nothing was printed for a while.
//! 5. Time is up; what runs runs on.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::TerminalCaps;
use crate::seam::terminal::WaitingReader;

/// Why a send was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    /// The shell or program waits for input.
    StdinRead,
    /// Nothing was printed for a while; what runs may not be done.
    InferredIdle,
    /// Time was up; what runs runs on.
    Timeout,
    /// The terminal has ended.
    SessionExit,
}

impl WaitReason {
    /// As values and texts spell it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::StdinRead => "stdin_read",
            Self::InferredIdle => "inferred_idle",
            Self::Timeout => "timeout",
            Self::SessionExit => "session_exit",
        }
    }
}

/// What was seen since the send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Bytes printed.
    pub(super) output_bytes: u64,
    pub(super) last_output: Option<Instant>,
    /// Prompts printed.
    pub(super) prompts: u32,
    /// Of prompt and command, the last that the shell told is the prompt.
    pub(super) is_at_prompt: bool,
}

/// What a look at the processes tells; taken only when it decides.
pub(super) trait Look {
    fn has_ended(&self) -> bool;
    fn shell_is_in_front(&self) -> bool;
    fn waiting_reader(&self) -> Option<WaitingReader>;
}

/// One wait.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) since: Instant,
    pub(super) timeout: Duration,
    /// The wait is for the first prompt: silence before any output says nothing.
    pub(super) is_startup: bool,
    /// Prompts to come before one is surely the last: one for each line typed, and one more when a command was
    /// still on before.
    pub(super) prompts_expected: u32,
    /// Who waited for input before.
    pub(super) reader_before: Option<WaitingReader>,
}

impl Watch {
    /// Whether the wait is over, and why.
    pub(super) fn judge(
        &self,
        caps: &TerminalCaps,
        now: Instant,
        seen: &Seen,
        look: &dyn Look,
    ) -> Option<WaitReason> {
        let ms = Duration::from_millis;
        if look.has_ended() {
            return Some(WaitReason::SessionExit);
        }
        let waited = now.saturating_duration_since(self.since);
        let quiet =
            now.saturating_duration_since(seen.last_output.unwrap_or(self.since).max(self.since));
        if self.has_prompted(seen, quiet, caps) && look.shell_is_in_front() {
            return Some(WaitReason::StdinRead);
        }
        let may_read = waited >= ms(caps.probe_after_ms) && quiet >= ms(caps.poll_ms);
        if may_read && self.has_output(seen) && self.reads_anew(look) {
            return Some(WaitReason::StdinRead);
        }
        let grace = if seen.prompts > 0 { caps.handoff_grace_ms } else { 0 };
        if quiet >= ms(caps.idle_silence_ms + grace) && self.has_output(seen) {
            return Some(WaitReason::InferredIdle);
        }
        (waited >= self.timeout).then_some(WaitReason::Timeout)
    }

    /// A prompt with lines still to be read is not the last. How many there are is not known for sure, as a
    /// command may take several, so that a longer silence settles it too.
    fn has_prompted(&self, seen: &Seen, quiet: Duration, caps: &TerminalCaps) -> bool {
        let is_last = seen.prompts >= self.prompts_expected;
        let needed = if is_last { caps.poll_ms } else { caps.handoff_grace_ms };
        seen.prompts > 0 && seen.is_at_prompt && quiet >= Duration::from_millis(needed)
    }

    fn has_output(&self, seen: &Seen) -> bool {
        !self.is_startup || seen.output_bytes > 0
    }

    fn reads_anew(&self, look: &dyn Look) -> bool {
        look.waiting_reader().is_some_and(|reader| self.reader_before != Some(reader))
    }

    /// When to look again.
    pub(super) fn next_look(&self, caps: &TerminalCaps, now: Instant, seen: &Seen) -> Duration {
        let left = self.timeout.saturating_sub(now.saturating_duration_since(self.since));
        let quiet = now.saturating_duration_since(seen.last_output.unwrap_or(self.since));
        let poll = caps.poll();
        // Right when a prompt has been quiet for long enough.
        let step = if seen.prompts > 0 && quiet < poll { poll.saturating_sub(quiet) } else { poll };
        step.min(left).max(Duration::from_millis(1))
    }
}

#[cfg(test)]
mod tests;
