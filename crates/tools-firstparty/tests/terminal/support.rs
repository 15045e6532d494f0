//! A workspace whose calls all come from one agent, on real terminals.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract_registry::{AccessMode, AgentId, CallEnv, CallRequest, CancelSignal, Outcome};
use serde_json::{Value, json};
use tools_firstparty::Config;

use crate::support::Workspace;

/// An agent with its terminals.
pub(super) struct Terminals {
    pub(super) workspace: Workspace,
}

impl Terminals {
    pub(super) fn new() -> Self {
        Self::with(&Config::default())
    }

    pub(super) fn with(config: &Config) -> Self {
        Self { workspace: Workspace::with(&[], config) }
    }

    pub(super) async fn value(&self, tool: &str, arguments: Value) -> Value {
        self.workspace.value(tool, arguments).await
    }

    /// Opens a terminal; gives its id.
    pub(super) async fn open(&self) -> String {
        let opened = self.value("terminal_open", json!({})).await;
        opened["sessionId"].as_str().unwrap().to_owned()
    }

    pub(super) async fn send(&self, id: &str, text: &str) -> Value {
        self.value("terminal_send", json!({ "session_id": id, "text": text })).await
    }

    /// What came up after a line.
    pub(super) async fn shown(&self, id: &str, text: &str) -> String {
        let sent = self.send(id, text).await;
        sent["viewport"].as_str().unwrap().to_owned()
    }

    /// Presses keys; gives the whole value.
    pub(super) async fn press(&self, id: &str, keys: &[&str]) -> Value {
        self.value("terminal_send", json!({ "session_id": id, "keys": keys })).await
    }

    /// The screen as a person sees it: of a full-screen program, or the lines there are.
    pub(super) async fn screen(&self, id: &str) -> String {
        let read = self.value("terminal_read", json!({ "session_id": id })).await;
        let screen = read["screen"].as_str().or(read["text"].as_str());
        screen.unwrap().to_owned()
    }

    pub(super) async fn close(&self, id: &str) {
        let closed = self.value("terminal_close", json!({ "session_id": id })).await;
        assert_eq!(closed["outcome"], "closed");
    }

    /// A call by another agent, under another mode, with a signal.
    pub(super) async fn call_as(
        &self,
        agent: &str,
        mode: AccessMode,
        cancel: CancelSignal,
        (tool, arguments): (&str, Value),
    ) -> Outcome {
        let env = CallEnv::new(self.workspace.dir.path())
            .with_agent(AgentId::new(agent))
            .with_access_mode(mode);
        let request = CallRequest::from_text(tool, &arguments.to_string())
            .with_env(Arc::new(env))
            .with_cancel(cancel);
        self.workspace.registry.dispatch(request).await
    }

    /// Waits until lines are there that hold `text`.
    pub(super) async fn until_shown(&self, id: &str, text: &str) {
        let begun = Instant::now();
        while !self.screen(id).await.contains(text) {
            let waited = begun.elapsed();
            assert!(waited < Duration::from_secs(20), "{text}: {}", self.screen(id).await);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Whether a program is there; where it is not, that is said.
pub(super) fn has(program: &str) -> bool {
    let found = is_there(program);
    if !found {
        assert!(std::env::var_os("TENON_SKIP_NOTHING").is_none(), "no {program} on PATH");
        // Nobody to tell when stderr is gone.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED a test of the terminals: no {program}; install it, or run .ci/run once"
        );
    }
    found
}

pub(super) fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
