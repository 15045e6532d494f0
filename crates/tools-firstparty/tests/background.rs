//! Background commands and the job tools, through the registry.

use std::sync::Arc;
use std::time::{Duration, Instant};

use contract_registry::{CallEnv, CallRequest, CancelSource, Outcome, Registry, SessionId};
use serde_json::{Value, json};
use tool_seams::{JobOwner, Jobs};
use tools_firstparty::{Config, HostLife, JobService, JobsCaps, Seams, tools};

use crate::processes::{alive, marked, until};
use crate::support::Workspace;

fn start(command: &str) -> Value {
    json!({ "command": command, "description": "test", "run_in_background": true })
}

async fn started(workspace: &Workspace, command: &str) -> String {
    let value = workspace.value("bash", start(command)).await;
    assert_eq!(value["kind"], "background");
    value["jobId"].as_str().unwrap().to_owned()
}

fn of(id: &str) -> Value {
    json!({ "job_id": id })
}

fn wait_for(id: &str) -> Value {
    json!({ "job_id": id, "wait": true })
}

#[tokio::test]
async fn a_background_command_is_read_waited_for_and_listed() {
    let workspace = Workspace::new(&[]);
    let id = started(
        &workspace,
        "echo one; until test -e go; do sleep 0.01; done; echo two >&2; exit 3",
    )
    .await;
    assert_eq!(id, "bash-1");
    let mut text = String::new();
    while !text.contains("one") {
        let value = workspace.value("job_output", of(&id)).await;
        text.push_str(value["text"].as_str().unwrap());
        assert_eq!(value["job"]["status"], "running");
    }
    let shown = workspace.text("job_output", of(&id)).await;
    assert_eq!(shown, "(no new output)\n[status: running]");
    std::fs::write(workspace.dir.path().join("go"), "").unwrap();
    let value = workspace.value("job_output", wait_for(&id)).await;
    assert_eq!(value["text"], "[stderr]\ntwo\n");
    let job = &value["job"];
    assert_eq!((&job["status"], &job["detail"]), (&json!("completed"), &json!("exit code 3")));
    assert!(job["finishedAt"].as_u64().unwrap() >= job["startedAt"].as_u64().unwrap());
    let keys: Vec<_> = job.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "kind", "label", "status", "detail", "startedAt", "finishedAt"]);
    let listed = workspace.value("job_list", json!({})).await;
    assert_eq!(listed, json!([job]));
    let shown = workspace.text("job_output", of(&id)).await;
    assert_eq!(shown, "(no new output)\n[status: completed, exit code 3]", "late reads are fine");
}

#[tokio::test]
async fn a_wait_that_is_over_shows_how_the_job_stands() {
    let workspace = Workspace::new(&[]);
    let id = started(&workspace, "sleep 100").await;
    let value = workspace
        .value("job_output", json!({ "job_id": id, "wait": true, "timeout_ms": 50 }))
        .await;
    assert_eq!(value["job"]["status"], "running");
    let (code, message) =
        workspace.failure("job_output", json!({ "job_id": id, "timeout_ms": 50 })).await;
    assert_eq!(code, "JOB_INVALID_ARGUMENT", "{message}");
    for bad in [json!(0), json!(600_001), json!(1.5)] {
        let arguments = json!({ "job_id": id, "wait": true, "timeout_ms": bad });
        assert_eq!(workspace.failure("job_output", arguments).await.0, "INVALID_TOOL_ARGS");
    }
}

#[tokio::test]
async fn a_killed_command_ends_with_all_it_started_and_once() {
    let workspace = Workspace::new(&[]);
    let id = started(&workspace, &marked("mark-kill", "sleep 100 & echo up; wait")).await;
    until("it runs", || alive("mark-kill") >= 2).await;
    let arguments = json!({ "job_id": id, "reason": "wrong port" });
    let value = workspace.value("job_kill", arguments.clone()).await;
    assert_eq!(
        (&value["outcome"], &value["job"]["status"]),
        (&json!("cancellation-requested"), &json!("stopping"))
    );
    let value = workspace.value("job_output", wait_for(&id)).await;
    assert_eq!(value["job"]["status"], "killed");
    assert_eq!(value["job"]["detail"], "SIGTERM; reason: wrong port");
    assert_eq!(value["text"], "up\n");
    assert_eq!(alive("mark-kill"), 0);
    let value = workspace.value("job_kill", arguments.clone()).await;
    assert_eq!(value["outcome"], "already-finished");
    let text = workspace.text("job_kill", arguments).await;
    assert_eq!(text, "bash-1 had ended before. [status: killed, SIGTERM; reason: wrong port]");
}

#[tokio::test]
async fn ways_to_end_in_the_background() {
    let workspace = Workspace::new(&[]);
    for (command, status, detail) in [
        ("exit 0", "completed", "exit code 0"),
        ("kill -KILL $$", "killed", "SIGKILL"),
        ("trap 'exit 7' TERM; kill $$; sleep 100", "completed", "exit code 7"),
    ] {
        let id = started(&workspace, command).await;
        let job = workspace.value("job_output", wait_for(&id)).await["job"].take();
        assert_eq!((&job["status"], &job["detail"]), (&json!(status), &json!(detail)), "{command}");
    }
    let mut arguments = start("sleep 100");
    arguments["timeout_ms"] = json!(50);
    let id = workspace.value("bash", arguments).await["jobId"].take();
    let job = workspace.value("job_output", wait_for(id.as_str().unwrap())).await["job"].take();
    assert_eq!(job["detail"], "timed out after 50 ms, SIGTERM");
    let mut arguments = start("true");
    arguments["workdir"] = json!("none");
    let id = workspace.value("bash", arguments).await["jobId"].take();
    let job = workspace.value("job_output", wait_for(id.as_str().unwrap())).await["job"].take();
    assert_eq!(job["status"], "failed");
    assert!(job["detail"].as_str().unwrap().contains("none cannot be used: "), "{job}");
}

#[tokio::test]
async fn output_that_was_not_read_in_time_is_counted_and_pointed_to() {
    let workspace = Workspace::new(&[]);
    let id = started(&workspace, "seq 1000000; echo done >&2").await;
    let value = workspace.value("job_output", wait_for(&id)).await;
    let text = value["text"].as_str().unwrap();
    assert!(
        text.starts_with("1\n2\n3\n") && text.contains("\n1000000\n[stderr]\ndone\n"),
        "{text}"
    );
    assert!(text.len() <= 64_000, "{}", text.len());
    let (head, rest) = text.split_once("\n[").unwrap();
    let (omitted, rest) = rest.split_once(" bytes left out]\n").unwrap();
    let (tail, _) = rest.split_once("[stderr]").unwrap();
    // `head` lost its line break to the row.
    let shown = head.len() + 1 + tail.len();
    let omitted: usize = omitted.parse().unwrap();
    assert!((6_888_896..=6_888_897).contains(&(shown + omitted)), "{}", shown + omitted);
    let (_, path) = text.split_once("[all of stdout is in ").unwrap();
    let path = path.trim_end().trim_end_matches(']');
    assert_eq!(std::fs::metadata(path).unwrap().len(), 6_888_896);
}

#[tokio::test]
async fn too_many_jobs_are_refused_and_run_nothing() {
    let mut config = Config::default();
    config.jobs.max_unfinished = 2;
    let workspace = Workspace::with(&[], &config);
    for _ in 0..2 {
        started(&workspace, "sleep 100").await;
    }
    let (code, message) = workspace.failure("bash", start("touch made")).await;
    assert_eq!(code, "JOB_LIMIT");
    assert!(message.starts_with("2 jobs are unfinished already"), "{message}");
    assert!(!workspace.dir.path().join("made").exists());
    workspace.value("job_kill", of("bash-1")).await;
    workspace.value("job_output", wait_for("bash-1")).await;
    assert_eq!(started(&workspace, "true").await, "bash-3");
}

#[tokio::test]
async fn jobs_of_others_are_not_there() {
    let workspace = Workspace::new(&[]);
    let id = started(&workspace, "sleep 100").await;
    let env = Arc::new(CallEnv::new(workspace.dir.path()).with_session(SessionId::new("other")));
    let call = |tool: &str, arguments: Value| {
        let request = CallRequest::from_text(tool, &arguments.to_string());
        workspace.registry.dispatch(request.with_env(Arc::clone(&env)))
    };
    for (tool, arguments) in [
        ("job_output", of(&id)),
        ("job_output", wait_for(&id)),
        ("job_kill", of(&id)),
        ("job_kill", of("bash-\n7")),
    ] {
        let outcome = call(tool, arguments).await;
        let failure = outcome.error().unwrap();
        assert_eq!(failure.code(), Some("JOB_NOT_FOUND"), "{tool}");
        assert!(!failure.message().contains('\n'), "{}", failure.message());
    }
    assert_eq!(call("job_list", json!({})).await.value().unwrap().json().to_value(), json!([]));
    assert_eq!(workspace.text("job_list", json!({})).await, "bash-1 running: sleep 100");
}

#[tokio::test]
async fn cancelling_a_wait_leaves_the_job() {
    let workspace = Workspace::new(&[]);
    let id = started(&workspace, "sleep 100").await;
    let source = CancelSource::new();
    let request = CallRequest::from_text("job_output", &wait_for(&id).to_string())
        .with_env(Arc::new(CallEnv::new(workspace.dir.path())))
        .with_cancel(source.signal());
    let (outcome, ()) = tokio::join!(workspace.registry.dispatch(request), async {
        tokio::task::yield_now().await;
        source.cancel();
    });
    assert_eq!(outcome.error().unwrap().code(), Some("ABORTED"));
    assert_eq!(workspace.value("job_list", json!({})).await[0]["status"], "running");
}

/// The registry over a service that the test holds too, as a host does.
fn shared(caps: JobsCaps) -> (Registry, Arc<JobService>) {
    let jobs = Arc::new(JobService::new(caps).unwrap());
    let seams = Seams { jobs: Some(Arc::clone(&jobs) as Arc<dyn Jobs>), ..Seams::default() };
    let registry = Registry::new();
    for tool in tools(&Config::default(), &seams).unwrap().into_tools() {
        registry.register_dyn(tool).unwrap().keep();
    }
    (registry, jobs)
}

async fn call(registry: &Registry, tool: &str, arguments: Value) -> Outcome {
    let env = Arc::new(CallEnv::new(std::env::temp_dir()));
    registry.dispatch(CallRequest::from_text(tool, &arguments.to_string()).with_env(env)).await
}

#[tokio::test]
async fn a_host_is_told_once_of_the_ends_it_did_not_see() {
    let (registry, jobs) = shared(JobsCaps::default());
    let me = JobOwner::default();
    call(&registry, "bash", start("exit 2")).await;
    call(&registry, "bash", start("sleep 100")).await;
    jobs.noticed(&me).await;
    let notice = jobs.take_notice(&me).unwrap();
    assert_eq!(
        notice.text,
        "A background job has ended:\nbash-1 completed, exit code 2: exit 2\n\
         Get its output with job_output and its id."
    );
    assert!(jobs.take_notice(&me).is_none());
    call(&registry, "job_kill", of("bash-2")).await;
    call(&registry, "job_output", wait_for("bash-2")).await;
    assert!(jobs.take_notice(&me).is_none());
    jobs.end(&me).await;
    assert!(jobs.list(&me).is_empty());
}

#[tokio::test]
async fn a_host_that_ends_with_the_call_says_so() {
    let config = Config { host_life: HostLife::OneCall, ..Config::default() };
    let workspace = Workspace::with(&[], &config);
    let text = workspace.text("bash", start("sleep 100")).await;
    assert_eq!(
        text,
        "Started background job bash-1, which ended with this call: nothing here outlives one. \
         Run the command without run_in_background."
    );
}

#[tokio::test]
async fn starting_and_ending_in_the_background_does_not_hold_the_call() {
    let workspace = Workspace::new(&[]);
    let begun = Instant::now();
    started(&workspace, "sleep 100").await;
    assert!(begun.elapsed() < Duration::from_secs(2));
    let dropped = Instant::now();
    drop(workspace);
    assert!(dropped.elapsed() < Duration::from_secs(1), "ending goes on by itself");
}
