//! Whether a command was kept within its access mode, and what it was refused.

use std::path::Path;

use contract_registry::AccessMode;
use host_process::{Confined, Enforcement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::escape::in_message;

/// How a command was confined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BashSandbox {
    /// The access mode that it was to keep to.
    pub mode: SandboxMode,
    /// How far that was enforced.
    pub enforcement: SandboxEnforcement,
    /// It was refused to write something, as far as it said so itself.
    pub denied: bool,
    /// What it was refused to write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_paths: Option<Vec<String>>,
    /// What was not enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_enforced: Option<Vec<String>>,
    /// It could open no network connection.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network_closed: bool,
}

/// An access mode that confines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// Only a temporary folder of its own can be written to.
    ReadOnly,
    /// The workspace, the temporary folder and configured folders can be written to.
    WorkspaceWrite,
}

/// How far a confinement was enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxEnforcement {
    /// All of it.
    Full,
    /// Some of it.
    Partial,
    /// None: the command was not confined.
    None,
}

impl BashSandbox {
    /// What came of a confinement, if there was one. Denied paths under the workspace root are shown from there.
    pub(crate) fn of(
        mode: AccessMode,
        confined: Option<&Confined>,
        root: &Path,
        network: bool,
    ) -> Option<Self> {
        let mode = match mode {
            AccessMode::Full => return None,
            AccessMode::ReadOnly => SandboxMode::ReadOnly,
            AccessMode::WorkspaceWrite => SandboxMode::WorkspaceWrite,
        };
        let confined = confined?;
        let enforcement = match confined.enforcement {
            Enforcement::Full => SandboxEnforcement::Full,
            Enforcement::Partial => SandboxEnforcement::Partial,
            Enforcement::None => SandboxEnforcement::None,
        };
        let shown = |path: &Path| {
            let inside = path.strip_prefix(root).ok().filter(|inside| *inside != Path::new(""));
            inside.unwrap_or(path).to_string_lossy().into_owned()
        };
        let denied_paths: Vec<String> = confined.denied.iter().map(|path| shown(path)).collect();
        let not_enforced: Vec<String> =
            confined.missing.iter().map(|&what| what.to_owned()).collect();
        let if_any = |list: Vec<String>| (!list.is_empty()).then_some(list);
        Some(Self {
            mode,
            enforcement,
            denied: !denied_paths.is_empty(),
            denied_paths: if_any(denied_paths),
            not_enforced: if_any(not_enforced),
            network_closed: !network,
        })
    }

    /// What there is to say, without brackets: what was not enforced, then what was refused. A closed network is
    /// worth a word only where something failed.
    pub(super) fn sayings(&self, failed: bool) -> Vec<String> {
        let mut sayings = Vec::new();
        if self.network_closed && failed {
            sayings.push(
                "sandbox: no network; the configuration key access.network closes it".to_owned(),
            );
        }
        if let Some(what) = &self.not_enforced {
            let how = match self.enforcement {
                SandboxEnforcement::None => "not confined",
                SandboxEnforcement::Partial | SandboxEnforcement::Full => "confined in part",
            };
            sayings.push(format!("{how}: {}", what.join("; ")));
        }
        if self.denied {
            sayings.push(self.denial());
        }
        sayings
    }

    /// Which path was refused, and what would allow it (decisions DR6).
    fn denial(&self) -> String {
        let paths = self.denied_paths.as_deref().unwrap_or_default();
        let shown: Vec<_> = paths.iter().map(|path| in_message(path)).collect();
        let folder = if shown.len() > 1 { "their folders" } else { "its folder" };
        let what = if shown.is_empty() { "a file".to_owned() } else { shown.join(", ") };
        match self.mode {
            SandboxMode::ReadOnly => {
                format!(
                    "sandbox: read-only access kept the command from writing {what}; workspace-write access would allow it in the workspace"
                )
            }
            SandboxMode::WorkspaceWrite => {
                format!(
                    "sandbox: workspace-write access kept the command from writing {what}; the configuration key access.writable_roots can allow {folder}"
                )
            }
        }
    }
}
