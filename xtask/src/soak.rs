//! `cargo xtask soak`: tests whose length is a matter of patience, run for longer than the suite does.

use anyhow::{Context, Result};

use crate::step::{cargo, report, spawn};

/// How long each of them runs without a word on it, in seconds.
const SECONDS: &str = "10";

/// Tests that run for as long as `TENON_SOAK_SECONDS` says: package, and the start of their names.
const TESTS: &[(&str, &str)] = &[("tools-firstparty", "race::")];

/// Runs them one after the other, for this many seconds each.
pub(crate) fn run(seconds: Option<&str>) -> Result<()> {
    let seconds = seconds.unwrap_or(SECONDS);
    seconds.parse::<u32>().with_context(|| format!("`{seconds}` is no number of seconds"))?;
    for (package, tests) in TESTS {
        let words = ["test", "--locked", "--package", package, "--test", "main", "--", tests];
        let title = format!("{package} {tests} for {seconds} s each");
        report(&title, || spawn(cargo(&words).env("TENON_SOAK_SECONDS", seconds)))?;
    }
    Ok(())
}
