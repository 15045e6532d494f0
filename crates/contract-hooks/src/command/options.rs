//! How hooks of a file are run: surroundings, limits, and what is made of their faults.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract_registry::AgentId;
use host_process::Environment;

use super::records::{HookRecords, Tracing};

/// What `updatedToolOutput` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replacement {
    /// What the model reads; programs still get the value (contract H5, H6).
    #[default]
    Content,
    /// The canonical value, checked anew. Hooks of the file are then what keeps a value from being seen, so
    /// a `PostToolUse` hook that cannot judge fails the call.
    Value,
}

/// What becomes of a call or a prompt when a hook that was to let it in could not judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFault {
    /// It fails, with what happened to the hook (contract H7).
    #[default]
    Fail,
    /// It goes on; what happened is recorded.
    Pass,
}

/// Limits of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookLimits {
    /// For a hook whose file sets no timeout; 600,000 ms.
    pub timeout_ms: u64,
    /// The same for `UserPromptSubmit`, where a person waits; 30,000 ms.
    pub prompt_timeout_ms: u64,
    /// How long a hook may take to end once told to; 2,000 ms. A hook that runs when its call is
    /// cancelled has as long to end by itself.
    pub grace_ms: u64,
    /// The longest stdout that is read as a decision; 1 MiB.
    pub stdout_max_bytes: usize,
    /// How much of a reason or a message for the model is kept; 10,000 bytes.
    pub text_max_bytes: usize,
    /// How much of stderr a record holds; 500 characters.
    pub stderr_summary_max_chars: usize,
}

impl Default for HookLimits {
    fn default() -> Self {
        Self {
            timeout_ms: 600_000,
            prompt_timeout_ms: 30_000,
            grace_ms: 2_000,
            stdout_max_bytes: 1 << 20,
            text_max_bytes: 10_000,
            stderr_summary_max_chars: 500,
        }
    }
}

/// Options that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandOptionsError {
    /// A limit is 0, or more than 31 bits hold.
    #[error("{name} must be at least 1 and at most 2147483647")]
    Limit {
        /// Which one.
        name: &'static str,
    },
}

impl HookLimits {
    pub(crate) fn validate(&self) -> Result<(), CommandOptionsError> {
        let limits = [
            ("timeout_ms", self.timeout_ms),
            ("prompt_timeout_ms", self.prompt_timeout_ms),
            ("grace_ms", self.grace_ms),
            ("stdout_max_bytes", self.stdout_max_bytes as u64),
            ("text_max_bytes", self.text_max_bytes as u64),
            ("stderr_summary_max_chars", self.stderr_summary_max_chars as u64),
        ];
        let wrong = limits.into_iter().find(|(_, limit)| !(1..=0x7fff_ffff).contains(limit));
        wrong.map_or(Ok(()), |(name, _)| Err(CommandOptionsError::Limit { name }))
    }

    pub(crate) fn grace(&self) -> Duration {
        Duration::from_millis(self.grace_ms)
    }
}

/// Tells the turn, from 1, that an agent is in.
pub type TurnSource = Arc<dyn Fn(&AgentId) -> Option<u64> + Send + Sync>;

/// How the hooks of a file are run.
#[derive(Clone)]
pub struct CommandOptions {
    /// Where hooks of events without a call are run.
    pub folder: PathBuf,
    /// The session's log, told to hooks as `transcript_path`.
    pub transcript_path: Option<PathBuf>,
    /// The model's name, told to hooks of Codex's form.
    pub model: String,
    /// What hooks see of the environment; credentials are left out unless allowed by name (decisions DR5).
    pub environment: Environment,
    /// The folder of the plugin that the file belongs to: `CLAUDE_PLUGIN_ROOT`.
    pub plugin_root: Option<PathBuf>,
    /// What `updatedToolOutput` replaces.
    pub replacement: Replacement,
    /// What becomes of what a hook could not judge.
    pub on_fault: OnFault,
    /// Limits.
    pub limits: HookLimits,
    /// The turn of an agent, where there are turns.
    pub turn: Option<TurnSource>,
    /// Where it is recorded what hooks did.
    pub records: Arc<dyn HookRecords>,
}

impl CommandOptions {
    /// Defaults, with the folder where hooks of events without a call are run.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            transcript_path: None,
            model: String::new(),
            environment: Environment::scrubbed(),
            plugin_root: None,
            replacement: Replacement::default(),
            on_fault: OnFault::default(),
            limits: HookLimits::default(),
            turn: None,
            records: Arc::new(Tracing),
        }
    }
}

impl std::fmt::Debug for CommandOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandOptions")
            .field("folder", &self.folder)
            .field("replacement", &self.replacement)
            .field("on_fault", &self.on_fault)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
