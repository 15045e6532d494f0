//! Nothing that `bash` started outlives what owns it.

use std::sync::Arc;

use contract_registry::{CallEnv, CallRequest, CancelSource};
use serde_json::{Value, json};

use crate::processes::{alive, marked, until};
use crate::support::Workspace;

/// Children in sessions of their own, orphans, stopped ones, ones that do not hear SIGTERM, and ones without
/// anything of their parents' environment. `MARK` stands for the mark by which they are found.
const CHILDREN: [&str; 6] = [
    "sleep 100 & (sleep 100 & sleep 100) & touch made; ",
    "setsid sh -c 'sleep 100 & setsid sleep 100 & wait' & touch made; ",
    "(setsid sh -c 'setsid sleep 100 & exit' &); touch made; ",
    "sleep 100 & kill -STOP $!; touch made; ",
    "(setsid env -i /bin/bash -c 'exec -a MARK sleep 100' &); touch made; ",
    "(trap '' TERM HUP; while :; do sleep 0.1; done) & touch made; ",
];

fn args(command: &str, more: Value) -> String {
    let mut arguments = json!({ "command": command, "description": "test" });
    for (key, value) in more.as_object().unwrap() {
        arguments[key] = value.clone();
    }
    arguments.to_string()
}

/// Runs each kind of children to an end of `command`, and looks whether anything is left.
async fn leaves_nothing(name: &str, end: &str, more: Value, cancels: bool) {
    for (number, children) in CHILDREN.iter().enumerate() {
        let mark = format!("mark-{name}-{number}");
        let workspace = Workspace::new(&[]);
        let made = workspace.dir.path().join("made");
        let source = CancelSource::new();
        let command = marked(&mark, &format!("{}{end}", children.replace("MARK", &mark)));
        let request = CallRequest::from_text("bash", &args(&command, more.clone()))
            .with_env(Arc::new(CallEnv::new(workspace.dir.path())))
            .with_cancel(source.signal());
        tokio::join!(workspace.registry.dispatch(request), async {
            if cancels {
                until("the command runs", || made.exists()).await;
                source.cancel();
            }
        });
        assert_eq!(alive(&mark), 0, "{name}: {children}");
    }
}

#[tokio::test]
async fn after_a_success() {
    leaves_nothing("success", "true", json!({}), false).await;
}

#[tokio::test]
async fn after_a_failure() {
    leaves_nothing("failure", "exit 1", json!({}), false).await;
}

#[tokio::test]
async fn after_a_timeout() {
    leaves_nothing("timeout", "sleep 100", json!({ "timeout_ms": 300 }), false).await;
}

#[tokio::test]
async fn after_a_cancellation() {
    leaves_nothing("cancel", "sleep 100", json!({}), true).await;
}

#[tokio::test]
async fn after_the_call_was_dropped() {
    for (number, children) in CHILDREN.iter().enumerate() {
        let mark = format!("mark-dropped-{number}");
        let workspace = Workspace::new(&[]);
        let made = workspace.dir.path().join("made");
        let command = marked(&mark, &format!("{}sleep 100", children.replace("MARK", &mark)));
        let request = CallRequest::from_text("bash", &args(&command, json!({})))
            .with_env(Arc::new(CallEnv::new(workspace.dir.path())));
        {
            let call = std::pin::pin!(workspace.registry.dispatch(request));
            let runs = std::pin::pin!(until("the command runs", || made.exists()));
            futures_util::future::select(call, runs).await;
        }
        until("it is gone", || alive(&mark) == 0).await;
    }
}

#[tokio::test]
async fn after_the_tools_were_dropped() {
    for (number, children) in CHILDREN.iter().enumerate() {
        let mark = format!("mark-registry-{number}");
        let workspace = Workspace::new(&[]);
        let made = workspace.dir.path().join("made");
        let command =
            marked(&mark, &format!("seq 100000; {}sleep 100", children.replace("MARK", &mark)));
        let arguments = args(&command, json!({ "run_in_background": true }));
        workspace.value("bash", serde_json::from_str(&arguments).unwrap()).await;
        until("the command runs", || made.exists()).await;
        drop(workspace);
        until("it is gone", || alive(&mark) == 0).await;
    }
}

#[tokio::test]
async fn after_a_panic_in_a_body() {
    use contract_registry::code;
    use tool_seams::fakes::FakeJobs;
    let mark = "mark-panic";
    let jobs = Arc::new(FakeJobs::default());
    let seams = tools_firstparty::Seams { jobs: Some(jobs.clone()), ..Default::default() };
    let registry = contract_registry::Registry::new();
    for tool in tools_firstparty::tools(&Default::default(), &seams).unwrap().into_tools() {
        registry.register_dyn(tool).unwrap().keep();
    }
    // The service panics once it was handed a command that runs.
    jobs.panic_after_begin();
    let arguments = args(&marked(mark, "sleep 100"), json!({ "run_in_background": true }));
    let env = Arc::new(CallEnv::new(std::env::temp_dir()));
    let outcome = registry.dispatch(CallRequest::from_text("bash", &arguments).with_env(env)).await;
    assert_eq!(outcome.error().unwrap().code(), Some(code::TOOL_PANICKED));
    until("it is gone", || alive(mark) == 0).await;
}

/// Saves in one folder, which the test looks into.
#[derive(Debug)]
struct Folder(std::path::PathBuf);

impl tools_firstparty::seam::process::OutputStore for Folder {
    fn folder(&self, _: Option<&contract_registry::SessionId>) -> Option<std::path::PathBuf> {
        Some(self.0.clone())
    }
}

#[tokio::test]
async fn no_file_stays_that_no_result_points_to() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Some(Arc::new(Folder(folder.path().to_owned())) as Arc<_>);
    let seams = tools_firstparty::Seams { outputs, ..Default::default() };
    let registry = contract_registry::Registry::new();
    for tool in tools_firstparty::tools(&Default::default(), &seams).unwrap().into_tools() {
        registry.register_dyn(tool).unwrap().keep();
    }
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let env = Arc::new(CallEnv::new(folder.path()));
    let request = |command: &str, more: Value| {
        let request = CallRequest::from_text("bash", &args(command, more));
        request.with_env(Arc::clone(&env))
    };
    let in_background = json!({ "run_in_background": true });
    registry.dispatch(request("seq 10", json!({}))).await;
    assert_eq!(files(), 0, "a short output");
    let source = CancelSource::new();
    tokio::join!(
        registry
            .dispatch(request("seq 1000000; sleep 100", json!({})).with_cancel(source.signal())),
        async {
            until("a file is there", || files() == 1).await;
            source.cancel();
        }
    );
    until("the file of a cancelled call is gone", || files() == 0).await;
    registry.dispatch(request("seq 1000000; seq 1000000 >&2", json!({}))).await;
    assert_eq!(files(), 2, "both are pointed to");
    registry.dispatch(request("seq 1000000; sleep 100", in_background)).await;
    until("a file is there", || files() == 3).await;
    drop(registry);
    until("what nobody was told of is gone", || files() == 2).await;
}
