//! Command hooks as listeners of the chains.

use std::sync::Arc;

use contract_registry::{Call, Completed, Denial, PostDecision, Returned};
use contract_schema::{AdditionalContext, ContentBlock, Json, JsonKind};
use futures_util::future::BoxFuture;

use crate::chain::HookHandle;
use crate::error::HookError;
use crate::hooks::Hooks;
use crate::lifecycle::{
    Lifecycle, LifecycleDecision, LifecycleEvent, LifecycleHead, LifecycleNext,
};
use crate::post::{PostExecute, PostNext};
use crate::pre::{PreExecute, PreNext, PreReply, PreVerdict, Question};

use super::config::HookFile;
use super::event::HookEvent;
use super::merge::Merged;
use super::options::{CommandOptions, CommandOptionsError, OnFault, Replacement};
use super::output::Verdict;
use super::run::Runner;
use super::wire::Subject;

/// The hooks of one file, as listeners. They judge a call or a result as it is, whatever the listeners
/// inside them decide; the chain merges. Clones share the file.
#[derive(Debug, Clone)]
pub struct CommandHooks {
    runner: Arc<Runner>,
}

/// Unregisters the hooks of a file when dropped.
#[derive(Debug)]
#[must_use = "dropping the handles unregisters at once; call `keep` to leave them registered"]
pub struct CommandHookHandles {
    handles: Vec<HookHandle>,
}

impl CommandHookHandles {
    /// Leaves them registered for as long as the chains live.
    pub fn keep(self) {
        self.handles.into_iter().for_each(HookHandle::keep);
    }
}

impl CommandHooks {
    /// The hooks of a file that one trusts: its commands will be run (decisions DH3).
    ///
    /// # Errors
    ///
    /// [`CommandOptionsError`] for a limit that cannot work.
    pub fn new(file: HookFile, options: CommandOptions) -> Result<Self, CommandOptionsError> {
        options.limits.validate()?;
        Ok(Self { runner: Arc::new(Runner { file, options }) })
    }

    /// Registers them under the name of their file: one listener in each chain that a hook of theirs is for.
    pub fn register(&self, hooks: &Hooks) -> CommandHookHandles {
        let name = self.runner.file.path().to_string_lossy();
        let has = |wanted: fn(HookEvent) -> bool| {
            self.runner.file.hooks.iter().any(|hook| wanted(hook.event))
        };
        let pre = has(|event| event == HookEvent::PreToolUse)
            .then(|| hooks.pre_execute(&name, self.clone()));
        let post = has(|event| event == HookEvent::PostToolUse)
            .then(|| hooks.post_execute(&name, self.clone()));
        let life =
            has(|event| !event.is_about_tools()).then(|| hooks.lifecycle(&name, self.clone()));
        CommandHookHandles { handles: [pre, post, life].into_iter().flatten().collect() }
    }

    /// What a fault of hooks does to what they were to judge. A value that hooks may replace is one that they
    /// may have to redact: there, ending without a decision is a fault too.
    fn failed(&self, event: HookEvent, merged: &Merged) -> Result<(), HookError> {
        let guards_value = event == HookEvent::PostToolUse
            && self.runner.options.replacement == Replacement::Value;
        let undecided = merged.undecided.as_ref().filter(|_| guards_value);
        match (merged.fault.as_ref().or(undecided), self.runner.options.on_fault) {
            (Some(fault), OnFault::Fail) if event.lets_in() || guards_value => {
                Err(HookError::new(fault.clone()))
            }
            (_, OnFault::Fail | OnFault::Pass) => Ok(()),
        }
    }
}

impl PreExecute for CommandHooks {
    fn pre_execute<'a>(
        &'a self,
        call: &'a Call,
        _: PreNext<'a>,
    ) -> BoxFuture<'a, Result<PreReply, HookError>> {
        Box::pin(async move {
            let mut merged = self.runner.run(Subject::Pre(call)).await;
            let event = HookEvent::PreToolUse;
            let contexts = contexts(event, std::mem::take(&mut merged.contexts));
            let verdict = match (merged.verdict, &merged.stop) {
                (Verdict::Deny, _) => PreVerdict::Deny(Denial::new(reason(event, &merged))),
                (_, Some(stop)) => PreVerdict::Deny(Denial::new(stop.clone())),
                (Verdict::Ask, None) => {
                    self.failed(event, &merged)?;
                    let asks = || "a hook asks whether to make this call".to_owned();
                    PreVerdict::Ask(Question { reason: merged.reason.unwrap_or_else(asks) })
                }
                (Verdict::Allow | Verdict::None, None) => {
                    self.failed(event, &merged)?;
                    PreVerdict::Allow
                }
            };
            Ok(PreReply { verdict, contexts })
        })
    }
}

impl PostExecute for CommandHooks {
    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
        _: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        Box::pin(async move {
            let mut merged = self.runner.run(Subject::Post(completed)).await;
            let event = HookEvent::PostToolUse;
            // What the agent is to stop for is told to the model; only its driver could stop it.
            merged.contexts.extend(merged.stop.take());
            let contexts = contexts(event, std::mem::take(&mut merged.contexts));
            if merged.verdict == Verdict::Deny {
                let feedback = vec![ContentBlock::text(reason(event, &merged))];
                return Ok(PostDecision::block(feedback).with_contexts(contexts));
            }
            self.failed(event, &merged)?;
            let by_value = self.runner.options.replacement == Replacement::Value
                && !completed.outcome().is_error();
            let decision = match merged.replacement {
                None => PostDecision::accept(),
                Some(output) if by_value => PostDecision::replace_value(value_of(output)),
                Some(output) => PostDecision::replace_content_not_value(content_of(&output)),
            };
            Ok(decision.with_contexts(contexts))
        })
    }
}

impl Lifecycle for CommandHooks {
    fn on_event<'a>(
        &'a self,
        head: &'a LifecycleHead,
        event: &'a LifecycleEvent,
        _: LifecycleNext<'a>,
    ) -> BoxFuture<'a, Result<LifecycleDecision, HookError>> {
        Box::pin(async move {
            let subject = Subject::Life(head, event);
            let mut merged = self.runner.run(subject).await;
            let event = subject.event();
            let contexts = contexts(event, std::mem::take(&mut merged.contexts));
            let denied = (merged.verdict == Verdict::Deny).then(|| reason(event, &merged));
            let block = match event {
                HookEvent::UserPromptSubmit => merged.stop.clone().or(denied),
                // A wish to stop beats a wish to go on.
                HookEvent::Stop | HookEvent::SubagentStop => {
                    denied.filter(|_| merged.stop.is_none())
                }
                HookEvent::SessionStart
                | HookEvent::SubagentStart
                | HookEvent::PreToolUse
                | HookEvent::PostToolUse => None,
            };
            if block.is_none() {
                self.failed(event, &merged)?;
            }
            Ok(LifecycleDecision { block, contexts })
        })
    }
}

fn reason(event: HookEvent, merged: &Merged) -> String {
    merged.reason.clone().unwrap_or_else(|| event.default_reason().to_owned())
}

fn contexts(event: HookEvent, texts: Vec<String>) -> Vec<AdditionalContext> {
    let context = |text| AdditionalContext::text("hook", event.name(), text);
    texts.into_iter().map(context).collect()
}

/// Blocks of an output that is to be shown: a text, a list of blocks, a response as the hook was told it,
/// or any JSON, written out.
fn content_of(output: &Json) -> Vec<ContentBlock> {
    let root = output.root();
    let blocks = || output.to_typed::<Vec<ContentBlock>>().ok();
    let text = match root.kind() {
        JsonKind::String => root.as_str(),
        JsonKind::Object => root.get("text").and_then(|text| text.as_str()),
        JsonKind::Array
        | JsonKind::Null
        | JsonKind::Bool
        | JsonKind::Integer
        | JsonKind::Number => None,
    };
    match text {
        Some(text) => vec![ContentBlock::text(text)],
        None => blocks().unwrap_or_else(|| vec![ContentBlock::text(output.to_string())]),
    }
}

/// The value of an output that is to be one: as it is, or out of a response as the hook was told it.
fn value_of(output: Json) -> Returned {
    let root = output.root();
    let told = root.get("isError").and(root.get("text")).and(root.get("value"));
    match told.map(|value| value.to_value()) {
        Some(value) => Returned::tree(value),
        None => Returned::json(output),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Dialect, KnownTools};

    #[test]
    fn a_file_joins_the_chains_that_it_has_hooks_for() {
        for (events, chains) in [
            (&[][..], 0),
            (&["PreToolUse"], 1),
            (&["PreToolUse", "PostToolUse"], 2),
            (&["Stop", "SessionStart"], 1),
            (&["PreToolUse", "PostToolUse", "Stop"], 3),
        ] {
            let group =
                serde_json::json!([{ "hooks": [{ "type": "command", "command": "true" }] }]);
            let groups = events.iter().map(|event| ((*event).to_owned(), group.clone()));
            let text = serde_json::Value::Object(groups.collect()).to_string();
            let file = HookFile::parse(
                "hooks.json",
                text.as_bytes(),
                Dialect::Claude,
                &KnownTools::default(),
            );
            let commands = CommandHooks::new(file.unwrap(), CommandOptions::new(".")).unwrap();
            assert_eq!(commands.register(&Hooks::new()).handles.len(), chains, "{text}");
        }
    }
}
