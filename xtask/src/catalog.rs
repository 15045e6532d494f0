//! `cargo xtask catalog`: `docs/tools.md`, written from the sheets.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::sheet::{self, Sheet, unmarked};
use crate::step::root;

const HEAD: &str = "\
# Tools

Written by `cargo xtask catalog` from the sheets of the tools; do not edit.
Each tool's sheet, `snapshots/NAME.snap` beside its source, has everything: both schemas, and for
every sample call its value, content and metadata.
";

/// Writes the document.
pub(crate) fn write() -> Result<()> {
    let document = document()?;
    fs::write(path(), document).with_context(|| path().display().to_string())
}

/// Fails when the document differs from what the sheets say.
pub(crate) fn check() -> Result<()> {
    let written = fs::read_to_string(path()).unwrap_or_default();
    if written != document()? {
        bail!("docs/tools.md differs from the sheets: run `cargo xtask catalog`");
    }
    Ok(())
}

fn path() -> PathBuf {
    root().join("docs").join("tools.md")
}

fn document() -> Result<String> {
    let files = sheet::files(".snap")?;
    let mut sheets = files.iter().map(|file| Sheet::load(file)).collect::<Result<Vec<_>>>()?;
    sheets.sort_by(|a, b| (&a.family, &a.name).cmp(&(&b.family, &b.name)));
    compose(&sheets)
}

fn compose(sheets: &[Sheet]) -> Result<String> {
    let mut text = format!("{HEAD}\n| tool | family | what it does |\n| --- | --- | --- |\n");
    for sheet in sheets {
        let Sheet { name, family, .. } = sheet;
        let description = unmarked(sheet.section("description")?);
        let first = description.lines().next().unwrap_or_default().replace('|', "\\|");
        writeln!(text, "| [{name}](#{name}) | {family} | {first} |")?;
    }
    for sheet in sheets {
        text.push_str(&entry(sheet)?);
    }
    Ok(text)
}

fn entry(sheet: &Sheet) -> Result<String> {
    let description = unmarked(sheet.section("description")?);
    let mut text = format!("\n## {}\n\n{}\n", sheet.name, fenced("text", &description));
    writeln!(text, "Annotations: {}.\n", sheet.annotations)?;
    text.push_str(&fenced("ts", sheet.section("typescript")?));
    let mut samples = sheet.titles().filter_map(|title| sample(title));
    if let Some(name) = samples.next() {
        let arguments = sheet.section(&format!("sample: {name}: args"))?;
        let content = sheet.titles().find(|t| t.starts_with(&format!("sample: {name}: content")));
        let content = content.context("a sample without content")?;
        write!(text, "\nFor example, {name}:\n\n{}", fenced("json", arguments))?;
        write!(text, "\n{}", fenced("text", &unmarked(sheet.section(content)?)))?;
    }
    Ok(text)
}

/// The sample's name in the title of its arguments.
fn sample(title: &str) -> Option<&str> {
    title.strip_prefix("sample: ")?.strip_suffix(": args")
}

/// A code block whose fence is longer than any run of backticks in the text.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_agrees_with_the_sheets() {
        if let Err(error) = check() {
            panic!("{error}");
        }
    }

    #[test]
    fn a_fence_is_longer_than_the_text_s() {
        assert_eq!(fenced("", "a\n```\n"), "````\na\n```\n````\n");
    }

    #[test]
    fn the_first_sample_is_named_by_its_arguments() {
        assert_eq!(sample("sample: one match: args"), Some("one match"));
        assert_eq!(sample("sample: one match: value"), None);
    }
}
