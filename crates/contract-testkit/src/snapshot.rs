//! Sheets as files beside the tools, compared byte for byte.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use contract_registry::samples::SampledTool;

use crate::faults::Faults;
use crate::sheet::sheet;

/// Compares every tool's sheet with `source/FAMILY/snapshots/NAME.snap`, byte for byte; a sheet without
/// a tool is a fault too.
///
/// `insta` shows the difference and, as `INSTA_UPDATE` says, writes the new sheet or leaves a pending
/// one. It takes texts for equal that differ in line ends or in blank at the end, so bytes are compared
/// here as well.
///
/// # Errors
///
/// Every sheet that differs, is missing, or belongs to no tool.
pub fn check_sheets(source: &Path, tools: &[SampledTool]) -> Result<(), Faults> {
    let mut faults = Faults::default();
    let mut known = BTreeSet::new();
    for tool in tools {
        let definition = tool.tool.definition();
        let folder = source.join(definition.family()).join("snapshots");
        let file = folder.join(format!("{}.snap", definition.name()));
        match sheet(tool) {
            Ok(text) => compare(&folder, &file, definition.name(), &text, &mut faults),
            Err(what) => faults.add(definition.name(), what),
        }
        known.insert(file);
    }
    for file in snapshots(source).difference(&known) {
        faults.add(&shown(source, file), "a sheet without a tool: remove it");
    }
    faults.into_result()
}

/// Compares one text with `folder/NAME.snap`, as [`check_sheets`] does with a sheet.
///
/// # Errors
///
/// The text differs.
pub fn check_text(folder: &Path, name: &str, text: &str) -> Result<(), Faults> {
    let mut faults = Faults::default();
    compare(folder, &folder.join(format!("{name}.snap")), name, text, &mut faults);
    faults.into_result()
}

fn compare(folder: &Path, file: &Path, name: &str, text: &str, faults: &mut Faults) {
    if body(file).as_deref() == Some(text) {
        return;
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let asserted = AssertUnwindSafe(|| settings.bind(|| insta::assert_snapshot!(name, text)));
    let passed = catch_unwind(asserted).is_ok();
    let pending = std::env::var_os("INSTA_FORCE_PASS").is_some();
    let equal = body(file).as_deref() == Some(text);
    faults.require(equal || (passed && pending), name, "the sheet differs, see above");
}

/// The sheet in a snapshot file: what follows the header, without the line feed that ends the file.
fn body(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let (_, body) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    Some(body.to_owned())
}

/// Every snapshot file in a family's folder.
fn snapshots(source: &Path) -> BTreeSet<PathBuf> {
    let folders = entries(source).map(|family| family.join("snapshots"));
    let files = folders.flat_map(|folder| entries(&folder).collect::<Vec<_>>());
    files.filter(|file| file.extension().is_some_and(|end| end == "snap")).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn shown(source: &Path, file: &Path) -> String {
    file.strip_prefix(source).unwrap_or(file).display().to_string()
}
