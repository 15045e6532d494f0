//! The sheets of the tools as files: where they are, and how one is read.
//!
//! `contract-testkit` writes them; see its README for the layout.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::step::root;

/// The sheets of every crate, by path.
pub(crate) fn files(ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for member in folders(&root().join("crates"))? {
        for family in folders(&member.join("src"))? {
            let snapshots = family.join("snapshots");
            let entries = if snapshots.is_dir() { entries(&snapshots)? } else { Vec::new() };
            found.extend(entries.into_iter().filter(|path| name(path).ends_with(ending)));
        }
    }
    found.sort();
    Ok(found)
}

/// Splits a snapshot file into its header and the sheet.
pub(crate) fn split(file: &str) -> Option<(&str, &str)> {
    file.strip_prefix("---\n")?.split_once("\n---\n")
}

/// One sheet, read back.
#[derive(Debug)]
pub(crate) struct Sheet {
    /// Name of the tool.
    pub(crate) name: String,
    /// Family of the tool.
    pub(crate) family: String,
    /// Its annotations, as the sheet words them.
    pub(crate) annotations: String,
    /// Title and text of each section, in order.
    sections: Vec<(String, String)>,
}

impl Sheet {
    /// Reads a snapshot file.
    pub(crate) fn load(path: &Path) -> Result<Sheet> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Self::parse(&text).with_context(|| format!("{}: not a sheet", path.display()))
    }

    fn parse(file: &str) -> Option<Sheet> {
        let (_, body) = split(file)?;
        let mut sections = vec![(String::new(), String::new())];
        for line in body.lines() {
            if let Some(title) = heading(line) {
                sections.push((title.to_owned(), String::new()));
            } else {
                let (_, text) = sections.last_mut()?;
                text.push_str(line);
                text.push('\n');
            }
        }
        let (_, head) = sections.remove(0);
        let field = |key: &str| head.lines().find_map(|l| l.strip_prefix(key)).map(str::to_owned);
        Some(Sheet {
            name: field("tool: ")?,
            family: field("family: ")?,
            annotations: field("annotations: ")?,
            sections,
        })
    }

    /// The text of the first section with this title, without blank lines around it.
    pub(crate) fn section(&self, title: &str) -> Result<&str> {
        let found = self.sections.iter().find(|(name, _)| name == title);
        let Some((_, text)) = found else { bail!("{}: no section `{title}`", self.name) };
        Ok(text.trim_matches('\n'))
    }

    /// Titles of the sections, in order.
    pub(crate) fn titles(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().map(|(title, _)| title.as_str())
    }
}

/// Shown text as it was, but for what stays escaped: the marks at both ends of each line removed.
pub(crate) fn unmarked(shown: &str) -> String {
    let bare = |line: &str| {
        let line = line.strip_prefix('|').unwrap_or(line);
        line.strip_suffix(['⏎', '■']).unwrap_or(line).to_owned()
    };
    shown.lines().map(bare).collect::<Vec<_>>().join("\n")
}

fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("== ")?.strip_suffix(" ==")
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    read.map(|entry| Ok(entry?.path())).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "---\nsource: x.rs\n---\ntool: echo\nfamily: text\nannotations: none\n\n\
                        == description ==\n|One.⏎\n|Two ■\n\n== sample: a: args ==\n{}\n";

    #[test]
    fn a_sheet_is_read_back() {
        let sheet = Sheet::parse(FILE).unwrap();
        assert_eq!((sheet.name.as_str(), sheet.family.as_str()), ("echo", "text"));
        assert_eq!(sheet.section("description").unwrap(), "|One.⏎\n|Two ■");
        assert_eq!(sheet.titles().collect::<Vec<_>>(), ["description", "sample: a: args"]);
        assert!(sheet.section("meta").is_err());
    }

    #[test]
    fn marks_are_removed_from_shown_text() {
        assert_eq!(unmarked("|One.⏎\n|Two ■"), "One.\nTwo ");
    }

    #[test]
    fn a_file_without_a_header_is_no_sheet() {
        assert!(Sheet::parse("tool: echo\n").is_none());
        assert_eq!(split(FILE).unwrap().0, "source: x.rs");
    }
}
