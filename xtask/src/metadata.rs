//! What `cargo metadata` says of the workspace and its dependencies.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::step::{capture, cargo};

/// One package of the dependency graph.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Its licence expression, if it states one.
    pub(crate) licence: Option<String>,
    /// Whether it is a member of the workspace.
    pub(crate) member: bool,
    /// Whether a registry would take it.
    pub(crate) publishable: bool,
    /// Names of what it declares under `[dependencies]`, `[build-dependencies]`.
    pub(crate) dependencies: Vec<String>,
    /// Kind and name of its targets: `("bench", "dispatch")`.
    pub(crate) targets: Vec<(String, String)>,
}

/// Every package of the graph, with all features.
///
/// Without a network the packages of other platforms may be missing from the local registry; then
/// only this platform's are read.
pub(crate) fn packages() -> Result<Vec<Package>> {
    let text = capture(&mut command()).or_else(|_| {
        println!("    packages of other platforms are not at hand: reading this platform's only");
        capture(command().args(["--filter-platform", &host()?]))
    })?;
    let document: Value = serde_json::from_str(&text).context("cargo metadata wrote no JSON")?;
    Ok(array(&document, "packages").map(|package| read(package, &document)).collect())
}

/// The workspace's own packages.
pub(crate) fn members() -> Result<Vec<Package>> {
    let text = capture(command().arg("--no-deps"))?;
    let document: Value = serde_json::from_str(&text).context("cargo metadata wrote no JSON")?;
    Ok(array(&document, "packages").map(|package| read(package, &document)).collect())
}

fn command() -> std::process::Command {
    cargo(&["metadata", "--format-version", "1", "--all-features", "--locked"])
}

fn host() -> Result<String> {
    let text = capture(std::process::Command::new("rustc").arg("-vV"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("rustc -vV names no host")
}

fn read(package: &Value, document: &Value) -> Package {
    let used = |d: &&Value| string(d, "kind").as_deref() != Some("dev");
    let id = string(package, "id");
    let name = |value: &Value| string(value, "name");
    let target = |t: &Value| Some((t["kind"][0].as_str()?.to_owned(), name(t)?));
    Package {
        name: string(package, "name").unwrap_or_default(),
        version: string(package, "version").unwrap_or_default(),
        licence: string(package, "license"),
        member: array(document, "workspace_members").any(|m| m.as_str() == id.as_deref()),
        publishable: package["publish"].as_array().is_none_or(|list| !list.is_empty()),
        dependencies: array(package, "dependencies").filter(used).filter_map(name).collect(),
        targets: array(package, "targets").filter_map(target).collect(),
    }
}

fn array<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

fn string(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}
