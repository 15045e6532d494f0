//! The events that command hooks are run for, and the forms of their files.

/// Whose form a hook file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `settings.json` or `hooks.json` of Claude Code.
    Claude,
    /// `hooks.json` of Codex.
    Codex,
}

impl Dialect {
    /// Its name in records: `claude` or `codex`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }
}

/// An event that command hooks can be run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookEvent {
    /// Before a tool's body runs.
    PreToolUse,
    /// After a call, whatever came of it.
    PostToolUse,
    /// A user sent a prompt.
    UserPromptSubmit,
    /// The agent wants to end its turn.
    Stop,
    /// A session began.
    SessionStart,
    /// A sub-agent began.
    SubagentStart,
    /// A sub-agent wants to end.
    SubagentStop,
}

impl HookEvent {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::PreToolUse,
        Self::PostToolUse,
        Self::UserPromptSubmit,
        Self::Stop,
        Self::SessionStart,
        Self::SubagentStart,
        Self::SubagentStop,
    ];

    /// Its name in files and on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::Stop => "Stop",
            Self::SessionStart => "SessionStart",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
        }
    }

    /// The event of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// Whether its matcher is about tools.
    pub(crate) fn is_about_tools(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PostToolUse)
    }

    /// Whether there is anything that a matcher could match.
    pub(crate) fn has_subject(self) -> bool {
        !matches!(self, Self::UserPromptSubmit | Self::Stop)
    }

    /// Whether its hooks decide if something is let in, so that one that cannot judge must not be passed.
    pub(crate) fn lets_in(self) -> bool {
        matches!(self, Self::PreToolUse | Self::UserPromptSubmit)
    }

    /// Whether plain text that a hook prints is a message for the model.
    pub(crate) fn takes_plain_text(self) -> bool {
        matches!(self, Self::UserPromptSubmit | Self::SessionStart)
    }

    /// What a block without a reason says.
    pub(crate) fn default_reason(self) -> &'static str {
        match self {
            Self::PreToolUse => "a hook refused this call and gave no reason",
            Self::PostToolUse => "a hook blocked this result and gave no reason",
            Self::UserPromptSubmit => "a hook refused this prompt and gave no reason",
            Self::Stop | Self::SubagentStop => "a hook asks to go on and gave no reason",
            Self::SessionStart | Self::SubagentStart => "a hook objected and gave no reason",
        }
    }
}
