//! `bash`: runs one command, and waits for it or leaves it in the background.
//!
//! The value keeps the two ends of each stream (`head_max_bytes`, `tail_max_bytes`) with exact counts; a
//! stream that is longer is saved in a file up to `saved_max_bytes`. The text leaves nothing of the value out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract_registry::{
    AccessMode, Annotations, CallContext, SchemaAdjuster, SessionId, Tool, ToolError,
};
use contract_schema::{ContentBlock, Meta};
use futures_util::future::{Either, select};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_seams::{JobOwner, JobRequest, Jobs};

use super::background::Given;
use super::error::ShellError;
use super::meta::BashMeta;
use super::sandbox::BashSandbox;
use super::value::{BashEnded, BashValue};
use super::{abort, background, rows};
use crate::catalog::Seams;
use crate::config::{AccessCaps, BashCaps, Config, ConfigError, HostLife};
use crate::jobs;
use crate::seam::fs::FileSystem;
use crate::seam::place::Place;
use crate::seam::process::{BashCommand, NoOutputs, OutputStore, TemporaryOutputs, confinement};
use crate::text::escape::one_row;

/// Arguments of `bash`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BashArgs {
    /// The command, as `bash -c` takes it.
    #[schemars(length(min = 1))]
    pub command: String,
    /// What it is for, in a few words, for the person who looks on.
    #[schemars(length(min = 1))]
    pub description: String,
    /// How many milliseconds it may run.
    #[schemars(range(min = 1, max = 2_147_483_647_u64))]
    pub timeout_ms: Option<u64>,
    /// The folder to start in, relative to the workspace root or absolute. Default: the workspace root.
    pub workdir: Option<String>,
    /// Do not wait for it: it becomes a background job, without a time limit unless one is given.
    pub run_in_background: Option<bool>,
}

/// What the projections of `bash` read.
#[derive(Clone, Debug)]
pub struct BashSetup {
    /// Limits.
    pub caps: BashCaps,
    /// Whether a background job can outlive its call.
    pub host_life: HostLife,
}

/// The tool `bash`.
#[derive(Clone, Debug)]
pub struct Bash {
    fs: Arc<dyn FileSystem>,
    jobs: Arc<dyn Jobs>,
    outputs: Arc<dyn OutputStore>,
    access: Arc<AccessCaps>,
    setup: Arc<BashSetup>,
}

impl Bash {
    /// Builds the tool over a service for background jobs.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(config: &Config, seams: &Seams, jobs: Arc<dyn Jobs>) -> Result<Self, ConfigError> {
        config.bash.validate()?;
        let outputs = match (&seams.outputs, config.host_life) {
            (Some(outputs), _) => Arc::clone(outputs),
            (None, HostLife::Session) => Arc::new(TemporaryOutputs::default()),
            // A file that goes with the call is no place to point to.
            (None, HostLife::OneCall) => Arc::new(NoOutputs),
        };
        let setup = BashSetup { caps: config.bash.clone(), host_life: config.host_life };
        let (fs, access) = (Arc::clone(&seams.fs), Arc::new(config.access.clone()));
        Ok(Self { fs, jobs, outputs, access, setup: Arc::new(setup) })
    }
}

impl Tool for Bash {
    const NAME: &'static str = "bash";
    const FAMILY: &'static str = "shell";
    type Args = BashArgs;
    type Value = BashValue;
    type Caps = BashSetup;

    fn description(&self) -> String {
        let caps = &self.setup.caps;
        let background = match (caps.background, self.setup.host_life) {
            (true, HostLife::Session) => {
                "What is still running when the command ends is ended with it: use `run_in_background` for \
                 what should go on."
            }
            (true, HostLife::OneCall) => {
                "What is still running when the call ends is ended with it, background jobs too: leave \
                 `run_in_background` out."
            }
            (false, _) => "What is still running when the command ends is ended with it.",
        };
        let network = if self.access.network { "" } else { " Commands have no network." };
        format!(
            "Run a command with bash.\n\
             Each call has a shell of its own, so nothing but files is left for the next. There is no input and no terminal. A row in brackets after the output \
             has the exit code if it is not 0. {background} Of each stream the first {} and the last {} bytes are kept.{network}",
            caps.head_max_bytes, caps.tail_max_bytes,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { destructive: true, open_world: true, ..Annotations::default() }
    }

    fn caps(&self) -> &BashSetup {
        &self.setup
    }

    async fn run(&self, args: &BashArgs, cx: &CallContext) -> Result<BashValue, ToolError> {
        self.check(args)?;
        let prepared = self.prepare(args, cx).await?;
        if cx.cancel().is_cancelled() {
            return Err(
                ShellError::Aborted("the call was cancelled; nothing was run".to_owned()).into()
            );
        }
        if args.run_in_background.unwrap_or(false) {
            self.in_background(args, &prepared, JobOwner::of(cx))
        } else {
            self.in_foreground(args, &prepared, cx).await
        }
    }

    fn render(setup: &BashSetup, _: &BashArgs, value: &BashValue) -> Vec<ContentBlock> {
        vec![ContentBlock::text(match value {
            BashValue::Foreground(ended) => rows::text(&setup.caps, ended),
            BashValue::Background { job_id } => started(setup.host_life, job_id.as_str()),
        })]
    }

    fn presentation_meta(_: &BashSetup, _: &BashArgs, value: &BashValue) -> Option<Meta> {
        Some(Meta::of(&BashMeta::of(value)))
    }

    fn adjust_schema(&self, schema: &mut SchemaAdjuster<'_>) {
        let caps = &self.setup.caps;
        let (default, max) = (caps.timeout_default_ms, caps.timeout_max_ms);
        schema.maximum("timeout_ms", max);
        let text = format!("How many milliseconds it may run, at most {max}. Default {default}.");
        schema.describe("timeout_ms", text);
        if !caps.background {
            schema.drop_optional("run_in_background");
        }
    }
}

/// A command with the places it needs.
struct Prepared {
    folder: PathBuf,
    saved_in: Option<PathBuf>,
    session: Option<SessionId>,
    mode: AccessMode,
    root: PathBuf,
}

impl Bash {
    /// The schema has checked the numbers; a program that calls the body by itself may not have.
    fn check(&self, args: &BashArgs) -> Result<(), ShellError> {
        let caps = &self.setup.caps;
        if args.command.trim().is_empty() {
            return Err(ShellError::BlankCommand);
        }
        let (found, max) = (args.command.len(), caps.command_max_bytes);
        if found > max {
            return Err(ShellError::LongCommand { found, max });
        }
        if args.command.contains('\0') {
            return Err(ShellError::NulInCommand);
        }
        if args.workdir.as_ref().is_some_and(|workdir| workdir.trim().is_empty()) {
            return Err(ShellError::BlankWorkdir);
        }
        let max = caps.timeout_max_ms;
        match args.timeout_ms {
            Some(found) if found == 0 || found > max => Err(ShellError::Timeout { found, max }),
            _ if args.run_in_background == Some(true) && !caps.background => {
                Err(ShellError::NoBackground)
            }
            _ => Ok(()),
        }
    }

    async fn prepare(&self, args: &BashArgs, cx: &CallContext) -> Result<Prepared, ToolError> {
        let (fs, outputs) = (Arc::clone(&self.fs), Arc::clone(&self.outputs));
        let (session, mode) = (cx.session_id().cloned(), cx.access_mode());
        let root = cx.workspace_root().to_owned();
        let requested = args.workdir.clone().unwrap_or_else(|| ".".to_owned());
        let prepared = cx.blocking(move |_| {
            let place = Place::resolve(&*fs, &root, &requested);
            let place = place.map_err(|error| ShellError::Workdir { path: requested, error })?;
            let saved_in = outputs.folder(session.as_ref());
            Ok::<_, ShellError>(Prepared { folder: place.absolute, saved_in, session, mode, root })
        });
        Ok(prepared.await??)
    }

    fn command<'a>(
        &'a self,
        args: &'a BashArgs,
        prepared: &'a Prepared,
        timeout_ms: Option<u64>,
    ) -> BashCommand<'a> {
        BashCommand {
            caps: &self.setup.caps,
            script: &args.command,
            folder: &prepared.folder,
            session: prepared.session.as_ref(),
            saved_in: prepared.saved_in.clone(),
            deadline: timeout_ms.map(Duration::from_millis),
            confinement: confinement(
                prepared.mode,
                &self.access,
                &prepared.root,
                self.setup.caps.bubblewrap,
            ),
        }
    }

    async fn in_foreground(
        &self,
        args: &BashArgs,
        prepared: &Prepared,
        cx: &CallContext,
    ) -> Result<BashValue, ToolError> {
        let timeout_ms = args.timeout_ms.unwrap_or(self.setup.caps.timeout_default_ms);
        let running = self.command(args, prepared, Some(timeout_ms)).start();
        let stopper = running.stopper();
        let cancelled = std::pin::pin!(cx.cancel().cancelled());
        let (ended, is_aborted) = match select(running, cancelled).await {
            Either::Left((ended, _)) => (ended, false),
            Either::Right(((), running)) => {
                stopper.stop();
                (running.await, true)
            }
        };
        let finished = ended.map_err(ShellError::Process)?;
        if is_aborted {
            let message = abort::message(&self.setup.caps, &finished);
            return Err(ShellError::Aborted(message).into());
        }
        let sandbox = BashSandbox::of(
            prepared.mode,
            finished.confined.as_ref(),
            &prepared.root,
            self.access.network,
        );
        let setup = Arc::clone(&self.setup);
        let ended = move || BashEnded::of(&setup.caps, &finished, timeout_ms, sandbox);
        let ended = cx.blocking(move |_| ended()).await?;
        Ok(BashValue::Foreground(Box::new(ended)))
    }

    fn in_background(
        &self,
        args: &BashArgs,
        prepared: &Prepared,
        owner: JobOwner,
    ) -> Result<BashValue, ToolError> {
        let kind = Self::NAME.to_owned();
        let label = args.command.clone();
        let request = JobRequest { owner, kind, label, page_max_bytes: None };
        let begin = |_: &_| {
            let running = self.command(args, prepared, args.timeout_ms).start();
            let (timeout_ms, mode) = (args.timeout_ms, prepared.mode);
            let (root, saved_max_bytes) = (prepared.root.clone(), self.setup.caps.saved_max_bytes);
            Ok(background::job(
                running,
                Given { timeout_ms, mode, root, network: self.access.network, saved_max_bytes },
            ))
        };
        let job = self.jobs.start(request, Box::new(begin)).map_err(jobs::failure)?;
        Ok(BashValue::Background { job_id: job.id })
    }
}

fn started(host_life: HostLife, id: &str) -> String {
    let id = one_row(id);
    match host_life {
        HostLife::Session => {
            format!(
                "Started background job {id}. Read its output with job_output, end it with job_kill."
            )
        }
        HostLife::OneCall => format!(
            "Started background job {id}, which ended with this call: nothing here outlives one. Run the command without run_in_background."
        ),
    }
}

#[cfg(feature = "samples")]
mod samples;
