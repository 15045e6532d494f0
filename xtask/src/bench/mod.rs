//! `cargo xtask bench`: every benchmark of the workspace, and the program measured whole.
//!
//! Absolute times move with the machine; what counts are ratios inside one run, printed with the bar
//! they are held to.

mod program;
mod ratios;
mod tree;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::metadata;
use crate::step::{self, cargo};

/// One measurement: its name and what runs.
type Measurement = (&'static str, fn() -> Result<()>);

/// Measurements of the built program.
const PROGRAM: &[Measurement] = &[("startup", program::startup), ("grep", program::grep)];

/// Runs the benchmarks whose name contains `name`.
pub(crate) fn run(name: &str) -> Result<()> {
    let mut count = 0;
    for member in metadata::members()? {
        for (_, bench) in member.targets.iter().filter(|(kind, _)| kind == "bench") {
            let title = format!("{}/{bench}", member.name);
            if title.contains(name) {
                let words = ["bench", "--locked", "--package", &member.name, "--bench", bench];
                step::report(&title, || with_ratios(&title, &mut cargo(&words)))?;
                count += 1;
            }
        }
    }
    for (title, work) in PROGRAM.iter().filter(|(title, _)| title.contains(name)) {
        step::report(title, work)?;
        count += 1;
    }
    if count == 0 {
        bail!("no benchmark's name contains `{name}`");
    }
    Ok(())
}

/// Runs a benchmark, passing on what it prints, then prints the ratios.
fn with_ratios(title: &str, command: &mut Command) -> Result<()> {
    let mut child = command.stdout(Stdio::piped()).spawn().context("cargo did not start")?;
    let mut output = String::new();
    for line in BufReader::new(child.stdout.take().context("no output")?).lines() {
        let line = line?;
        println!("{line}");
        output.push_str(&line);
        output.push('\n');
    }
    if !child.wait()?.success() {
        bail!("the benchmark failed");
    }
    let ratios = ratios::table(title, &output);
    if !ratios.is_empty() {
        println!("    ratios of medians (of `to_vec` where nothing else is named):\n{ratios}");
    }
    Ok(())
}
