//! `tenon trust`: accept what a folder's configuration would run or widen.

use std::io::{Write as _, stdout};
use std::path::Path;

use crate::config::{Trust, WORKSPACE_FILE, asks, state_root};
use crate::exit::{Exit, Stop, plain, written};

/// Trusts a folder as its files are now, and says what that puts into effect.
pub(crate) fn run(root: &Path) -> Result<Exit, Stop> {
    let Some(asked) = asks(root)? else {
        let folder = root.display();
        return Err(Stop::usage(format!(
            "{folder} has no {WORKSPACE_FILE}; there is nothing to trust"
        )));
    };
    Trust::at(&state_root()?).accept(root, &asked.digest)?;
    let mut out = stdout().lock();
    let mut say = |line: &str| writeln!(out, "{}", plain(line));
    let commands = asked.commands.iter().map(|command| format!("run `{command}`"));
    let said = match asked.withheld {
        None => say("Trusted. The configuration asks for nothing that needs it."),
        Some(withheld) => {
            say("Trusted, until these files change. From now on it may:").and_then(|()| {
                let mut lines = withheld.what.into_iter().chain(commands);
                lines.try_for_each(|what| say(&format!("  {what}")))
            })
        }
    };
    written(said)?;
    Ok(Exit::Success)
}
