//! `cargo xtask rules`: every rule of the contract is held by a test that exists, or is marked pending.
//!
//! The table stands in `docs/contract.md`, one row a rule: its number, what it says in a few words, and the
//! tests, each by the name of its function (or, for what must not compile, of its file).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::step::root;

/// The groups of rules: letter and how many there are.
const GROUPS: &[(char, u32)] =
    &[('V', 5), ('D', 7), ('P', 17), ('H', 8), ('L', 6), ('C', 7), ('S', 7), ('M', 5), ('X', 5)];

/// What stands in a row whose rule nothing holds yet.
const PENDING: &str = "pending";

/// Judges the table; the error lists every fault.
pub(crate) fn run() -> Result<()> {
    let path = root().join("docs/contract.md");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let rows = table(&text);
    let mut tests = BTreeSet::new();
    collect(&root().join("crates"), &mut tests)?;
    let faults = faults(&rows, &tests);
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    let pending = rows.values().filter(|held| *held == PENDING).count();
    println!("    {} rules: {} held by tests, {pending} pending", rows.len(), rows.len() - pending);
    Ok(())
}

/// The rows whose first cell is the number of a rule, with their last cell.
fn table(text: &str) -> BTreeMap<String, String> {
    let rows = text.lines().filter_map(|line| {
        let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
        let mut cells = inner.split('|').map(str::trim);
        let (number, held) = (cells.next()?, cells.next_back()?);
        is_number(number).then(|| (number.to_owned(), held.to_owned()))
    });
    rows.collect()
}

fn is_number(cell: &str) -> bool {
    let mut chars = cell.chars();
    chars.next().is_some_and(|letter| GROUPS.iter().any(|(group, _)| *group == letter))
        && chars.as_str().parse::<u32>().is_ok()
}

fn faults(rows: &BTreeMap<String, String>, tests: &BTreeSet<String>) -> Vec<String> {
    let numbers =
        GROUPS.iter().flat_map(|(group, count)| (1..=*count).map(move |n| format!("{group}{n}")));
    let missing = numbers.filter(|number| !rows.contains_key(number));
    let mut faults: Vec<_> = missing
        .map(|number| {
            format!("docs/contract.md: {number} has no row: name its test, or write {PENDING}")
        })
        .collect();
    for (number, held) in rows.iter().filter(|(_, held)| *held != PENDING) {
        let named: Vec<_> = held.split('`').skip(1).step_by(2).collect();
        if named.is_empty() {
            faults.push(format!("docs/contract.md: {number} names no test in backticks"));
        }
        let unknown = named.iter().filter(|name| !tests.contains(**name));
        faults.extend(unknown.map(|name| format!("docs/contract.md: {number}: no test `{name}`")));
    }
    faults
}

/// Names of test functions, and of the files that must not compile.
fn collect(folder: &Path, tests: &mut BTreeSet<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, tests)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            names(&text, tests);
            if path.parent().is_some_and(|parent| parent.ends_with("compile_fail")) {
                tests.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
    }
    Ok(())
}

/// A macro that makes a test for each format of the log from every name in its list.
const TABLE: &str = "each_format!(";

/// The functions that follow a `test` attribute, and the names in the list of [`TABLE`].
fn names(text: &str, tests: &mut BTreeSet<String>) {
    let (mut is_test, mut in_table) = (false, false);
    for line in text.lines().map(str::trim) {
        is_test |= line.starts_with("#[") && line.contains("test");
        let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        if let Some(name) = function.and_then(|rest| rest.split(['(', '<']).next())
            && std::mem::take(&mut is_test)
        {
            tests.insert(name.to_owned());
        }
        let listed = line.strip_prefix(TABLE).unwrap_or(line);
        in_table |= line.starts_with(TABLE);
        let listed = listed.trim_end_matches(");").split(',').filter(|_| in_table);
        tests.extend(listed.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
        in_table &= !line.ends_with(");");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_test_or_is_pending() {
        run().unwrap();
    }

    #[test]
    fn a_rule_without_a_row_a_test_or_an_existing_one_is_a_fault() {
        let text = "| rule | what | held by |\n| V1 | x | `good` |\n| V2 | x | `bad` |\n| V3 | x | none |\n| V4 | x | pending |";
        let mut tests = BTreeSet::new();
        names("#[test]\nfn good() {}\n\nfn bad() {}\n", &mut tests);
        let found = faults(&table(text), &tests).join("\n");
        assert!(!found.contains("V1") && !found.contains("V4"), "{found}");
        for part in ["V2: no test `bad`", "V3 names no test", "V5 has no row", "X5 has no row"] {
            assert!(found.contains(part), "{part} in {found}");
        }
    }
}
