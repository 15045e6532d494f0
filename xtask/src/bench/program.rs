//! The built program as a whole process: how fast it starts, and its search beside ripgrep's.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::bench::tree;
use crate::step::{cargo, spawn, target};

/// How many times each side runs; the sides take turns, and the median counts.
const ROUNDS: usize = 11;

/// Listing the tools may take this much longer than printing the version.
const STARTUP_BAR: Duration = Duration::from_millis(10);

/// A search may take this many times as long as ripgrep's.
const GREP_BAR: f64 = 1.1;

/// What `tenon tools` costs over `tenon --version`.
pub(crate) fn startup() -> Result<()> {
    let program = build()?;
    let mut version = Command::new(&program);
    version.arg("--version");
    let mut tools = Command::new(&program);
    tools.arg("tools");
    let [version, tools] = medians([&mut version, &mut tools])?;
    let extra = tools.saturating_sub(version);
    println!("    tenon --version    {}", ms(version));
    println!("    tenon tools        {}", ms(tools));
    println!(
        "    difference         {} (bar {}) {}",
        ms(extra),
        ms(STARTUP_BAR),
        verdict(extra <= STARTUP_BAR)
    );
    Ok(())
}

/// `tenon call grep` beside `rg -j2` on a made tree, for the same hits.
pub(crate) fn grep() -> Result<()> {
    let program = build()?;
    let root = tree::make()?;
    println!("    {} files in {}", tree::FILES, root.display());
    for (name, pattern) in tree::PATTERNS {
        let mut ripgrep = Command::new("rg");
        ripgrep.args(["-n", "-j2", "--no-heading", "--color=never", pattern, "."]);
        ripgrep.current_dir(&root);
        let arguments = serde_json::json!({ "pattern": pattern }).to_string();
        let mut ours = Command::new(&program);
        ours.args(["call", "grep", &arguments, "--root"]).arg(&root);
        let hits = hits(&mut ripgrep, &program, &arguments, &root)?;
        let [theirs, own] = medians([&mut ripgrep, &mut ours])?;
        let ratio = own.as_secs_f64() / theirs.as_secs_f64();
        let memory = peak(&mut ours)?.map_or(String::new(), |kib| format!(", peak {kib} KiB"));
        println!(
            "    {name:<12} {hits:>7} hits   rg {}   tenon {}   ratio {ratio:.2} (bar {GREP_BAR}) {}{memory}",
            ms(theirs),
            ms(own),
            verdict(ratio <= GREP_BAR),
        );
    }
    Ok(())
}

fn build() -> Result<PathBuf> {
    spawn(&mut cargo(&["build", "--release", "--locked", "--package", "tenon"]))?;
    Ok(target().join("release").join("tenon"))
}

/// The number of hits, which both programs must agree on.
fn hits(rg: &mut Command, program: &PathBuf, arguments: &str, root: &PathBuf) -> Result<usize> {
    let theirs = output(rg)?.stdout.iter().filter(|&&byte| byte == b'\n').count();
    let mut ours = Command::new(program);
    ours.args(["call", "grep", arguments, "--format", "value", "--root"]).arg(root);
    let value: Value = serde_json::from_slice(&output(&mut ours)?.stdout)?;
    let own = value["matches"].as_array().context("the value has no matches")?.len();
    if own != theirs {
        bail!("rg finds {theirs} lines, tenon {own}");
    }
    Ok(own)
}

/// Median times of two commands that take turns, after one warming run each.
fn medians(mut commands: [&mut Command; 2]) -> Result<[Duration; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..=ROUNDS {
        for (command, times) in commands.iter_mut().zip(&mut times) {
            let start = Instant::now();
            output(command)?;
            if round > 0 {
                times.push(start.elapsed());
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    }))
}

/// Runs to the end; a status over 1 is an error (ripgrep says 1 for no hit).
fn output(command: &mut Command) -> Result<Output> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{program} did not start"))?;
    if output.status.code().is_none_or(|code| code > 1) {
        bail!("{program}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(output)
}

/// The most memory the command held, in KiB, where the system says.
fn peak(command: &mut Command) -> Result<Option<u64>> {
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = None;
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let seen = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        most = most.max(seen);
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(most)
}

fn ms(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "NOT MET" }
}
