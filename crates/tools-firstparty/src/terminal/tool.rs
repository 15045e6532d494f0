//! What the tools of the family have in common.

use std::sync::Arc;

use contract_registry::{AccessMode, CallContext, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::{JobOwner, Jobs};

use super::error::TerminalFault;
use super::service::Terminals;
use super::session::{Session, TerminalStatus, TerminalType};
use super::text;
use crate::config::{AccessCaps, Config, ConfigError, HostLife, TerminalCaps};
use crate::text::escape::one_row;

/// What the projections of the terminal tools read.
#[derive(Clone, Debug)]
pub struct TerminalSetup {
    /// Limits.
    pub caps: TerminalCaps,
    /// Whether a terminal can outlive its call.
    pub host_life: HostLife,
}

/// What each tool of the family is built from.
#[derive(Clone, Debug)]
pub(super) struct Kit {
    pub(super) terminals: Terminals,
    pub(super) jobs: Arc<dyn Jobs>,
    pub(super) setup: Arc<TerminalSetup>,
    pub(super) ground: Arc<Ground>,
}

/// What terminals have in common with other commands.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    pub(super) access: AccessCaps,
    pub(super) bubblewrap: bool,
    pub(super) allowed_variables: Vec<String>,
}

impl Kit {
    pub(super) fn new(
        config: &Config,
        terminals: Terminals,
        jobs: Arc<dyn Jobs>,
    ) -> Result<Self, ConfigError> {
        config.terminal.validate()?;
        let setup = TerminalSetup { caps: config.terminal.clone(), host_life: config.host_life };
        let ground = Ground {
            access: config.access.clone(),
            bubblewrap: config.bash.bubblewrap,
            allowed_variables: config.bash.allowed_variables.clone(),
        };
        Ok(Self { terminals, jobs, setup: Arc::new(setup), ground: Arc::new(ground) })
    }

    /// Does blocking work with one terminal of the caller.
    pub(super) async fn with<T, F>(
        &self,
        cx: &CallContext,
        id: &str,
        work: F,
    ) -> Result<T, ToolError>
    where
        T: Send + 'static,
        F: FnOnce(&Kit, Arc<Session>, &dyn Fn() -> bool) -> Result<T, TerminalFault>
            + Send
            + 'static,
    {
        let session = self.terminals.get(&JobOwner::of(cx), id)?;
        let kit = self.clone();
        let done =
            cx.blocking(move |cancel| work(&kit, session, &|| cancel.is_cancelled())).await?;
        Ok(done?)
    }
}

/// A call may not do through a terminal what it may not do by itself.
pub(super) fn check_access(session: &Session, call: AccessMode) -> Result<(), TerminalFault> {
    let width = |mode| match mode {
        AccessMode::ReadOnly => 0,
        AccessMode::WorkspaceWrite => 1,
        AccessMode::Full => 2,
    };
    let opened = session.access_mode;
    if width(opened) <= width(call) {
        return Ok(());
    }
    Err(TerminalFault::AccessChanged { id: session.id(), opened, call })
}

/// A terminal as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalSnapshot {
    /// Its id.
    pub session_id: String,
    /// Its name, if it was given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it runs.
    #[serde(rename = "type")]
    pub kind: TerminalType,
    /// The process id of what it runs; absent once that has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub pid: Option<i32>,
    /// Whether it still runs.
    pub status: TerminalStatus,
}

impl TerminalSnapshot {
    pub(super) fn of(session: &Session) -> Self {
        let status = session.status();
        let is_running = status == TerminalStatus::Running {};
        Self {
            session_id: session.id(),
            name: session.name.clone(),
            kind: session.kind,
            pid: is_running.then(|| session.pty.pid()),
            status,
        }
    }

    /// Id and name.
    pub(super) fn title(&self) -> String {
        let id = one_row(&self.session_id);
        match &self.name {
            Some(name) => format!("{id} ({})", one_row(name)),
            None => id.into_owned(),
        }
    }

    /// The row of a list.
    pub(super) fn row(&self) -> String {
        let kind = match self.kind {
            TerminalType::Shell => "shell",
        };
        let pid = self.pid.map_or_else(String::new, |pid| format!(", pid {pid}"));
        format!("{}: {kind}, {}{pid}", self.title(), text::standing(&self.status))
    }
}
