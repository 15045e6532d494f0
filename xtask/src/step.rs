//! One step of a command: say what runs, run it, say how long it took.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The repository's root folder.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// The folder of build output: `CARGO_TARGET_DIR` when set, else `target`.
pub(crate) fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(named.unwrap_or_else(|| PathBuf::from("target")))
}

/// A cargo command that starts in the repository's root.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(arguments);
    command
}

/// Runs a command whose output goes where ours goes; a status other than 0 is an error.
pub(crate) fn spawn(command: &mut Command) -> Result<()> {
    let name = shown(command);
    let status = command.status().with_context(|| format!("`{name}` did not start"))?;
    if !status.success() {
        bail!("`{name}` failed: {status}");
    }
    Ok(())
}

/// Runs a command and returns what it wrote to standard output.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let name = shown(command);
    let output = command.output().with_context(|| format!("`{name}` did not start"))?;
    if !output.status.success() {
        bail!("`{name}` failed: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{name}` wrote no UTF-8"))
}

/// Runs `work` under a title and prints how it ended and how long it took.
pub(crate) fn report(title: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("==> {title}");
    let start = Instant::now();
    let result = work();
    let word = if result.is_ok() { "done" } else { "FAILED" };
    println!("<== {title}: {word} in {}", seconds(start.elapsed()));
    result
}

/// Runs a command as a titled step.
pub(crate) fn run(title: &str, command: &mut Command) -> Result<()> {
    report(title, || {
        println!("    {}", shown(command));
        spawn(command)
    })
}

/// A duration as seconds with one decimal.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let mut text = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}
