//! `tenon trust`: show what a folder's configuration would run or widen, and accept it.

use std::collections::HashSet;
use std::io::{BufRead as _, IsTerminal as _, Write as _, stderr, stdin, stdout};
use std::path::Path;

use crate::cli::{self, Common};
use crate::config::{Asked, Trust, WORKSPACE_FILE, asks, state_root};
use crate::exit::{Exit, Stop, one_row, written};
use crate::setup;

/// Trusts a folder as its files are now, or takes that back.
pub(crate) fn run(trust: &cli::Trust, common: &Common) -> Result<Exit, Stop> {
    let root = match &trust.folder {
        Some(folder) => setup::folder("", Some(folder))?,
        None => setup::root(common)?,
    };
    let record = Trust::at(&state_root()?);
    if trust.revoke {
        return revoke(&root, &record);
    }
    let Some(asked) = asks(&root)? else {
        let (folder, was) = (root.display(), record.of(&root)?.is_some());
        let more =
            if was { "; `tenon trust --revoke` goes on without what was trusted" } else { "" };
        return Err(Stop::usage(format!(
            "{folder} has no {WORKSPACE_FILE}; there is nothing to trust{more}"
        )));
    };
    accept(&root, &record, &asked, trust.yes)
}

/// Shows what is asked for before anything is accepted. What is shown is what is accepted: the digest is of
/// the bytes that were read for showing.
fn accept(root: &Path, record: &Trust, asked: &Asked, yes: bool) -> Result<Exit, Stop> {
    let Some(withheld) = &asked.withheld else {
        say(["The configuration asks for nothing that needs trust."])?;
        if record.of(root)?.is_none_or(|was| was == asked.digest) {
            return Ok(Exit::Success);
        }
        // What was accepted is gone, with whatever it guarded.
        say(["What was trusted here before is no longer asked for."])?;
        return agreed(yes, || record.accept(root, &asked.digest));
    };
    let commands =
        asked.commands.iter().map(|(event, command)| format!("run `{command}` at {event}"));
    let what = withheld.what.iter().cloned().chain(commands).map(|what| format!("  {what}"));
    let head = format!("{} asks to:", withheld.path.display());
    let mut seen = HashSet::new();
    let what = what.filter(|row| seen.insert(row.clone()));
    say(std::iter::once(head).chain(what))?;
    agreed(yes, || record.accept(root, &asked.digest))
}

/// Accepts what was shown, if the user does.
fn agreed(yes: bool, accept: impl FnOnce() -> Result<(), Stop>) -> Result<Exit, Stop> {
    if !(yes || confirmed()?) {
        say(["Not trusted."])?;
        return Ok(Exit::Failed);
    }
    accept()?;
    say(["Trusted, until these files change."])?;
    Ok(Exit::Success)
}

/// Asks whoever sits there. Nobody there has accepted nothing.
fn confirmed() -> Result<bool, Stop> {
    if !stdin().is_terminal() {
        return Err(Stop::usage(
            "nobody to ask here: to accept the above, use `tenon trust --yes`",
        ));
    }
    // Nobody to ask when stderr is gone; then nothing is read as an answer either.
    let _ = write!(stderr(), "Trust this? [y/N] ");
    let mut line = String::new();
    let read = stdin().lock().read_line(&mut line);
    read.map_err(|error| Stop::internal(format!("the answer cannot be read: {error}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

fn revoke(root: &Path, record: &Trust) -> Result<Exit, Stop> {
    let was = record.revoke(root)?;
    say([if was { "No longer trusted." } else { "This folder was not trusted." }])?;
    Ok(Exit::Success)
}

fn say<S: AsRef<str>>(lines: impl IntoIterator<Item = S>) -> Result<(), Stop> {
    let mut out = stdout().lock();
    let mut lines = lines.into_iter();
    written(lines.try_for_each(|line| writeln!(out, "{}", one_row(line.as_ref()))))
}
