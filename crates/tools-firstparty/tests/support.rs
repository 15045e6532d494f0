//! A workspace in a temporary folder, with the tools registered.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_registry::{CallEnv, CallRequest, Outcome, Registry};
use contract_schema::ContentBlock;
use serde_json::Value;
use tempfile::TempDir;
use tools_firstparty::{Config, Seams, tools};

/// A folder and the tools on it.
pub(crate) struct Workspace {
    pub(crate) dir: TempDir,
    pub(crate) registry: Registry,
    pub(crate) env: CallEnv,
}

impl Workspace {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, &Config::default())
    }

    pub(crate) fn with(files: &[(&str, &str)], config: &Config) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::new();
        for tool in tools(config, &Seams::default()).unwrap().into_tools() {
            registry.register_dyn(tool).unwrap().keep();
        }
        for (path, content) in files {
            write(dir.path(), path, content);
        }
        let env = CallEnv::new(dir.path());
        Self { dir, registry, env }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: &Value) -> Outcome {
        self.call_in(self.env.clone(), tool, arguments).await
    }

    pub(crate) async fn call_in(&self, env: CallEnv, tool: &str, arguments: &Value) -> Outcome {
        let request = CallRequest::from_text(tool, &arguments.to_string());
        self.registry.dispatch(request.with_env(Arc::new(env))).await
    }

    /// The same workspace with these surroundings.
    pub(crate) fn in_env(mut self, env: impl FnOnce(CallEnv) -> CallEnv) -> Self {
        self.env = env(self.env);
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap()
    }

    /// The value of a call that succeeds.
    pub(crate) async fn value(&self, tool: &str, arguments: Value) -> Value {
        let outcome = self.call(tool, &arguments).await;
        match outcome.value() {
            Some(value) => value.json().to_value(),
            None => panic!("{tool} {arguments}: {}", outcome.error().unwrap().message()),
        }
    }

    /// Code and message of a call that fails.
    pub(crate) async fn failure(&self, tool: &str, arguments: Value) -> (String, String) {
        let outcome = self.call(tool, &arguments).await;
        let failure = outcome.error().unwrap_or_else(|| panic!("{tool} {arguments} succeeds"));
        (failure.code().unwrap().to_owned(), failure.message().to_owned())
    }

    /// The text of a call.
    pub(crate) async fn text(&self, tool: &str, arguments: Value) -> String {
        match self.call(tool, &arguments).await.content() {
            [ContentBlock::Text { text, .. }] => text.clone(),
            other => panic!("one text block, not {other:?}"),
        }
    }
}

pub(crate) fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Names in a folder, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}
