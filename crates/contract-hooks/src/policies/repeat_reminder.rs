//! Repeated-call reminder: tells a model that it makes the same call again and again.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use contract_registry::{AgentId, Call, Completed, PostDecision};
use contract_schema::{AdditionalContext, JsonKind, JsonRef};
use futures_util::future::BoxFuture;

use super::wildcard::matches;
use crate::error::HookError;
use crate::post::{PostExecute, PostNext};

/// When to remind, and of which tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderConfig {
    /// Consecutive equal calls at which to remind: ascending, each at least 2.
    pub thresholds: Vec<u32>,
    /// Tools to watch; empty for all. `*` stands for any run of characters.
    pub include: Vec<String>,
    /// Tools not to watch; wins over `include`.
    pub exclude: Vec<String>,
    /// Characters of the arguments shown, at least 1.
    pub arguments_preview_chars: usize,
}

impl Default for ReminderConfig {
    fn default() -> Self {
        Self {
            thresholds: vec![3, 5, 8],
            include: Vec::new(),
            exclude: Vec::new(),
            arguments_preview_chars: 500,
        }
    }
}

/// What is wrong with a reminder's configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReminderError {
    /// No threshold, one below 2, or not ascending.
    #[error("thresholds must be ascending whole numbers of at least 2, at least one of them")]
    Thresholds,
    /// A preview of no characters.
    #[error("arguments_preview_chars must be at least 1")]
    Preview,
}

/// Counts consecutive equal calls of each agent and reminds at the thresholds. Equal means the same tool
/// and the same arguments, whatever the order of their keys. A user's message starts the count anew.
#[derive(Debug)]
pub struct RepeatReminder {
    config: ReminderConfig,
    runs: Mutex<HashMap<AgentId, Run>>,
}

#[derive(Debug)]
struct Run {
    key: String,
    count: u32,
}

impl RepeatReminder {
    /// A reminder with this configuration.
    ///
    /// # Errors
    ///
    /// [`ReminderError`].
    pub fn new(config: ReminderConfig) -> Result<Self, ReminderError> {
        let ascending = config.thresholds.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || config.thresholds.first().is_none_or(|first| *first < 2) {
            return Err(ReminderError::Thresholds);
        }
        if config.arguments_preview_chars == 0 {
            return Err(ReminderError::Preview);
        }
        Ok(Self { config, runs: Mutex::default() })
    }

    /// Starts the count of an agent anew, as a user's message does.
    pub fn reset(&self, agent: &AgentId) {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).remove(agent);
    }

    fn watches(&self, name: &str) -> bool {
        let named = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, name));
        !named(&self.config.exclude)
            && (self.config.include.is_empty() || named(&self.config.include))
    }

    /// Counts a call that was made before this reminder was there: of a session that is resumed, say, whose
    /// log tells its calls in their order. Nested calls do not count.
    pub fn seed(&self, agent: &AgentId, name: &str, arguments: JsonRef<'_>) {
        if self.watches(name) {
            self.count(agent, name, arguments);
        }
    }

    /// The number of this call in its run.
    fn count(&self, agent: &AgentId, name: &str, arguments: JsonRef<'_>) -> u32 {
        let mut key = format!("{name} ");
        write_sorted(&mut key, arguments);
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let run = runs.entry(agent.clone()).or_insert_with(|| Run { key: String::new(), count: 0 });
        if run.key == key {
            run.count = run.count.saturating_add(1);
        } else {
            *run = Run { key, count: 1 };
        }
        run.count
    }

    fn reminder(&self, call: &Call, count: u32) -> Option<String> {
        let at = self.config.thresholds.iter().position(|threshold| *threshold == count)?;
        if at == 0 {
            return Some(format!(
                "This is call {count} in a row of `{}` with the same arguments. If the result does not help, try something else.",
                call.name()
            ));
        }
        let arguments = call.arguments().to_string();
        let shown: String = arguments.chars().take(self.config.arguments_preview_chars).collect();
        let more = arguments.chars().count().saturating_sub(self.config.arguments_preview_chars);
        let more = if more > 0 { format!("… (+{more} more characters)") } else { String::new() };
        Some(format!(
            "The same call keeps repeating.\ntool: {}\nconsecutive_calls: {count}\narguments: {shown}{more}\nIts result will not change. Change the arguments, use another tool, or say what is in the way.",
            call.name()
        ))
    }
}

/// Compact text with sorted keys, so that the order of arguments does not matter.
fn write_sorted(text: &mut String, value: JsonRef<'_>) {
    match value.kind() {
        JsonKind::Object => {
            text.push('{');
            for (key, value) in value.members().collect::<BTreeMap<_, _>>() {
                let _ = write!(text, "{key:?}:");
                write_sorted(text, value);
            }
            text.push('}');
        }
        JsonKind::Array => {
            text.push('[');
            for element in value.elements() {
                write_sorted(text, element);
                text.push(',');
            }
            text.push(']');
        }
        JsonKind::Null
        | JsonKind::Bool
        | JsonKind::Integer
        | JsonKind::Number
        | JsonKind::String => {
            let _ = write!(text, "{value}");
        }
    }
}

impl PostExecute for RepeatReminder {
    fn post_execute<'a>(
        &'a self,
        completed: Completed<'a>,
        _next: PostNext<'a>,
    ) -> BoxFuture<'a, Result<PostDecision, HookError>> {
        let call = completed.call();
        // A program's own calls are its own affair, and nested contexts would reach the model in bulk.
        let watched = !call.is_nested() && self.watches(call.name());
        let count = || self.count(call.agent_id(), call.name(), call.arguments().root());
        let reminder = watched.then(|| self.reminder(call, count())).flatten();
        let contexts = reminder
            .map(|text| AdditionalContext::text("policy", "repeat-reminder", text))
            .into_iter()
            .collect();
        Box::pin(async move { Ok(PostDecision::accept().with_contexts(contexts)) })
    }
}
