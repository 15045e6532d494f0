//! A registry with `run_code` and tools made for the test.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use code_runtime::{Runtime, Worker};
use contract_registry::{
    CallContext, CallEnv, CallHead, CallRequest, CancelSignal, Outcome, Policy, RawTool, Registry,
    Returned, Services, ToolError,
};
use contract_schema::{Canonical, ContentBlock};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tools_firstparty::{
    Config, NestedCall, NestedCalls, NestedLog, NestedLogError, RunCode, Seams,
};

/// Limits for tests: programs run on a thread.
pub(crate) fn config() -> Config {
    let mut config = Config::default();
    config.code.runtime.worker = Worker::InProcess;
    config
}

/// A registry under test.
pub(crate) struct Bench {
    pub(crate) registry: Registry,
    pub(crate) env: CallEnv,
}

impl Bench {
    pub(crate) fn new(tools: impl IntoIterator<Item = RawTool>) -> Self {
        Self::with(&config(), None, tools)
    }

    pub(crate) fn under(policy: impl Policy, tools: impl IntoIterator<Item = RawTool>) -> Self {
        Self::with(&config(), Some(Arc::new(policy)), tools)
    }

    pub(crate) fn with(
        config: &Config,
        policy: Option<Arc<dyn Policy>>,
        tools: impl IntoIterator<Item = RawTool>,
    ) -> Self {
        let builder = Registry::builder();
        let registry = match policy {
            Some(policy) => builder.policy(policy).build(),
            None => builder.build(),
        };
        let code = Runtime::new(config.code.runtime.clone()).unwrap();
        let seams = Seams { code: Some(Arc::new(code)), ..Seams::default() };
        registry.register(RunCode::new(config, &seams).unwrap()).unwrap().keep();
        for tool in tools {
            registry.register_dyn(tool.build().unwrap()).unwrap().keep();
        }
        Self { registry, env: CallEnv::new("/") }
    }

    pub(crate) fn logging(mut self, log: &Arc<Log>) -> Self {
        let log: Arc<dyn NestedLog> = Arc::<Log>::clone(log);
        self.env = self.env.with_services(Services::default().with(NestedCalls(log)));
        self
    }

    pub(crate) async fn run(&self, code: &str) -> Outcome {
        self.run_until(code, CancelSignal::never()).await
    }

    pub(crate) async fn run_until(&self, code: &str, cancel: CancelSignal) -> Outcome {
        let arguments = json!({ "code": code, "description": "test" }).to_string();
        let request = CallRequest::from_text("run_code", &arguments);
        let request = request.with_env(Arc::new(self.env.clone())).with_cancel(cancel);
        self.registry.dispatch(request).await
    }

    /// The result of a program that returns one.
    pub(crate) async fn result(&self, code: &str) -> Value {
        let outcome = self.run(code).await;
        match outcome.value() {
            Some(value) => value.json().to_value()["result"].clone(),
            None => panic!("{}", message(&outcome)),
        }
    }
}

pub(crate) fn message(outcome: &Outcome) -> &str {
    outcome.error().map_or("", |failure| failure.message())
}

pub(crate) fn code(outcome: &Outcome) -> &str {
    outcome.error().and_then(|failure| failure.code()).unwrap_or("")
}

pub(crate) fn text(outcome: &Outcome) -> String {
    outcome.content().iter().filter_map(ContentBlock::as_text).collect()
}

/// A tool `name` of any arguments and any value, shown as `shown NAME`.
pub(crate) fn tool<F, R>(name: &'static str, body: F) -> RawTool
where
    F: Fn(Canonical, CallContext) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Value, ToolError>> + Send + 'static,
{
    RawTool::new(name, "test")
        .parameters(json!({ "type": "object" }))
        .output(json!(true))
        .run(move |args, cx| {
            let running = body(args, cx);
            async move { running.await.map(Returned::tree) }
        })
        .render(move |_, _| vec![ContentBlock::text(format!("shown {name}"))])
        .presentation_meta(|_, value| Some(contract_schema::Meta::of(value)))
}

/// A tool that gives back its arguments.
pub(crate) fn echo() -> RawTool {
    tool("echo", |args, _| async move { Ok(args.json().to_value()) }).parallel_safe(|_| true)
}

/// A parallel-safe tool that takes this long.
pub(crate) fn slow(ms: u64) -> RawTool {
    tool("slow", move |_, _| async move {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        Ok(json!(ms))
    })
    .parallel_safe(|_| true)
}

/// A tool that waits for its cancellation, and settles by it.
pub(crate) fn waiting() -> RawTool {
    tool("wait", |_, cx| async move {
        cx.cancel().cancelled().await;
        Err(ToolError::coded("TestError", "STOPPED", "stopped waiting"))
    })
    .parallel_safe(|_| true)
}

/// What a run logged, a line an event.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) lines: Mutex<Vec<String>>,
    /// Whether it fails.
    pub(crate) is_full: bool,
}

impl Log {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    fn add(&self, head: &CallHead, what: &str) -> Result<(), NestedLogError> {
        if self.is_full {
            let message = "no space".to_owned();
            return Err(NestedLogError { code: "SESSION_WRITE_FAILED", message });
        }
        let id = head.call_id().as_str().rsplit(':').next().unwrap().to_owned();
        self.lines.lock().unwrap().push(format!("{id} {} {what}", head.name()));
        Ok(())
    }
}

impl NestedLog for Log {
    fn started(&self, call: &NestedCall) -> Result<(), NestedLogError> {
        self.add(&call.head, &format!("starts {}", call.arguments))
    }

    fn ended<'a>(
        &'a self,
        call: &'a NestedCall,
        outcome: &'a Outcome,
    ) -> BoxFuture<'a, Result<(), NestedLogError>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            self.add(&call.head, &text(outcome))
        })
    }
}
