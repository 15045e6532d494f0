//! Many writers and one file; a folder that changes under a writer's feet.
//!
//! `TENON_SOAK_SECONDS` makes them race longer than the two seconds of the suite.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use contract_registry::{CallEnv, Outcome, Services};
use rustix::fs::{CWD, RenameFlags};
use serde_json::{Value, json};
use tools_firstparty::Observations;

use crate::child::{self, tell};
use crate::support::{Workspace, names};

/// Writers and editors in one process.
const THREADS: usize = 8;

fn duration() -> Duration {
    let seconds = std::env::var("TENON_SOAK_SECONDS").ok();
    Duration::from_secs(seconds.map_or(2, |seconds| seconds.parse().unwrap()))
}

/// A file that counts, with enough around that a torn one would show.
fn counting(count: u64) -> String {
    format!("{}count: {count}\n{}", "above\n".repeat(500), "below\n".repeat(500))
}

fn count(text: &str) -> u64 {
    let (_, rest) = text.split_once("count: ").unwrap();
    let (digits, _) = rest.split_once('\n').unwrap();
    let count = digits.parse().unwrap();
    assert!(text == counting(count), "a torn file");
    count
}

#[test]
fn writers_and_editors_in_one_process_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), counting(0)).unwrap();
    let (edited, written) = contend(dir.path(), THREADS);
    println!("{} edits, {} writes", edited.len(), written.len());
    assert!(!edited.is_empty() && !written.is_empty());
    check(dir.path(), [edited, written].concat());
}

#[test]
fn writers_and_editors_in_three_processes_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), counting(0)).unwrap();
    let parts: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let run = |_| scope.spawn(|| child::told(&mut child::command("contend", dir.path())));
        let runs: Vec<_> = (0..3).map(run).collect();
        let parse = |line: String| line.parse().unwrap();
        runs.into_iter().map(|run| run.join().unwrap().into_iter().map(parse).collect()).collect()
    });
    println!("{:?} changes", parts.iter().map(Vec::len).collect::<Vec<_>>());
    assert!(parts.iter().all(|part| !part.is_empty()));
    check(dir.path(), parts.concat());
}

/// Every success made one step, no step was made twice, and the file has them all: one order explains it.
fn check(folder: &Path, mut steps: Vec<u64>) {
    steps.sort_unstable();
    let all: Vec<u64> = (0..u64::try_from(steps.len()).unwrap()).collect();
    assert!(steps == all, "{} successes are not one chain", steps.len());
    let end = count(&fs::read_to_string(folder.join("f")).unwrap());
    assert_eq!(end, u64::try_from(steps.len()).unwrap());
    assert_eq!(names(folder), ["f"]);
}

/// Counts on for a while from several threads; gives what each successful edit and write counted from.
fn contend(folder: &Path, threads: usize) -> (Vec<u64>, Vec<u64>) {
    let workspace = Workspace::new(&[]);
    let until = Instant::now() + duration();
    let steps: Vec<(bool, Vec<u64>)> = std::thread::scope(|scope| {
        let run = |number| {
            let workspace = &workspace;
            scope.spawn(move || {
                let is_editor = number % 2 == 0;
                let mut racer = Racer::new(workspace, folder, is_editor);
                let mut steps = Vec::new();
                while Instant::now() < until {
                    steps.extend(if is_editor { racer.edit() } else { racer.write() });
                }
                (is_editor, steps)
            })
        };
        let runs: Vec<_> = (0..threads).map(run).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let of = |wanted| {
        steps.iter().filter(|(is, _)| *is == wanted).flat_map(|(_, steps)| steps.clone()).collect()
    };
    (of(true), of(false))
}

/// One session that counts on.
struct Racer<'w> {
    workspace: &'w Workspace,
    env: CallEnv,
    folder: PathBuf,
    runtime: tokio::runtime::Runtime,
}

impl<'w> Racer<'w> {
    /// An editor relies on its match alone; a writer on what it has seen.
    fn new(workspace: &'w Workspace, folder: &Path, is_editor: bool) -> Self {
        let env = CallEnv::new(folder);
        let seen = Services::default().with(Observations::default());
        Self {
            workspace,
            env: if is_editor { env } else { env.with_services(seen) },
            folder: folder.to_owned(),
            runtime: tokio::runtime::Builder::new_current_thread().build().unwrap(),
        }
    }

    fn call(&self, tool: &str, arguments: &Value) -> Outcome {
        self.runtime.block_on(self.workspace.call_in(self.env.clone(), tool, arguments))
    }

    fn edit(&mut self) -> Option<u64> {
        let from = count(&fs::read_to_string(self.folder.join("f")).unwrap());
        let (old, new) = (format!("count: {from}\n"), format!("count: {}\n", from + 1));
        let arguments = json!({ "file_path": "f", "old_string": old, "new_string": new });
        step(&self.call("edit", &arguments), from, &["FS_EDIT_NOT_FOUND"])
    }

    fn write(&mut self) -> Option<u64> {
        let arguments = json!({ "file_path": "f", "offset": 501, "limit": 1 });
        let read = self.call("read", &arguments);
        let value = read.value().unwrap().json().to_value();
        let line = value["lines"][0]["text"].as_str().unwrap();
        let from = line.strip_prefix("count: ").unwrap().parse().unwrap();
        let arguments = json!({ "file_path": "f", "content": counting(from + 1) });
        step(&self.call("write", &arguments), from, &["FS_STALE_VERSION"])
    }
}

/// The step a success made; a failure is one of those expected.
fn step(outcome: &Outcome, from: u64, expected: &[&str]) -> Option<u64> {
    let Some(value) = outcome.value() else {
        let error = outcome.error().unwrap();
        assert!(expected.contains(&error.code().unwrap()), "{}", error.message());
        return None;
    };
    let value = value.json().to_value();
    let text = |key: &str| count(value[key].as_str().unwrap());
    assert_eq!((text("before"), text("after")), (from, from + 1));
    Some(from)
}

pub(crate) fn contend_and_tell(folder: &Path) {
    let (edited, written) = contend(folder, 3);
    for from in edited.into_iter().chain(written) {
        tell(&from.to_string());
    }
}

#[test]
fn a_folder_swapped_for_a_link_leads_nowhere_else() {
    let base = tempfile::tempdir().unwrap();
    for folder in ["root/d/deep", "outside/deep", "temp"] {
        fs::create_dir_all(base.path().join(folder)).unwrap();
    }
    fs::write(base.path().join("outside/f"), "theirs").unwrap();
    fs::write(base.path().join("outside/deep/f"), "theirs").unwrap();
    std::os::unix::fs::symlink(base.path().join("outside"), base.path().join("root/l")).unwrap();
    let temp = base.path().join("temp");
    let told = child::told(child::command("swap", base.path()).env("TMPDIR", temp));
    println!("{told:?}");
    assert_eq!(names(&base.path().join("outside")), ["deep", "f"]);
    assert_eq!(names(&base.path().join("outside/deep")), ["f"]);
    for file in ["outside/f", "outside/deep/f"] {
        assert_eq!(fs::read(base.path().join(file)).unwrap(), b"theirs");
    }
}

/// Writes and edits below a name that is a folder and a link outside in turn; tells how it went.
pub(crate) fn write_into_swapped(base: &Path) {
    let root = base.join("root");
    let workspace = Workspace::new(&[]);
    let env = CallEnv::new(&root);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (is_over, until) = (AtomicBool::new(false), Instant::now() + duration());
    let (mut done, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let (folder, link) = (root.join("d"), root.join("l"));
                let swap = RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(CWD, folder, CWD, link, swap).unwrap();
            }
        });
        for number in 0.. {
            if Instant::now() >= until {
                break;
            }
            let path = ["d/f", "d/deep/f", "d/new/f", "d/new/deep/../f"][number % 4];
            let arguments = json!({ "file_path": path, "content": "ours" });
            let outcome = runtime.block_on(workspace.call_in(env.clone(), "write", &arguments));
            let edit = json!({ "file_path": path, "old_string": "theirs", "new_string": "x" });
            let edited = runtime.block_on(workspace.call_in(env.clone(), "edit", &edit));
            assert!(edited.value().is_none());
            match outcome.error().map(|error| error.code().unwrap().to_owned()).as_deref() {
                None => done += 1,
                Some("FS_SANDBOX_DENIED" | "FS_STALE_VERSION" | "FS_NOT_FOUND") => refused += 1,
                Some(other) => panic!("{other}: {}", outcome.error().unwrap().message()),
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused");
    tell(&format!("{done} done, {refused} refused"));
}
