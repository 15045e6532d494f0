//! `cargo xtask snapshot`: regenerate, check or review the sheets of the tools.
//!
//! The work is done by the catalogue tests; this command tells them, through the variable the
//! snapshot library knows, what to do with a sheet that differs.

use std::fs;
use std::io::{IsTerminal, Write, stdin, stdout};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::step::{report, root, spawn};
use crate::test::workspace;
use crate::{diff, sheet};

/// Writes every sheet anew.
pub(crate) fn regenerate() -> Result<()> {
    report("snapshot", || spawn(catalogue().env("INSTA_UPDATE", "force")))?;
    remove_pending()?;
    println!(
        "    {} sheets; read the difference before you commit it",
        sheet::files(".snap")?.len()
    );
    Ok(())
}

/// Fails on any byte that differs, on a missing sheet and on one without a tool.
pub(crate) fn check() -> Result<()> {
    spawn(catalogue().env("INSTA_UPDATE", "no")).context(
        "a sheet differs from what its tool produces; `cargo xtask snapshot review` shows how",
    )?;
    let pending = sheet::files(".snap.new")?;
    if !pending.is_empty() {
        bail!("{} sheets await review: cargo xtask snapshot review", pending.len());
    }
    Ok(())
}

/// Shows each changed sheet and asks whether to take it.
pub(crate) fn review() -> Result<()> {
    if !stdin().is_terminal() {
        bail!(
            "snapshot review asks about each change and needs a terminal; \
             without one, use `cargo xtask snapshot` and read `git diff`"
        );
    }
    remove_pending()?;
    // A sheet that differs leaves a pending file; whether the tests then pass does not matter here.
    let mut tests = catalogue();
    tests.env("INSTA_UPDATE", "new").env("INSTA_FORCE_PASS", "1");
    let ended = spawn(&mut tests);
    let pending = sheet::files(".snap.new")?;
    if pending.is_empty() {
        ended.context("the catalogue tests failed for another reason than a changed sheet")?;
    }
    let total = pending.len();
    for (path, number) in pending.iter().zip(1..) {
        println!("\n[{number}/{total}] {}", shown(path));
        if !judge(path)? {
            break;
        }
    }
    println!("{total} changed, {} left to review", sheet::files(".snap.new")?.len());
    Ok(())
}

/// Removes what earlier runs left to be reviewed.
fn remove_pending() -> Result<()> {
    for stale in sheet::files(".snap.new")? {
        fs::remove_file(&stale).with_context(|| shown(&stale))?;
    }
    Ok(())
}

/// The catalogue tests of every crate that has tools.
fn catalogue() -> Command {
    let mut command = workspace(&["test", "--quiet", "--test", "main"]);
    command.args(["--", "catalog::"]).env("RUST_BACKTRACE", "0");
    command
}

/// Shows one change and acts on the answer; false ends the review.
fn judge(pending: &Path) -> Result<bool> {
    let new = fs::read_to_string(pending).with_context(|| shown(pending))?;
    let accepted = pending.with_extension("");
    let old = fs::read_to_string(&accepted).unwrap_or_default();
    print!("{}", diff::lines(body(&old), body(&new)));
    loop {
        print!("accept, reject, skip or quit? [a/r/s/q] ");
        stdout().flush()?;
        let mut answer = String::new();
        if stdin().read_line(&mut answer)? == 0 {
            return Ok(false);
        }
        match answer.trim() {
            "a" => {
                fs::write(&accepted, without_line(&new)).with_context(|| shown(&accepted))?;
                fs::remove_file(pending).with_context(|| shown(pending))?;
            }
            "r" => fs::remove_file(pending).with_context(|| shown(pending))?,
            "s" => {}
            "q" => return Ok(false),
            _ => continue,
        }
        return Ok(true);
    }
}

/// The sheet without the header of the file.
fn body(file: &str) -> &str {
    sheet::split(file).map_or(file, |(_, body)| body)
}

/// A pending file's header names the line of the assertion; an accepted one's does not.
fn without_line(file: &str) -> String {
    let Some((header, body)) = sheet::split(file) else { return file.to_owned() };
    let kept: Vec<&str> = header.lines().filter(|l| !l.starts_with("assertion_line:")).collect();
    format!("---\n{}\n---\n{body}", kept.join("\n"))
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accepted_file_has_no_assertion_line() {
        let pending = "---\nsource: a.rs\nassertion_line: 7\n---\ntool: x\nassertion_line: stays\n";
        let accepted = "---\nsource: a.rs\n---\ntool: x\nassertion_line: stays\n";
        assert_eq!(without_line(pending), accepted);
        assert_eq!(body(accepted), "tool: x\nassertion_line: stays\n");
    }
}
