//! Limits of the terminals.

use std::time::Duration;

use super::{BYTES_MAX, ConfigError, TIMER_MAX_MS, as_u64, within};

/// Limits of the terminals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalCaps {
    /// The shell and its arguments. Prompts are recognised where it is a `bash`.
    pub shell: Vec<String>,
    /// Rows of the screen; fixed for a terminal's life.
    pub rows: u16,
    /// Columns of the screen.
    pub cols: u16,
    /// Lines kept that have left the screen.
    pub scrollback_max_lines: usize,
    /// Bytes of those lines, a line break counted as one.
    pub scrollback_max_bytes: usize,
    /// Bytes of text that one send or read may show; the end is kept.
    pub read_max_bytes: usize,
    /// Lines of a page when `count` is left out.
    pub read_default_lines: u64,
    /// Bytes of the whole text of a result, notes included.
    pub result_max_bytes: usize,
    /// Bytes of what came up that the metadata may repeat.
    pub meta_max_bytes: usize,
    /// Bytes that one send may type.
    pub send_max_bytes: usize,
    /// Bytes of a terminal's name.
    pub name_max_bytes: usize,
    /// Terminals of one agent.
    pub max_per_agent: usize,
    /// Terminals of all agents together.
    pub max_total: usize,
    /// Questions of programs to the terminal that are answered between two sends.
    pub max_answers: u32,
    /// Milliseconds between two looks at a terminal, and of quiet after a prompt.
    pub poll_ms: u64,
    /// Milliseconds after a send from which on a program that waits for input is recognised.
    pub probe_after_ms: u64,
    /// Milliseconds without output after which a program is taken to be done.
    pub idle_silence_ms: u64,
    /// Milliseconds of quiet after a prompt that may be an earlier command's.
    pub handoff_grace_ms: u64,
    /// Milliseconds that a send waits at most; what runs then runs on.
    pub send_timeout_ms: u64,
    /// Milliseconds that a shell may take to show its first prompt.
    pub open_timeout_ms: u64,
    /// Milliseconds that a cancelled send waits for the program to react to its interrupt.
    pub cancel_settle_ms: u64,
    /// Milliseconds that programs of a closed terminal may take to end before they are killed.
    pub close_grace_ms: u64,
    /// Whether `run_in_background` is offered.
    pub run_in_background: bool,
}

impl Default for TerminalCaps {
    fn default() -> Self {
        Self {
            shell: ["/bin/bash", "--noprofile", "--norc", "-i"].map(str::to_owned).to_vec(),
            rows: 40,
            cols: 160,
            scrollback_max_lines: 10_000,
            scrollback_max_bytes: 4 * 1024 * 1024,
            read_max_bytes: 256 * 1024,
            read_default_lines: 500,
            result_max_bytes: 256 * 1024,
            meta_max_bytes: 64 * 1024,
            send_max_bytes: 64 * 1024,
            name_max_bytes: 64,
            max_per_agent: 16,
            max_total: 64,
            max_answers: 64,
            poll_ms: 50,
            probe_after_ms: 150,
            idle_silence_ms: 3_000,
            handoff_grace_ms: 500,
            send_timeout_ms: 30_000,
            open_timeout_ms: 30_000,
            cancel_settle_ms: 1_500,
            close_grace_ms: 3_000,
            run_in_background: true,
        }
    }
}

/// The least that keeps the id of a terminal and how a send ended visible.
const RESULT_MIN_BYTES: u64 = 64;
/// A screen of this many rows or columns still fits every page.
const SIDE_MAX: u64 = 1_000;

impl TerminalCaps {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        if self.shell.first().is_none_or(|program| program.trim().is_empty()) {
            return Err(ConfigError::NoShell);
        }
        self.validate_sizes()?;
        self.validate_times()
    }

    fn validate_sizes(&self) -> Result<(), ConfigError> {
        let scrollback = as_u64(self.scrollback_max_bytes);
        within("terminal.rows", self.rows.into(), 1, SIDE_MAX)?;
        within("terminal.cols", self.cols.into(), 2, SIDE_MAX)?;
        within("terminal.scrollback_max_lines", as_u64(self.scrollback_max_lines), 1, BYTES_MAX)?;
        within("terminal.scrollback_max_bytes", scrollback, 1, BYTES_MAX)?;
        within("terminal.read_max_bytes", as_u64(self.read_max_bytes), 1, scrollback)?;
        within("terminal.read_default_lines", self.read_default_lines, 1, BYTES_MAX)?;
        let result = as_u64(self.result_max_bytes);
        within("terminal.result_max_bytes", result, RESULT_MIN_BYTES, BYTES_MAX)?;
        within("terminal.meta_max_bytes", as_u64(self.meta_max_bytes), 1, BYTES_MAX)?;
        within("terminal.send_max_bytes", as_u64(self.send_max_bytes), 1, BYTES_MAX)?;
        within("terminal.name_max_bytes", as_u64(self.name_max_bytes), 1, BYTES_MAX)?;
        within("terminal.max_per_agent", as_u64(self.max_per_agent), 1, BYTES_MAX)?;
        within("terminal.max_total", as_u64(self.max_total), 1, BYTES_MAX)
    }

    fn validate_times(&self) -> Result<(), ConfigError> {
        within("terminal.poll_ms", self.poll_ms, 1, TIMER_MAX_MS)?;
        within("terminal.probe_after_ms", self.probe_after_ms, 1, TIMER_MAX_MS)?;
        within("terminal.idle_silence_ms", self.idle_silence_ms, 1, TIMER_MAX_MS)?;
        within("terminal.handoff_grace_ms", self.handoff_grace_ms, self.poll_ms, TIMER_MAX_MS)?;
        within("terminal.send_timeout_ms", self.send_timeout_ms, 1, TIMER_MAX_MS)?;
        within("terminal.open_timeout_ms", self.open_timeout_ms, 1, TIMER_MAX_MS)?;
        within("terminal.cancel_settle_ms", self.cancel_settle_ms, 1, TIMER_MAX_MS)?;
        within("terminal.close_grace_ms", self.close_grace_ms, 1, TIMER_MAX_MS)
    }

    pub(crate) fn poll(&self) -> Duration {
        Duration::from_millis(self.poll_ms)
    }
}
