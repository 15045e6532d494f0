//! `cargo xtask package`: the package of every publishable crate, built from what would be published.
//!
//! One cargo command over all of them: cargo then resolves siblings that no registry has yet through
//! a registry of its own on disk, and builds each package from its packed files.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::metadata;
use crate::step::{self, cargo, target};

/// Packs and verifies.
pub(crate) fn run() -> Result<()> {
    let mut command = cargo(&["package", "--locked", "--allow-dirty"]);
    // One folder for all packages, apart from the workspace's own output; nobody debugs these builds.
    command.env("CARGO_TARGET_DIR", target().join("package-check"));
    command.env("CARGO_PROFILE_DEV_DEBUG", "false");
    let members = metadata::members()?;
    let names: Vec<_> =
        members.iter().filter(|member| member.publishable).map(|member| &*member.name).collect();
    forget(&names)?;
    for name in names {
        command.args(["--package", name]);
    }
    step::run("package", &mut command)
}

/// Removes what cargo unpacked of our packages in an earlier run. It keeps them by folder, name and version,
/// and would build a sibling from there though its source has changed since.
fn forget(names: &[&str]) -> Result<()> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let Some(sources) = home.map(|home| home.join("registry/src")) else { return Ok(()) };
    let Ok(registries) = fs::read_dir(&sources) else { return Ok(()) };
    for registry in registries {
        let registry = registry?;
        // The registry of a package run has no host, which its folder would be named by.
        if !registry.file_name().to_string_lossy().starts_with('-') {
            continue;
        }
        for package in fs::read_dir(registry.path())? {
            let package = package?;
            let folder = package.file_name().to_string_lossy().into_owned();
            if names.iter().any(|name| is_version_of(&folder, name)) {
                let path = package.path();
                fs::remove_dir_all(&path).with_context(|| path.display().to_string())?;
            }
        }
    }
    Ok(())
}

/// Whether a folder is `NAME-VERSION`.
fn is_version_of(folder: &str, name: &str) -> bool {
    folder
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('-'))
        .is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::is_version_of;

    #[test]
    fn a_folder_of_a_package_is_its_name_and_a_version() {
        assert!(is_version_of("contract-schema-0.1.0", "contract-schema"));
        assert!(!is_version_of("contract-schema-0.1.0", "contract"));
        assert!(!is_version_of("contract-schemata-0.1.0", "contract-schema"));
    }
}
