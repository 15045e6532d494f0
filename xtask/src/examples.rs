//! `cargo xtask examples`: build and run every package under `examples/`.
//!
//! They stand outside the workspace, each with its own lockfile: that proves that a layer can be used
//! alone.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::step::{self, cargo, root, target};

/// Builds and runs each.
pub(crate) fn run() -> Result<()> {
    let folders = folders()?;
    if folders.is_empty() {
        bail!("no package under examples/");
    }
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut command = cargo(&["run", "--locked"]);
        command.current_dir(&folder).env("CARGO_TARGET_DIR", target().join("examples"));
        step::run(&format!("example {name}"), &mut command)?;
    }
    Ok(())
}

fn folders() -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root().join("examples")).context("examples/")?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    let mut folders: Vec<PathBuf> =
        paths.into_iter().filter(|path| path.join("Cargo.toml").is_file()).collect();
    folders.sort();
    Ok(folders)
}
