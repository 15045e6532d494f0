//! `cargo xtask tidy`: rules of the house that no compiler checks.
//!
//! Module docs, blanks at line ends, file length, paths of one machine, tests that do not run,
//! crate manifests.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::step::root;

/// How many lines a Rust file may have.
const LINES: usize = 500;

/// Files that may be longer: path, limit, why.
const LONGER: &[(&str, usize, &str)] = &[];

/// Folders that hold no source of ours.
const SKIPPED: &[&str] = &["target", "node_modules", ".git"];

/// Ends of the names of the files that are read as text.
const TEXT: &[&str] = &["rs", "toml", "md", "yml", "json"];

/// Files without such an end that are read as text too.
const SCRIPTS: &[&str] = &[".ci/run"];

/// What must not stand in a Rust file, and what to do instead. Split, so that this file passes.
const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("#[ign", "ore"), "a test that does not run proves nothing: repair or remove it"),
    (concat!("tod", "o!("), "finish it or leave it out"),
    (concat!("unimple", "mented!("), "finish it or leave it out"),
];

/// Folders that exist on one machine only. Split, so that this file passes.
const MACHINE: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/tmp/bash", "_"),
];

/// Judges every file; the error lists every fault.
pub(crate) fn run() -> Result<()> {
    let root = root();
    let mut files = Vec::new();
    walk(&root, &mut files)?;
    files.sort();
    let mut faults = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let name = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        judge(&name, &text, &mut faults);
    }
    if faults.is_empty() {
        println!("    {} files, no fault", files.len());
        return Ok(());
    }
    bail!("{}", faults.join("\n"))
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_symlink() || SKIPPED.contains(&&*name) {
            continue;
        }
        let end = path.extension().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            walk(&path, files)?;
        } else if TEXT.contains(&&*end) || SCRIPTS.iter().any(|script| path.ends_with(script)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Adds the faults of one file, each with its path and, where one line is at fault, its number.
fn judge(name: &str, text: &str, faults: &mut Vec<String>) {
    if !text.is_empty() && !text.ends_with('\n') {
        faults.push(format!("{name}: no newline at the end"));
    }
    for (line, number) in text.lines().zip(1..) {
        if line.ends_with([' ', '\t', '\r']) {
            faults.push(format!("{name}:{number}: blank at the end of the line"));
        }
        if MACHINE.iter().any(|folder| line.contains(folder)) {
            faults.push(format!("{name}:{number}: a path of one machine"));
        }
    }
    if name.ends_with(".rs") {
        rust(name, text, faults);
    }
    if name.starts_with("crates/") && name.ends_with("/Cargo.toml") {
        manifest(name, text, faults);
    }
}

fn rust(name: &str, text: &str, faults: &mut Vec<String>) {
    let opening = text.lines().next().unwrap_or_default();
    if !opening.starts_with("//!") && !opening.starts_with("#![doc") {
        faults.push(format!("{name}: no module documentation at the top (//!)"));
    }
    let limit = LONGER.iter().find(|(longer, ..)| *longer == name).map_or(LINES, |row| row.1);
    let count = text.lines().count();
    if count > limit {
        faults.push(format!("{name}: {count} lines, at most {limit}: split it by concern"));
    }
    for (line, number) in text.lines().zip(1..) {
        for (word, remedy) in FORBIDDEN {
            if line.contains(word) {
                faults.push(format!("{name}:{number}: `{word}`: {remedy}"));
            }
        }
    }
}

fn manifest(name: &str, text: &str, faults: &mut Vec<String>) {
    for key in
        ["description = ", "keywords = ", "readme = ", "license", "[lints]\nworkspace = true"]
    {
        if !text.contains(key) {
            let key = key.lines().next().unwrap_or(key).trim_end_matches(" = ");
            faults.push(format!("{name}: no {key}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: &[&str]) {
        let mut faults = Vec::new();
        judge(name, text, &mut faults);
        assert_eq!(faults, expected);
    }

    #[test]
    fn the_tree_is_tidy() {
        if let Err(error) = run() {
            panic!("{error}");
        }
    }

    #[test]
    fn a_file_without_module_documentation_is_named() {
        check("a.rs", "fn main() {}\n", &["a.rs: no module documentation at the top (//!)"]);
        check("a.rs", "//! What it is.\n", &[]);
    }

    #[test]
    fn blanks_and_a_missing_newline_are_named() {
        let faults = ["a.md: no newline at the end", "a.md:1: blank at the end of the line"];
        check("a.md", "one \ntwo", &faults);
    }

    #[test]
    fn a_long_file_is_named() {
        let text = format!("//! Doc.\n{}", "\n".repeat(LINES));
        check("a.rs", &text, &["a.rs: 501 lines, at most 500: split it by concern"]);
    }

    #[test]
    fn paths_of_one_machine_are_named() {
        check("a.md", &format!("see {}x\n", MACHINE[0]), &["a.md:1: a path of one machine"]);
    }

    #[test]
    fn forbidden_words_are_named() {
        let mut faults = Vec::new();
        judge("a.rs", &format!("//! Doc.\n{})\n", FORBIDDEN[1].0), &mut faults);
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn a_crate_states_what_a_registry_needs() {
        let faults = ["description", "keywords", "readme", "license", "[lints]"];
        let faults = faults.map(|key| format!("crates/a/Cargo.toml: no {key}"));
        let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
        check("crates/a/Cargo.toml", "[package]\n", &faults);
    }
}
