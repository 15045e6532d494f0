//! `cargo xtask test`: everything a change must pass, cheapest first.
//!
//! A failing step does not stop the later ones: one run shows all that is wrong.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::step::{cargo, report, seconds};
use crate::{catalog, layers, rules, snapshot, step, tidy};

/// One step: its title and what it runs.
type Step = (&'static str, fn(&str) -> Result<()>);

const STEPS: &[Step] = &[
    ("format", |title| step::run(title, &mut cargo(&["fmt", "--all", "--check"]))),
    ("layers", |title| report(title, layers::run)),
    ("tidy", |title| report(title, tidy::run)),
    ("rules", |title| report(title, rules::run)),
    ("catalog", |title| report(title, catalog::check)),
    ("clippy", |title| step::run(title, &mut clippy())),
    ("tests", |title| step::run(title, &mut tests())),
    ("doctests", |title| step::run(title, &mut workspace(&["test", "--doc"]))),
    ("docs", |title| step::run(title, &mut docs())),
    ("sheets", |title| report(title, snapshot::check)),
];

/// Runs every step and lists the ones that failed.
pub(crate) fn run() -> Result<()> {
    let start = Instant::now();
    let mut failed = Vec::new();
    for (title, work) in STEPS {
        if let Err(error) = work(title) {
            eprintln!("error: {title}: {error:#}");
            failed.push(*title);
        }
    }
    let time = seconds(start.elapsed());
    if !failed.is_empty() {
        bail!("{} of {} steps failed in {time}: {}", failed.len(), STEPS.len(), failed.join(", "));
    }
    println!("all {} steps passed in {time}", STEPS.len());
    Ok(())
}

/// A cargo command over the whole workspace with every feature: one set of features, so that no
/// step builds a dependency a second time.
pub(crate) fn workspace(words: &[&str]) -> Command {
    let mut command = cargo(words);
    command.args(["--workspace", "--all-features", "--locked"]);
    command
}

fn clippy() -> Command {
    let mut command = workspace(&["clippy", "--all-targets"]);
    command.args(["--", "-D", "warnings"]);
    command
}

fn tests() -> Command {
    if has_nextest() { workspace(&["nextest", "run"]) } else { workspace(&["test", "--tests"]) }
}

fn docs() -> Command {
    let mut command = workspace(&["doc", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

fn has_nextest() -> bool {
    let mut probe = cargo(&["nextest", "--version"]);
    probe.stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}
