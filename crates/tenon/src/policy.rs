//! What governs the program's calls: the hook chains, filled from the configuration.

use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_hooks::Hooks;
use contract_hooks::policies::{Deadline, RepeatReminder};
use contract_registry::{AgentId, Registry, Runtime, SessionId};
use contract_session::{Event, Journal};
use contract_spill::{LocalConfig, LocalStore, NoStore, Spill, SpillCap, SpillConfig, SpillStore};

use crate::approve::Terminal;
use crate::command_hooks::{self, Surroundings};
use crate::config::{Config, NamedRule};
use crate::exit::{Stop, plain};

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
    around: &Surroundings<'_>,
) -> Result<Hooks, Stop> {
    let hooks = Hooks::new();
    hooks.pre_execute("permissions", config.permissions()).keep();
    hooks.around("deadline", Deadline::new(Arc::clone(runtime))).keep();
    let reminder = RepeatReminder::new(config.reminder.clone())
        .map_err(|error| Stop::usage(error.to_string()))?;
    if let Some(journal) = &around.journal {
        recall(&reminder, &**journal);
    }
    hooks.post_execute("repeat-reminder", reminder).keep();
    hooks.mount_approver(Arc::new(terminal));
    command_hooks::mount(&hooks, config, around)?;
    let cap = SpillCap::new(config.max_inline_bytes);
    let spill_config = SpillConfig { max_inline_bytes: Some(cap), ..SpillConfig::default() };
    Spill::new(store, spill_config).mount(&hooks).keep();
    Ok(hooks)
}

/// Tells the reminder of the calls that the session's log holds: each call of the program is a process of
/// its own. A log that cannot be read only costs a reminder here; appending to it tells of that.
fn recall(reminder: &RepeatReminder, journal: &dyn Journal) {
    let agent = AgentId::default();
    let entries = match journal.entries() {
        Ok(entries) => entries,
        Err(error) => return tracing::warn!(%error, "earlier calls do not count as repeated"),
    };
    for entry in entries.map_while(Result::ok) {
        match entry.event() {
            Some(Event::UserMessage(_)) => reminder.reset(&agent),
            Some(Event::ToolCall(call)) => reminder.seed(&agent, &call.name, call.arguments.root()),
            _ => {}
        }
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
            let _ = writeln!(stderr(), "warning: {}", plain(&warning));
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
