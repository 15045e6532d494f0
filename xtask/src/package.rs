//! `cargo xtask package`: the package of every publishable crate, built from what would be published.
//!
//! One cargo command over all of them: cargo then resolves siblings that no registry has yet through
//! a registry of its own on disk, and builds each package from its packed files.

use anyhow::Result;

use crate::metadata;
use crate::step::{self, cargo, target};

/// Packs and verifies.
pub(crate) fn run() -> Result<()> {
    let mut command = cargo(&["package", "--locked", "--allow-dirty"]);
    // One folder for all packages, apart from the workspace's own output; nobody debugs these builds.
    command.env("CARGO_TARGET_DIR", target().join("package-check"));
    command.env("CARGO_PROFILE_DEV_DEBUG", "false");
    for member in metadata::members()?.iter().filter(|member| member.publishable) {
        command.args(["--package", &member.name]);
    }
    step::run("package", &mut command)
}
