//! A folder with a hook file, and a registry whose calls go through it.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use contract_hooks::Hooks;
use contract_hooks::command::{
    CommandHooks, CommandOptions, Dialect, HookFile, HookInvoked, HookRecords, HookResult,
    KnownTools,
};
use contract_registry::{CallEnv, CallRequest, Outcome, Registry, SessionId};
use contract_schema::Json;
use serde_json::{Value, json};

use crate::support::counter;

/// Records, as they came.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) invoked: Mutex<Vec<HookInvoked>>,
    pub(crate) results: Mutex<Vec<HookResult>>,
}

impl HookRecords for Kept {
    fn invoked(&self, record: &HookInvoked) {
        self.invoked.lock().unwrap().push(record.clone());
    }

    fn result(&self, record: &HookResult) {
        self.results.lock().unwrap().push(record.clone());
    }
}

impl Kept {
    pub(crate) fn results(&self) -> Vec<HookResult> {
        self.results.lock().unwrap().clone()
    }

    /// The only result there is.
    pub(crate) fn one(&self) -> HookResult {
        let results = self.results();
        assert_eq!(results.len(), 1, "{results:?}");
        results[0].clone()
    }
}

pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) kept: Arc<Kept>,
    pub(crate) hooks: Hooks,
    pub(crate) registry: Registry,
}

/// A handler of a script.
pub(crate) fn handler(script: &str) -> Value {
    json!({ "type": "command", "command": script })
}

/// A file of one event and one group, with a handler for each script.
pub(crate) fn file(event: &str, scripts: &[&str]) -> Value {
    let handlers: Vec<Value> = scripts.iter().map(|script| handler(script)).collect();
    json!({ "hooks": { event: [{ "hooks": handlers }] } })
}

pub(crate) fn world(file: &Value) -> World {
    world_with(Dialect::Claude, file, |_| {})
}

pub(crate) fn world_with(
    dialect: Dialect,
    file: &Value,
    adjust: impl FnOnce(&mut CommandOptions),
) -> World {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.json");
    fs::write(&path, serde_json::to_vec_pretty(file).unwrap()).unwrap();
    let file = HookFile::load(&path, dialect, &KnownTools::default()).unwrap();
    let kept = Arc::new(Kept::default());
    let mut options = CommandOptions::new(folder.path());
    options.limits.grace_ms = 300;
    options.records = Arc::<Kept>::clone(&kept);
    adjust(&mut options);
    let hooks = Hooks::new();
    CommandHooks::new(file, options).unwrap().register(&hooks).keep();
    let registry = Registry::builder().policy(Arc::new(hooks.clone())).build();
    for name in ["bash", "grep", "write", "edit", "read", "mcp__files__get"] {
        registry.register_dyn(counter(name).build().unwrap()).unwrap().keep();
    }
    World { folder, kept, hooks, registry }
}

impl World {
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn request(&self, tool: &str, arguments: &Value) -> CallRequest {
        let env = CallEnv::new(self.path()).with_session(SessionId::new("s-1"));
        let arguments = Json::snapshot(arguments).unwrap();
        CallRequest::new(tool, arguments).with_env(Arc::new(env))
    }

    pub(crate) async fn call(&self, tool: &str) -> Outcome {
        self.registry.dispatch(self.request(tool, &json!({}))).await
    }

    /// A file of the folder, as JSON.
    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path().join(name)).unwrap()).unwrap()
    }
}

/// A script that writes this JSON to stdout.
pub(crate) fn says(output: &Value) -> String {
    format!("cat >/dev/null; cat <<'END'\n{output}\nEND")
}

/// The output for one event.
pub(crate) fn specific(event: &str, mut fields: Value) -> Value {
    fields["hookEventName"] = json!(event);
    json!({ "hookSpecificOutput": fields })
}

/// How often a process with `mark` in its command line is there.
pub(crate) fn alive(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .filter(|line| String::from_utf8_lossy(line).contains(mark))
        .count()
}
