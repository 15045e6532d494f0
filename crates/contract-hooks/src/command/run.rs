//! Running the hooks that match an event: all at once, each within its limits.

use std::path::Path;
use std::pin::pin;
use std::time::{Duration, Instant};

use contract_registry::AgentId;
use futures_util::future::{Either, join_all, select};
use host_process::{Command, Environment, Finished, ProcessError, Running, Stopper, Window};

use crate::lifecycle::{LifecycleEvent, LifecycleHead};

use super::config::{CommandHook, HookFile};
use super::event::{Dialect, HookEvent};
use super::merge::{Merged, merge};
use super::options::{CommandOptions, Replacement};
use super::output::{Answer, Judged, Verdict, read};
use super::records::{HookDecided, HookInvoked, HookRecords, HookResult};
use super::wire::{Payload, Subject};

/// Runs the hooks of one file.
#[derive(Debug)]
pub(crate) struct Runner {
    pub(crate) file: HookFile,
    pub(crate) options: CommandOptions,
}

impl Runner {
    /// Runs what matches, and merges what it came to. Dropping this ends what runs. A result is judged
    /// whether or not its call was cancelled, but then the hooks get no more than the grace time.
    pub(crate) async fn run(&self, subject: Subject<'_>) -> Merged {
        let event = subject.event();
        let matching: Vec<&CommandHook> =
            self.file.hooks.iter().filter(|hook| matches(hook, event, &subject)).collect();
        if matching.is_empty() {
            return Merged::default();
        }
        let bytes = match self.payload(&subject) {
            Ok(bytes) => bytes,
            Err(error) => {
                let what = format!("could not be told of the event: {error}");
                return merge([(self.name_of(event.name()), Judged::Fault(what))]);
            }
        };
        let mut running: Vec<Run<'_>> =
            matching.into_iter().map(|hook| self.start(hook, &subject, bytes.clone())).collect();
        let stoppers: Vec<Stopper> = running.iter().map(Run::stopper).collect();
        let mut judging = pin!(join_all(running.iter_mut().map(Run::judged)));
        let judged = match subject {
            Subject::Post(completed) => {
                let cancelled = pin!(completed.call().caller_cancel().cancelled());
                match select(judging.as_mut(), cancelled).await {
                    Either::Left((judged, _)) => judged,
                    Either::Right(_) => {
                        let grace = self.options.limits.grace();
                        stoppers.iter().for_each(|stopper| stopper.stop_after(grace));
                        judging.await
                    }
                }
            }
            Subject::Pre(_) | Subject::Life(..) => judging.await,
        };
        merge(judged)
    }

    fn payload(&self, subject: &Subject<'_>) -> Result<Vec<u8>, serde_json::Error> {
        let agent = agent_of(subject);
        let payload = Payload {
            dialect: self.file.dialect,
            event: subject.event(),
            subject: *subject,
            folder: self.folder(subject),
            transcript_path: self.options.transcript_path.as_deref(),
            model: &self.options.model,
            turn: self.turn(agent),
        };
        payload.to_bytes()
    }

    fn start(&self, hook: &CommandHook, subject: &Subject<'_>, bytes: Vec<u8>) -> Run<'_> {
        let invoked = self.record(hook, subject);
        self.options.records.invoked(&invoked);
        let recording = Recording {
            records: &*self.options.records,
            result: Some(HookResult {
                invoked,
                decision: HookDecided::Failed,
                reason: Some("was cancelled".to_owned()),
                notes: Vec::new(),
                exit_code: None,
                stderr_summary: None,
                duration: Duration::ZERO,
            }),
            begun: Instant::now(),
        };
        let running = self.command(hook, subject).stdin(bytes).start();
        Run { runner: self, event: hook.event, name: self.name_of(&hook.id), running, recording }
    }

    fn command(&self, hook: &CommandHook, subject: &Subject<'_>) -> Command {
        let limits = &self.options.limits;
        let default_ms = match hook.event {
            HookEvent::UserPromptSubmit => limits.prompt_timeout_ms,
            HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::Stop
            | HookEvent::SessionStart
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop => limits.timeout_ms,
        };
        let command = match &hook.arguments {
            None => Command::shell(&hook.command),
            Some(arguments) => Command::argv(&hook.command, arguments),
        };
        let half = limits.text_max_bytes.div_ceil(2);
        let folder = self.folder(subject);
        command
            .folder(folder)
            .environment(self.environment(folder))
            .deadline(hook.timeout.unwrap_or(Duration::from_millis(default_ms)))
            .grace(limits.grace())
            .stdout(Window::head(limits.stdout_max_bytes))
            .stderr(Window { head_bytes: half, tail_bytes: half })
    }

    fn environment(&self, folder: &Path) -> Environment {
        let mut environment = self.options.environment.clone();
        if self.file.dialect == Dialect::Claude {
            environment = environment.set("CLAUDE_PROJECT_DIR", folder);
            if let Some(root) = &self.options.plugin_root {
                environment = environment.set("CLAUDE_PLUGIN_ROOT", root);
            }
        }
        environment
    }

    /// The workspace of the call; a call without one runs its hooks where those of other events run.
    fn folder<'s>(&'s self, subject: &Subject<'s>) -> &'s Path {
        let root = subject.call().map(|call| call.workspace_root());
        root.filter(|root| !root.as_os_str().is_empty()).unwrap_or(&self.options.folder)
    }

    fn turn(&self, agent: &AgentId) -> Option<u64> {
        self.options.turn.as_ref().and_then(|turn| turn(agent))
    }

    /// How messages name a hook.
    fn name_of(&self, id: &str) -> String {
        let file = self.file.path.file_name().unwrap_or_default().to_string_lossy();
        format!("the hook {id} of {file}")
    }

    fn record(&self, hook: &CommandHook, subject: &Subject<'_>) -> HookInvoked {
        let call = subject.call();
        let agent_id = agent_of(subject).clone();
        HookInvoked {
            session_id: match subject {
                Subject::Life(head, _) => head.session_id.clone(),
                Subject::Pre(_) | Subject::Post(_) => {
                    call.and_then(|call| call.session_id()).cloned()
                }
            },
            turn: self.turn(&agent_id),
            agent_id,
            point: hook.event.name(),
            dialect: self.file.dialect.name(),
            matcher: hook.matcher.text.clone(),
            handler_id: hook.id.clone(),
            call_id: call.map(|call| call.call_id().clone()),
        }
    }
}

fn agent_of<'a>(subject: &Subject<'a>) -> &'a AgentId {
    match subject {
        Subject::Pre(call) => call.agent_id(),
        Subject::Post(completed) => completed.call().agent_id(),
        Subject::Life(LifecycleHead { agent_id, .. }, _) => agent_id,
    }
}

fn matches(hook: &CommandHook, event: HookEvent, subject: &Subject<'_>) -> bool {
    if hook.event != event {
        return false;
    }
    match subject {
        Subject::Pre(call) => hook.matcher.matches_tool(call.name()),
        Subject::Post(completed) => hook.matcher.matches_tool(completed.call().name()),
        Subject::Life(_, event) => match event {
            LifecycleEvent::SessionStart { source } => hook.matcher.matches(source),
            LifecycleEvent::SubagentStart { agent }
            | LifecycleEvent::SubagentStop { agent, .. } => hook.matcher.matches(agent.as_str()),
            LifecycleEvent::UserPromptSubmit { .. } | LifecycleEvent::Stop { .. } => true,
        },
    }
}

/// A hook that runs.
struct Run<'a> {
    runner: &'a Runner,
    event: HookEvent,
    name: String,
    running: Running,
    recording: Recording<'a>,
}

impl Run<'_> {
    fn stopper(&self) -> Stopper {
        self.running.stopper()
    }

    async fn judged(&mut self) -> (String, Judged) {
        let ended = (&mut self.running).await;
        let judged = match &ended {
            Ok(finished) => read(self.event, finished, &self.runner.options.limits),
            Err(error) => Judged::Fault(not_run(error)),
        };
        self.settle(ended.ok().as_ref(), &judged);
        (self.name.clone(), judged)
    }

    fn settle(&mut self, finished: Option<&Finished>, judged: &Judged) {
        let options = &self.runner.options;
        let Some(result) = &mut self.recording.result else { return };
        if let Some(finished) = finished {
            result.duration = finished.duration;
            result.exit_code = match finished.status {
                host_process::Status::Exited(code) => Some(code),
                host_process::Status::Signalled(_) => None,
            };
            let said = finished.stderr.text();
            let summary: String =
                said.trim().chars().take(options.limits.stderr_summary_max_chars).collect();
            result.stderr_summary = Some(summary).filter(|summary| !summary.is_empty());
        }
        if let Judged::Answer(answer) = judged {
            note(answer, &result.invoked.handler_id);
            result.notes.clone_from(&answer.notes);
        }
        let (decision, reason) = told(self.event, judged, options.replacement);
        result.decision = decision;
        result.reason = reason;
        self.recording.settle();
    }
}

fn not_run(error: &ProcessError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("could not be run: {error}: {source}"),
        None => format!("could not be run: {error}"),
    }
}

/// What a record tells of a judgement: the decision, and why or what became of it.
fn told(
    event: HookEvent,
    judged: &Judged,
    replacement: Replacement,
) -> (HookDecided, Option<String>) {
    let answer = match judged {
        Judged::Answer(answer) => answer,
        Judged::Fault(what) => return (HookDecided::Failed, Some(what.clone())),
        Judged::Undecided(what) => return (HookDecided::Undecided, Some(what.clone())),
    };
    let decision = match (answer.verdict, event) {
        (Verdict::Deny, HookEvent::PreToolUse) => HookDecided::Deny,
        (Verdict::Deny, _) => HookDecided::Block,
        (Verdict::Ask, _) => HookDecided::Ask,
        (Verdict::Allow | Verdict::None, _) if answer.stop.is_some() => HookDecided::Stop,
        (Verdict::Allow | Verdict::None, _) if answer.replacement.is_some() => match replacement {
            Replacement::Content => HookDecided::ReplaceContent,
            Replacement::Value => HookDecided::ReplaceValue,
        },
        (Verdict::Allow, _) => HookDecided::Allow,
        (Verdict::None, _) => HookDecided::Pass,
    };
    let said = answer.reason.as_ref().or(answer.stop.as_ref());
    let parts: Vec<&str> = said.into_iter().chain(&answer.notes).map(String::as_str).collect();
    (decision, Some(parts.join("; ")).filter(|reason| !reason.is_empty()))
}

fn note(answer: &Answer, handler: &str) {
    for note in &answer.notes {
        tracing::warn!(handler, note, "part of what a hook said has no effect");
    }
}

/// Gives one result for what was invoked, whether the hook ended or its call was dropped.
struct Recording<'a> {
    records: &'a dyn HookRecords,
    result: Option<HookResult>,
    begun: Instant,
}

impl Recording<'_> {
    fn settle(&mut self) {
        if let Some(result) = self.result.take() {
            self.records.result(&result);
        }
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if let Some(result) = self.result.as_mut().filter(|_| !std::thread::panicking()) {
            result.duration = self.begun.elapsed();
            self.settle();
        }
    }
}
