//! `grep` through the registry beside `rg -j2`, for the same hits in a made tree of 40,000 files; and what
//! a search that runs into its budget costs. Run with `cargo bench -p tools-firstparty`.
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a benchmark prints, or stops")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract_registry::{CallEnv, CallRequest, Registry};
use tools_firstparty::{Config, Seams, tools};

const FILES: usize = 40_000;
const FOLDERS: usize = 800;
const ROUNDS: usize = 9;

/// Patterns with few hits, many hits, none, and none of the shortcuts that literals allow.
const PATTERNS: [&str; 4] = ["needle_1", r"\bself\.", "absent", r"(?i)FN \w+_async"];

fn main() -> io::Result<()> {
    let root = tree()?;
    let registry = registry(&Config::default());
    println!("{FILES} files, median of {ROUNDS}; rg as a process, grep in this one");
    for pattern in PATTERNS {
        let hits = call(&registry, &root, pattern);
        let own = median(|| assert_eq!(call(&registry, &root, pattern), hits));
        let Some(lines) = rg(&root, pattern) else {
            println!("{pattern:20} {hits:>8} hits {own:>9.1?}   (no rg here)");
            continue;
        };
        assert_eq!(hits, lines, "{pattern}: as many hits as rg");
        let rg = median(|| assert_eq!(rg(&root, pattern), Some(lines)));
        let ratio = own.as_secs_f64() / rg.as_secs_f64();
        println!("{pattern:20} {hits:>8} hits {own:>9.1?}   rg {rg:>9.1?}   ratio {ratio:.2}");
    }
    let mut config = Config::default();
    config.grep.search.value_max_bytes = 1_000_000;
    let small = crate::registry(&config);
    let hits = call(&small, &root, r"\bself\.");
    let own = median(|| assert_eq!(call(&small, &root, r"\bself\."), hits));
    println!("budget of 1 MB       {hits:>8} hits {own:>9.1?}");
    Ok(())
}

fn registry(config: &Config) -> Registry {
    let registry = Registry::new();
    let list = tools(config, &Seams::default()).expect("valid limits");
    for tool in list.into_tools() {
        registry.register_dyn(tool).expect("a new name").keep();
    }
    registry
}

/// One direct call of `grep`; gives the number of matches.
fn call(registry: &Registry, root: &Path, pattern: &str) -> usize {
    let arguments = serde_json::json!({ "pattern": pattern }).to_string();
    let request = CallRequest::from_text("grep", &arguments);
    let request = request.with_env(Arc::new(CallEnv::new(root)));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let outcome = runtime.block_on(registry.dispatch(request));
    let value = outcome.value().expect("a success").root();
    value.get("matches").map_or(0, |matches| matches.len())
}

/// Lines that rg prints; `None` when it is not installed.
fn rg(root: &Path, pattern: &str) -> Option<usize> {
    let mut command = Command::new("rg");
    command.args(["-j2", "-n", "--hidden", "--no-require-git", "--no-heading", pattern]);
    let output = command.arg(root).stderr(Stdio::null()).output().ok()?;
    Some(output.stdout.iter().filter(|byte| **byte == b'\n').count())
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

/// The tree, made once; the same on every machine.
fn tree() -> io::Result<PathBuf> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("search-bench");
    let done = root.join("done");
    if done.is_file() {
        return Ok(root);
    }
    for folder in 0..FOLDERS {
        let path = root.join(format!("part{}/module{folder}", folder % 20));
        fs::create_dir_all(&path)?;
        for file in 0..FILES / FOLDERS {
            let number = folder * (FILES / FOLDERS) + file;
            // The mark of a finished tree is its last file.
            let name =
                if number + 1 == FILES { done.clone() } else { path.join(format!("f{file}.rs")) };
            fs::write(name, content(number))?;
        }
    }
    Ok(root)
}

/// Some 60 to 400 lines of made source.
fn content(number: usize) -> String {
    let mut state = number as u64 * 2 + 1;
    let mut next = |limit: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut text = String::new();
    for line in 0..60 + next(340) {
        text.push_str(match next(40) {
            0 => "        self.state.push(value);",
            1 => "    pub fn read_async(&mut self) -> Result<(), Error> {",
            2..=9 => "    }",
            10..=14 => "",
            15..=24 => "        let buffer = Vec::with_capacity(limit.min(4096));",
            _ => "        match source.next() { Some(item) => item, None => return Ok(()) }",
        });
        if line == 30 && number.is_multiple_of(97) {
            text.push_str(" // needle_1");
        }
        text.push('\n');
    }
    text
}
