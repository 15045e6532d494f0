//! `cargo xtask layers`: which crate may depend on which, and what may be in the tree at all.
//!
//! The table is the architecture: a new edge is a decision, made here and in
//! `docs/architecture.md`. Foreign crates are judged by `deny.toml`: licences allowed, crates banned.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::licence;
use crate::metadata::{self, Package};
use crate::step::root;

/// Crate, and the crates of ours it may depend on outside tests. Crates that are still to come have
/// their row already, so that adding one decides nothing anew.
const LAYERS: &[(&str, &[&str])] = &[
    ("contract-schema", &[]),
    ("contract-registry", &["contract-schema"]),
    ("contract-session", &["contract-schema"]),
    ("host-process", &[]),
    (
        "contract-hooks",
        &["contract-schema", "contract-registry", "contract-session", "host-process"],
    ),
    ("contract-spill", &["contract-schema", "contract-registry", "contract-hooks"]),
    ("tool-seams", &["contract-registry"]),
    ("code-runtime", &["contract-schema", "host-process"]),
    (
        "tools-firstparty",
        &[
            "contract-schema",
            "contract-registry",
            "contract-session",
            "host-process",
            "tool-seams",
            "code-runtime",
        ],
    ),
    ("mcp-bridge", &["contract-schema", "contract-registry", "host-process"]),
    (
        "agent-loop",
        &["contract-registry", "contract-hooks", "contract-session", "tool-seams", "code-runtime"],
    ),
    ("contract-testkit", &["contract-schema", "contract-registry"]),
    ("xtask", &[]),
];

/// The composition root, which may depend on every library.
const ROOT: &str = "tenon";

/// Crates that only tests may depend on.
const TEST_ONLY: &[&str] = &["contract-testkit"];

/// Judges the whole dependency graph; the error lists every fault.
pub(crate) fn run() -> Result<()> {
    let packages = metadata::packages()?;
    let policy = fs::read_to_string(root().join("deny.toml")).context("deny.toml")?;
    let mut faults = edges(&packages);
    faults.extend(banned(&packages, &policy));
    faults.extend(licences(&packages, &policy));
    if faults.is_empty() {
        println!("    {} packages, every edge and licence allowed", packages.len());
        return Ok(());
    }
    bail!("{}", faults.join("\n"))
}

/// Edges between our crates that the table does not have.
fn edges(packages: &[Package]) -> Vec<String> {
    let members: Vec<&Package> = packages.iter().filter(|package| package.member).collect();
    let ours = |name: &str| members.iter().any(|member| member.name == name);
    let mut faults = Vec::new();
    for member in &members {
        let name = &member.name;
        let row = LAYERS.iter().find(|(layer, _)| layer == name);
        if row.is_none() && name != ROOT {
            faults.push(format!("{name} is not in the table of layers (xtask/src/layers.rs)"));
        }
        for used in member.dependencies.iter().filter(|used| ours(used)) {
            if TEST_ONLY.contains(&used.as_str()) {
                faults.push(format!("{name} depends on {used}, which is for tests only"));
            } else if row.is_some_and(|(_, allowed)| !allowed.contains(&used.as_str())) {
                faults.push(format!("{name} must not depend on {used}"));
            }
        }
    }
    faults
}

/// Crates in the tree that `deny.toml` bans.
fn banned(packages: &[Package], policy: &str) -> Vec<String> {
    let names = strings(policy, "[bans]", "deny");
    let found = packages.iter().filter(|package| names.contains(&package.name.as_str()));
    found.map(|package| format!("{} is banned by deny.toml", package.name)).collect()
}

/// Packages whose licence `deny.toml` does not allow.
fn licences(packages: &[Package], policy: &str) -> Vec<String> {
    let allowed = strings(policy, "[licenses]", "allow");
    let judge = |package: &Package| {
        let Package { name, version, .. } = package;
        match &package.licence {
            None => Some(format!("{name} {version} states no licence")),
            Some(licence) if licence::allows(licence, &allowed) => None,
            Some(licence) => Some(format!("{name} {version}: {licence} is not allowed")),
        }
    };
    packages.iter().filter_map(judge).collect()
}

/// The quoted strings of the array `key` in a section of a TOML file laid out as ours is: one
/// element a line.
fn strings<'a>(toml: &'a str, section: &str, key: &str) -> Vec<&'a str> {
    let opening = format!("{key} = [");
    let lines = toml.lines().skip_while(|line| *line != section).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let lines = lines.skip_while(|line| *line != opening).skip(1);
    lines.take_while(|line| *line != "]").filter_map(|line| line.split('"').nth(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: Some("MIT".to_owned()),
            member: true,
            publishable: true,
            dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
            targets: Vec::new(),
        }
    }

    #[test]
    fn the_workspace_keeps_its_layers() {
        if let Err(error) = run() {
            panic!("{error}");
        }
    }

    #[test]
    fn an_edge_outside_the_table_is_named() {
        let packages = [
            package("contract-schema", &["contract-registry"]),
            package("contract-registry", &["contract-schema", "serde"]),
        ];
        assert_eq!(edges(&packages), ["contract-schema must not depend on contract-registry"]);
    }

    #[test]
    fn a_crate_for_tests_is_refused_outside_tests() {
        let packages = [package("tenon", &["contract-testkit"]), package("contract-testkit", &[])];
        assert_eq!(
            edges(&packages),
            ["tenon depends on contract-testkit, which is for tests only"]
        );
    }

    #[test]
    fn a_crate_without_a_row_is_named() {
        let faults = edges(&[package("newcomer", &[])]);
        assert_eq!(faults, ["newcomer is not in the table of layers (xtask/src/layers.rs)"]);
    }

    #[test]
    fn banned_crates_and_licences_come_from_the_policy_file() {
        let policy = "[licenses]\nallow = [\n    \"MIT\",\n]\n\n[bans]\ndeny = [\n    { crate = \"bad\" },\n]\n";
        let mut foreign = package("bad", &[]);
        foreign.licence = Some("GPL-3.0".to_owned());
        let packages = [package("good", &[]), foreign];
        assert_eq!(banned(&packages, policy), ["bad is banned by deny.toml"]);
        assert_eq!(licences(&packages, policy), ["bad 1.0.0: GPL-3.0 is not allowed"]);
    }
}
