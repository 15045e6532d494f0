//! What governs the program's calls: the hook chains, filled from the configuration.

use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_hooks::Hooks;
use contract_hooks::policies::{Deadline, RepeatReminder};
use contract_registry::{AgentId, Registry, Runtime, SessionId};
use contract_session::{Entry, Event};
use contract_spill::{LocalConfig, LocalStore, NoStore, Spill, SpillCap, SpillConfig, SpillStore};

use crate::approve::Terminal;
use crate::command_hooks::{self, Surroundings};
use crate::config::{Config, NamedRule};
use crate::exit::{Stop, one_row};

/// Where saved results are.
pub(crate) fn spills(state_root: &Path) -> PathBuf {
    state_root.join("spills")
}

/// The chains for calls under this configuration.
pub(crate) fn hooks(
    config: &Config,
    store: Arc<dyn SpillStore>,
    runtime: &Arc<dyn Runtime>,
    terminal: Terminal,
    reminder: RepeatReminder,
    around: &Surroundings<'_>,
) -> Result<Hooks, Stop> {
    let hooks = Hooks::new();
    hooks.pre_execute("permissions", config.permissions()).keep();
    hooks.around("deadline", Deadline::new(Arc::clone(runtime))).keep();
    hooks.post_execute("repeat-reminder", reminder).keep();
    hooks.mount_approver(Arc::new(terminal));
    command_hooks::mount(&hooks, config, around)?;
    let cap = SpillCap::new(config.max_inline_bytes);
    let spill_config = SpillConfig { max_inline_bytes: Some(cap), ..SpillConfig::default() };
    Spill::new(store, spill_config).mount(&hooks).keep();
    Ok(hooks)
}

/// The reminder, before it knows of any call.
pub(crate) fn reminder(config: &Config) -> Result<RepeatReminder, Stop> {
    RepeatReminder::new(config.reminder.clone()).map_err(|error| Stop::usage(error.to_string()))
}

/// Tells the reminder what the next entry of the session's log is: each call of the program is a process of
/// its own.
pub(crate) fn recall(reminder: &RepeatReminder, entry: &Entry) {
    let agent = AgentId::default();
    match entry.event() {
        Some(Event::UserMessage(_)) => reminder.reset(&agent),
        Some(Event::ToolCall(call)) => reminder.seed(&agent, &call.name, call.arguments.root()),
        _ => {}
    }
}

/// Warns of rules that match nothing with the tools there are: a name or a key with a slip in it would be
/// taken for protection.
pub(crate) fn warn_of_rules(config: &Config, registry: &Registry) {
    let tools = registry.list();
    for NamedRule { rule, key, path, line } in &config.rules {
        for doubt in rule.doubts(tools.iter().map(|tool| &**tool)) {
            let warning = format!("{}:{line}: {key}: `{rule}`: {doubt}", path.display());
            // Nobody to tell when stderr is gone.
            let _ = writeln!(stderr(), "warning: {}", one_row(&warning));
        }
    }
}

/// The store of saved results; none where it cannot be opened, since saving is best effort (contract S2).
/// What a resumed session points at is kept from now on.
pub(crate) async fn store(
    config: &Config,
    state_root: Option<&Path>,
    runtime: &Arc<dyn Runtime>,
    session: Option<&SessionId>,
) -> Arc<dyn SpillStore> {
    let Some(store) = local(config, state_root) else { return Arc::new(NoStore) };
    let store = store.with_runtime(Arc::clone(runtime));
    if let Some(session) = session
        && let Err(error) = store.hold(session).await
    {
        tracing::warn!(%error, "what the session saved before may go");
    }
    Arc::new(store)
}

/// The local store under the state root, if there is one.
pub(crate) fn local(config: &Config, state_root: Option<&Path>) -> Option<LocalStore> {
    let local = LocalConfig {
        max_total_bytes: config.max_total_bytes,
        max_age: config.max_age,
        ..LocalConfig::default()
    };
    match LocalStore::open(spills(state_root?), local) {
        Ok(store) => Some(store),
        Err(error) => {
            tracing::warn!(%error, "long results are not saved");
            None
        }
    }
}
