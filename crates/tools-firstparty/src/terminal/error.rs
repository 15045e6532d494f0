//! Failures of the family `terminal`: a closed set of codes (decisions DG2).

use contract_registry::{AccessMode, ToolError, code};

use crate::seam::terminal::{PtyError, TerminalSignal};
use crate::text::escape::in_message;

/// Class of every failure of this family.
const CLASS: &str = "TerminalError";

/// Why a call did nothing, or not all of what it was to do.
#[derive(Debug, thiserror::Error)]
pub(super) enum TerminalFault {
    #[error("{0}")]
    Argument(String),
    #[error("there is no terminal {}; terminal_list shows those there are", in_message(.0))]
    Unknown(String),
    #[error("the terminal {0} was closed; terminal_open opens another")]
    Closed(String),
    #[error("the terminal {0} belongs to another agent")]
    Foreign(String),
    #[error("there is a terminal named {} already; give another name, or none", in_message(.0))]
    DuplicateName(String),
    #[error("{max} terminals are open already; close one with terminal_close")]
    TooMany { max: usize },
    #[error("the terminal could not be opened: {0}")]
    NotOpened(String),
    #[error("a send to {0} is still on; wait for it, or end it with terminal_signal")]
    SendActive(String),
    #[error("{0} is being closed")]
    Closing(String),
    #[error(
        "{id} was opened under {}, and the call is under {}; open another",
        mode(.opened), mode(.call)
    )]
    AccessChanged { id: String, opened: AccessMode, call: AccessMode },
    #[error("{signal} would end the shell itself; close the terminal with terminal_close")]
    ShellInFront { signal: TerminalSignal },
    #[error("{0}")]
    Pty(#[from] PtyError),
    #[error("{id} could not be closed: something in it did not end; try again")]
    NotClosed { id: String },
    #[error("background runs are switched off; send without run_in_background")]
    NoBackground,
    #[error("the agent was ended while its terminal was opened")]
    OwnerEnded,
    #[error("the host is ending, and opens no more terminals")]
    Ending,
    #[error("the call was cancelled{0}")]
    Cancelled(&'static str),
}

fn mode(mode: &AccessMode) -> &'static str {
    match mode {
        AccessMode::ReadOnly => "read-only",
        AccessMode::WorkspaceWrite => "workspace-write",
        AccessMode::Full => "full",
    }
}

impl TerminalFault {
    /// The code programs match on.
    fn code(&self) -> &'static str {
        match self {
            Self::Argument(_) => "TERMINAL_INVALID_ARGUMENT",
            Self::Unknown(_) => "TERMINAL_NOT_FOUND",
            Self::Closed(_) => "TERMINAL_CLOSED",
            Self::Foreign(_) => "TERMINAL_FOREIGN",
            Self::DuplicateName(_) => "TERMINAL_DUPLICATE_NAME",
            Self::TooMany { .. } => "TERMINAL_TOO_MANY",
            Self::NotOpened(_) => "TERMINAL_NOT_OPENED",
            Self::SendActive(_) => "TERMINAL_SEND_ACTIVE",
            Self::Closing(_) => "TERMINAL_CLOSING",
            Self::AccessChanged { .. } => "TERMINAL_ACCESS_CHANGED",
            Self::ShellInFront { .. } | Self::Pty(PtyError::NoForeground) => {
                "TERMINAL_SIGNAL_REFUSED"
            }
            Self::Pty(_) => "TERMINAL_IO_ERROR",
            Self::NotClosed { .. } => "TERMINAL_NOT_CLOSED",
            Self::NoBackground => "TERMINAL_NO_BACKGROUND",
            Self::OwnerEnded => "TERMINAL_OWNER_ENDED",
            Self::Ending => "TERMINAL_HOST_ENDING",
            Self::Cancelled(_) => code::ABORTED,
        }
    }
}

impl From<TerminalFault> for ToolError {
    fn from(fault: TerminalFault) -> Self {
        // The registry's own class and code, as for a call that is cancelled while it does not look.
        let class = if matches!(fault, TerminalFault::Cancelled(_)) { "AbortError" } else { CLASS };
        Self::coded(class, fault.code(), fault.to_string())
    }
}
