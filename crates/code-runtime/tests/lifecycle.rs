//! Nothing is left behind, however a run ends.

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use code_runtime::{Config, Ended, Limits, NoHost, Program, Rules, Runtime, Worker};

use crate::support::{Tools, alone, config, descendants, program, run_on, runtime, settle};

fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

#[test]
fn a_dropped_run_ends_its_worker() {
    let _alone = alone();
    let runtime = runtime(Limits::default());
    let run = runtime.run(program("await tools.never(1)"), &Tools);
    let out =
        tokio().block_on(async { tokio::time::timeout(Duration::from_millis(50), run).await });
    assert!(out.is_err());
    settle(&runtime);
    drop(runtime);
    assert_eq!(descendants(), Vec::<i32>::new());
}

#[test]
fn a_dropped_runtime_ends_all_its_workers() {
    let _alone = alone();
    let runtime = runtime(Limits::default());
    let run = runtime.run(program("for (;;) ;"), &Tools);
    drop(runtime);
    assert_eq!(descendants(), Vec::<i32>::new());
    let outcome = tokio().block_on(run);
    assert_eq!(outcome.ended, Ended::Stopped);
}

#[test]
fn a_stopped_run_keeps_its_logs_and_calls() {
    let _alone = alone();
    let runtime = runtime(Limits::default());
    let run = runtime.run(program("console.log('a'); await tools.never(1)"), &Tools);
    let stopper = run.stopper();
    let outcome = tokio().block_on(async {
        let mut run = std::pin::pin!(run);
        let soon = tokio::time::timeout(Duration::from_millis(300), run.as_mut()).await;
        assert!(soon.is_err());
        stopper.stop();
        run.await
    });
    assert_eq!(outcome.ended, Ended::Stopped);
    assert_eq!(outcome.logs, ["a"]);
    assert_eq!(outcome.calls.len(), 1);
    settle(&runtime);
}

#[test]
fn a_run_that_is_not_polled_ends_at_its_wall() {
    let _alone = alone();
    let runtime = runtime(Limits { wall_ms: 1_500, ..Limits::default() });
    let mut run = std::pin::pin!(runtime.run(program("for (;;) ;"), &Tools));
    // Until a worker has the program: where none was ready, it is started first, and given it by a later look.
    let looked = Instant::now() + Duration::from_millis(1_000);
    while Instant::now() < looked {
        let look = tokio().block_on(async { futures_util::poll!(run.as_mut()) });
        assert!(look.is_pending());
        std::thread::sleep(Duration::from_millis(5));
    }
    let patience = Instant::now() + Duration::from_secs(20);
    while !descendants().is_empty() && Instant::now() < patience {
        std::thread::yield_now();
        settle(&runtime);
        if descendants().len() == runtime.workers() && runtime.workers() == 1 {
            break;
        }
    }
    let outcome = tokio().block_on(run);
    assert!(
        matches!(&outcome.ended, Ended::Limit(hit) if hit.limit.name() == "wall"),
        "{outcome:?}"
    );
}

#[test]
fn many_runs_at_once() {
    let _alone = alone();
    let runtime = runtime(Limits::default());
    let tokio = tokio();
    let outcomes = tokio.block_on(async {
        let runs = (0..20).map(|number| {
            runtime.run(program(&format!("return await tools.later({number})")), &Tools)
        });
        futures_util::future::join_all(runs).await
    });
    let results: Vec<String> =
        outcomes.iter().map(|outcome| outcome.result().unwrap().to_string()).collect();
    assert_eq!(results, (0..20).map(|number| number.to_string()).collect::<Vec<_>>());
    settle(&runtime);
    drop(runtime);
    assert_eq!(descendants(), Vec::<i32>::new());
}

#[test]
fn a_worker_is_confined_and_says_so() {
    let _alone = alone();
    let runtime = runtime(Limits::default());
    let outcome = run_on(&runtime, Program::new("return 1"), &NoHost);
    let confinement = outcome.confinement.unwrap();
    assert!(confinement.process && confinement.calls && confinement.bounds, "{confinement}");
    if std::fs::read_to_string("/sys/kernel/security/lsm")
        .is_ok_and(|list| list.contains("landlock"))
    {
        assert_ne!(confinement.rules, Rules::None);
        assert!(confinement.is_full(), "{confinement}");
    }
}

#[test]
fn a_worker_has_an_empty_environment_and_one_socket() {
    let _alone = alone();
    let runtime = runtime(Limits::default());
    let mut run = std::pin::pin!(runtime.run(program("await tools.never(1)"), &Tools));
    tokio().block_on(async {
        let soon = tokio::time::timeout(Duration::from_millis(300), run.as_mut()).await;
        assert!(soon.is_err());
    });
    for pid in descendants() {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
        assert_eq!(environment, b"", "{pid}");
        let mut kinds: Vec<String> = std::fs::read_dir(format!("/proc/{pid}/fd"))
            .unwrap()
            .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        kinds.sort();
        kinds.dedup();
        assert_eq!(kinds.len(), 2, "{pid}: {kinds:?}");
        assert_eq!(kinds[0], "/dev/null");
        assert!(kinds[1].starts_with("socket:"), "{kinds:?}");
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        assert!(status.contains("Seccomp:\t2"), "{status}");
        assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    }
}

/// The program of the tests, started anew as a host that is killed: its worker goes with it.
#[test]
fn a_killed_host_leaves_no_worker() {
    let _alone = alone();
    const ROLE: &str = "CODE_RUNTIME_TEST_HOST";
    if std::env::var_os(ROLE).is_some() {
        let runtime = runtime(Limits::default());
        println!("host");
        let outcome = run_on(&runtime, program("for (;;) ;"), &Tools);
        unreachable!("{outcome:?}");
    }
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["lifecycle::a_killed_host_leaves_no_worker", "--exact", "--nocapture"])
        .env(ROLE, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let children = |pid: u32| -> Vec<i32> {
        let all = std::fs::read_dir("/proc").unwrap();
        all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|child: &i32| {
                let stat =
                    std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
                stat.contains("code-worker") && {
                    let rest =
                        stat.rsplit_once(')').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
                    rest.split_whitespace().nth(1) == Some(&pid.to_string())
                }
            })
            .collect()
    };
    let patience = Instant::now() + Duration::from_secs(30);
    let mut workers = Vec::new();
    while workers.is_empty() && Instant::now() < patience {
        workers = children(host.id());
    }
    assert!(!workers.is_empty());
    host.kill().unwrap();
    assert_eq!(host.wait().unwrap().signal(), Some(9));
    let alive = |pid: &i32| {
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| stat.contains("code-worker") && !stat.contains(") Z"))
    };
    while workers.iter().any(alive) {
        assert!(Instant::now() < patience, "{workers:?} live on");
        std::thread::yield_now();
    }
}

#[test]
fn what_is_no_worker_is_told() {
    let _alone = alone();
    for path in ["/bin/true", "/nowhere/at/all"] {
        let config =
            Config { worker: Worker::Path(PathBuf::from(path)), ..config(Limits::default()) };
        let runtime = Runtime::new(config).unwrap();
        let outcome = run_on(&runtime, Program::new("return 1"), &NoHost);
        let Ended::Broken(why) = &outcome.ended else { panic!("{outcome:?}") };
        assert!(why.contains("worker_main") || why.contains("cannot be started"), "{why}");
    }
}

#[test]
fn a_worker_started_by_hand_does_nothing() {
    let _alone = alone();
    let path = env!("CARGO_BIN_EXE_code-worker");
    for arguments in [&[][..], &["--code-runtime-worker"], &["--code-runtime-worker", "1"]] {
        let status = Command::new(path).args(arguments).stdin(Stdio::null()).status().unwrap();
        assert!(!status.success(), "{arguments:?}");
    }
}

#[test]
fn limits_that_cannot_be_kept_are_refused() {
    let _alone = alone();
    let limits = Limits { stack_bytes: 1 << 30, ..Limits::default() };
    let error = Runtime::new(config(limits)).unwrap_err();
    assert_eq!(error.to_string(), "stack_bytes must be from 131072 to 4194304, not 1073741824");
}

#[test]
fn what_nests_too_deeply_to_be_read_ends_its_worker_only() {
    let _alone = alone();
    let runtime = runtime(Limits { source_bytes: 4 << 20, ..Limits::default() });
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("!", ""), ("a=>", ""), ("a?b:", ""), ("`${", "}`")]
    {
        let depth = 600_000 / open.len();
        let source = format!("{}1{}", open.repeat(depth), close.repeat(depth));
        let outcome = run_on(&runtime, Program::new(source), &NoHost);
        let told = match &outcome.ended {
            Ended::Limit(hit) => hit.limit.name(),
            Ended::Refused(_) => "refused",
            Ended::Returned(_)
            | Ended::Threw(_)
            | Ended::Stalled
            | Ended::Stopped
            | Ended::Broken(_) => {
                panic!("{open}: {outcome:?}")
            }
        };
        assert!(["stack", "refused", "heap"].contains(&told), "{open}: {told}");
    }
    let outcome = run_on(&runtime, Program::new("return 1"), &NoHost);
    assert_eq!(outcome.result().unwrap().to_string(), "1");
}

#[test]
fn what_nests_deeply_is_read_on_a_thread_too() {
    let _alone = alone();
    let config = Config { worker: Worker::InProcess, ..config(Limits::default()) };
    let runtime = Runtime::new(config).unwrap();
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("!", ""), ("a=>", ""), ("a?b:", ""), ("`${", "}`")]
    {
        let depth = 120_000 / (open.len() + close.len());
        for lead in ["", "let a: any; "] {
            let source = format!("{lead}{}1{}", open.repeat(depth), close.repeat(depth));
            let outcome = run_on(&runtime, Program::new(source), &NoHost);
            assert!(!matches!(outcome.ended, Ended::Returned(_)), "{open}: {outcome:?}");
        }
    }
    let outcome = run_on(&runtime, Program::new("return 1"), &NoHost);
    assert_eq!(outcome.result().unwrap().to_string(), "1");
}
