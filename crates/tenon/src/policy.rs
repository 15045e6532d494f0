//! What governs the program's calls: the hook chains, filled from the configuration.

use std::path::Path;
use std::sync::Arc;

use contract_hooks::Hooks;
use contract_hooks::policies::{Deadline, RepeatReminder};
use contract_registry::{Runtime, SessionId};
use contract_spill::{LocalConfig, LocalStore, NoStore, Spill, SpillCap, SpillConfig, SpillStore};

use crate::approve::Terminal;
use crate::command_hooks::{self, Surroundings};
use crate::config::Config;
use crate::exit::Stop;

/// Where saved results are, within the state root.
const SPILLS: &str = "spills";

/// The chains for calls under this configuration.
pub(crate) fn hooks(
    config: &Config,
    store: Arc<dyn SpillStore>,
    runtime: &Arc<dyn Runtime>,
    terminal: Terminal,
    around: &Surroundings<'_>,
) -> Result<Hooks, Stop> {
    let hooks = Hooks::new();
    hooks.pre_execute("permissions", config.permissions.clone()).keep();
    hooks.around("deadline", Deadline::new(Arc::clone(runtime))).keep();
    let reminder = RepeatReminder::new(config.reminder.clone())
        .map_err(|error| Stop::usage(error.to_string()))?;
    hooks.post_execute("repeat-reminder", reminder).keep();
    hooks.mount_approver(Arc::new(terminal));
    command_hooks::mount(&hooks, config, around)?;
    let cap = SpillCap::new(config.max_inline_bytes);
    let spill_config = SpillConfig { max_inline_bytes: Some(cap), ..SpillConfig::default() };
    Spill::new(store, spill_config).mount(&hooks).keep();
    Ok(hooks)
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
    match LocalStore::open(state_root?.join(SPILLS), local) {
        Ok(store) => Some(store),
        Err(error) => {
            tracing::warn!(%error, "long results are not saved");
            None
        }
    }
}
