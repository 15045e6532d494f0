//! `terminal_open`: a shell on a terminal of its own, which lives on between calls.
//!
//! The value is the terminal and what it shows once the shell is ready, at most `read_max_bytes` of it.

use std::path::{Path, PathBuf};

use contract_registry::{
    Annotations, CallContext, CancelFlag, Ended, SchemaAdjuster, Tool, ToolError,
};
use contract_schema::ContentBlock;
use host_process::Confinement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::JobOwner;

use super::error::TerminalFault;
use super::sandbox::TerminalSandbox;
use super::screen::Shown;
use super::service::Opening;
use super::session::{Session, TerminalStatus, TerminalType};
use super::text::{self, Keep};
use super::tool::{Kit, TerminalSetup, TerminalSnapshot};
use crate::config::{HostLife, TerminalCaps};
use crate::seam::process::confinement;
use crate::shell::sandbox::BashSandbox;
use crate::text::cut;

/// Arguments of `terminal_open`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TerminalOpenArgs {
    /// What to run. Default: a shell.
    #[serde(rename = "type")]
    pub kind: Option<TerminalType>,
    /// A name to tell it by; no two open terminals have the same.
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// The folder to start in, relative to the workspace root or absolute. Default: the workspace root.
    #[schemars(length(min = 1))]
    pub cwd: Option<String>,
}

/// A terminal that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalOpenValue {
    /// Its id, for the other terminal tools.
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
    /// What it shows.
    pub motd: String,
    /// How what runs in it is confined; absent under full access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<TerminalSandbox>,
}

/// The tool `terminal_open`.
#[derive(Clone, Debug)]
pub struct TerminalOpen(pub(super) Kit);

impl Tool for TerminalOpen {
    const NAME: &'static str = "terminal_open";
    const FAMILY: &'static str = "terminal";
    type Args = TerminalOpenArgs;
    type Value = TerminalOpenValue;
    type Caps = TerminalSetup;

    fn description(&self) -> String {
        let caps = &self.0.setup.caps;
        let lasting = match self.0.setup.host_life {
            HostLife::Session => "keeps its folder and variables between calls",
            HostLife::OneCall => "ends with this call, as nothing here outlives one",
        };
        format!(
            "Open a terminal: an interactive shell that {lasting}.\n\
             For programs that ask or draw: a REPL, a debugger, an editor, `top`. For a single command use \
             bash. The screen has {} rows and {} columns. Close it with terminal_close when done.",
            caps.rows, caps.cols,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { destructive: true, open_world: true, ..Annotations::default() }
    }

    fn caps(&self) -> &TerminalSetup {
        &self.0.setup
    }

    async fn run(
        &self,
        args: &TerminalOpenArgs,
        cx: &CallContext,
    ) -> Result<TerminalOpenValue, ToolError> {
        check_args(&self.0.setup.caps, args)?;
        let (mode, root) = (cx.access_mode(), cx.workspace_root().to_owned());
        let ground = &self.0.ground;
        let network = ground.access.network;
        let opening = Opening {
            owner: JobOwner::of(cx),
            name: args.name.clone(),
            folder: folder(&root, args.cwd.as_deref()),
            access_mode: mode,
            confinement: confinement(mode, &ground.access, &root, ground.bubblewrap),
            allowed_variables: ground.allowed_variables.clone(),
        };
        let Kit { terminals, setup, .. } = self.0.clone();
        let work = move |cancel: &CancelFlag| {
            let check = opening.confinement.as_ref().map(Confinement::check).transpose();
            let confined = check.map_err(|error| TerminalFault::NotOpened(error.to_string()))?;
            let opened = terminals.open(&setup.caps, opening, &|| cancel.is_cancelled());
            let (session, shown) = opened?;
            let sandbox = BashSandbox::of(mode, confined.as_ref(), &root, network);
            Ok::<_, TerminalFault>(opened_value(&session, shown, sandbox.map(Into::into)))
        };
        Ok(cx.blocking(work).await??)
    }

    fn render(
        setup: &TerminalSetup,
        _: &TerminalOpenArgs,
        value: &TerminalOpenValue,
    ) -> Vec<ContentBlock> {
        vec![ContentBlock::text(opened(setup, value))]
    }

    fn finalize_content(&self, ended: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        text::finalized(ended, self.0.setup.caps.result_max_bytes, Keep::Head)
    }

    fn adjust_schema(&self, schema: &mut SchemaAdjuster<'_>) {
        let max = self.0.setup.caps.name_max_bytes;
        let text =
            format!("A name to tell it by, at most {max} bytes; no two open terminals share one.");
        schema.describe("name", text);
    }
}

fn opened_value(
    session: &Session,
    shown: Shown,
    sandbox: Option<TerminalSandbox>,
) -> TerminalOpenValue {
    let TerminalSnapshot { session_id, name, kind, pid, status } = TerminalSnapshot::of(session);
    TerminalOpenValue { session_id, name, kind, pid, status, motd: shown.text, sandbox }
}

fn check_args(caps: &TerminalCaps, args: &TerminalOpenArgs) -> Result<(), TerminalFault> {
    if let Some(name) = &args.name {
        if name.trim().is_empty() {
            return Err(TerminalFault::Argument(
                "name is blank; give one, or leave it out".to_owned(),
            ));
        }
        let max = caps.name_max_bytes;
        if name.len() > max {
            let found = name.len();
            return Err(TerminalFault::Argument(format!(
                "name has {found} bytes, but at most {max} are taken"
            )));
        }
    }
    if args.cwd.as_ref().is_some_and(|cwd| cwd.trim().is_empty()) {
        return Err(TerminalFault::Argument(
            "cwd is blank; give a folder, or leave it out".to_owned(),
        ));
    }
    Ok(())
}

fn folder(workspace_root: &Path, cwd: Option<&str>) -> PathBuf {
    cwd.map_or_else(|| workspace_root.to_owned(), |cwd| workspace_root.join(cwd))
}

/// The id comes first, and stays whatever has to go.
fn opened(setup: &TerminalSetup, value: &TerminalOpenValue) -> String {
    let snapshot = TerminalSnapshot {
        session_id: value.session_id.clone(),
        name: value.name.clone(),
        kind: value.kind,
        pid: None,
        status: value.status.clone(),
    };
    let max_bytes = setup.caps.result_max_bytes;
    let ends = match setup.host_life {
        HostLife::Session => "",
        HostLife::OneCall => "\n[it ended with this call: nothing here outlives one]",
    };
    let saying = value.sandbox.as_ref().and_then(TerminalSandbox::saying);
    let saying = saying.map_or_else(String::new, |saying| format!("\n[{saying}]"));
    let head = format!("Opened {}{ends}{saying}", snapshot.row());
    let motd = if value.motd.is_empty() { "(no output yet)" } else { &value.motd };
    let text = format!("{head}\n{motd}");
    if text.len() <= max_bytes {
        return text;
    }
    let room = max_bytes.saturating_sub(text::CUT.len() + 1);
    format!("{}\n{}", cut::to_bytes(&text, room), text::CUT)
}

#[cfg(feature = "samples")]
mod samples;
