//! Configuration: `tenon.toml` of the workspace over the user's `config.toml` over defaults.
//!
//! A workspace's file comes with the folder, so it can tighten and set limits but neither run a command nor
//! widen a permission before the folder is trusted (decisions DH3).

mod file;
mod load;
mod trust;

pub(crate) use file::{HookFile, HookFormat, NamedRule};
pub(crate) use load::{Asked, Config, Withheld, asks, load};
pub(crate) use trust::Trust;

use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::exit::Stop;

/// Name of a workspace's file.
pub(crate) const WORKSPACE_FILE: &str = "tenon.toml";

/// The user's file: `$XDG_CONFIG_HOME/tenon/config.toml`, else under `~/.config`.
pub(crate) fn user_file() -> Option<PathBuf> {
    home("XDG_CONFIG_HOME", ".config").map(|base| base.join("tenon/config.toml"))
}

/// Where sessions, spilled results and trust are kept: `$XDG_STATE_HOME/tenon`, else under
/// `~/.local/state`.
pub(crate) fn state_root() -> Result<PathBuf, Stop> {
    home("XDG_STATE_HOME", ".local/state").map(|base| base.join("tenon")).ok_or_else(|| {
        Stop::usage("there is no place for state: set HOME or XDG_STATE_HOME to an absolute path")
    })
}

/// An absolute base directory, by the rules of the XDG specification: relative ones do not count.
fn home(variable: &str, under_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from)?;
        path.is_absolute().then_some(path)
    };
    absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(under_home)))
}

/// Largest configuration or hook file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Reads a file that may not be there. A link that leads nowhere is not absence: what it was to say is lost.
fn read_if_there(path: &Path) -> Result<Option<String>, Stop> {
    let absent = [ErrorKind::NotFound, ErrorKind::NotADirectory];
    if std::fs::symlink_metadata(path).is_err_and(|error| absent.contains(&error.kind())) {
        return Ok(None);
    }
    String::from_utf8(read_bounded(path)?)
        .map(Some)
        .map_err(|_| Stop::usage(format!("{}: not UTF-8", path.display())))
}

/// Reads a regular file up to a limit: a pipe or a device in a folder from elsewhere must not be waited for.
fn read_bounded(path: &Path) -> Result<Vec<u8>, Stop> {
    let refuse = |why: &dyn std::fmt::Display| Stop::usage(format!("{}: {why}", path.display()));
    let metadata = std::fs::metadata(path).map_err(|error| refuse(&error))?;
    if !metadata.is_file() {
        return Err(refuse(&"not a regular file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| refuse(&error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(refuse(&format!("larger than {MAX_FILE_BYTES} bytes")));
    }
    Ok(bytes)
}
