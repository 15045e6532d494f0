//! How what runs in a terminal is kept within its access mode (decisions DF5). What it is refused shows on the
//! screen only, so nothing is said of that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shell::sandbox::{BashSandbox, SandboxEnforcement, SandboxMode};

/// How a terminal is confined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalSandbox {
    /// The access mode that it is to keep to.
    pub mode: SandboxMode,
    /// How far that is enforced.
    pub enforcement: SandboxEnforcement,
    /// What is not enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_enforced: Option<Vec<String>>,
}

impl From<BashSandbox> for TerminalSandbox {
    fn from(sandbox: BashSandbox) -> Self {
        let BashSandbox { mode, enforcement, not_enforced, .. } = sandbox;
        Self { mode, enforcement, not_enforced }
    }
}

impl TerminalSandbox {
    /// What is not enforced, if there is any such thing.
    pub(super) fn saying(&self) -> Option<String> {
        let how = match self.enforcement {
            SandboxEnforcement::None => "not confined",
            SandboxEnforcement::Partial | SandboxEnforcement::Full => "confined in part",
        };
        self.not_enforced.as_ref().map(|what| format!("{how}: {}", what.join("; ")))
    }
}
