//! What holds for every tool, without a line from its author: the contract, the sheets, the TypeScript.

use std::path::Path;

use contract_registry::samples::SampledTool;
use contract_registry::{Registry, declarations};
use contract_testkit::{check_catalog, check_sheets, check_text, check_typescript};
use tools_firstparty::{Config, Seams, tools};

fn catalog() -> Vec<SampledTool> {
    tools(&Config::default(), &Seams::default()).unwrap().into_sampled()
}

#[test]
fn every_tool_keeps_the_contract() {
    check_catalog(&catalog()).unwrap();
}

#[test]
fn every_sheet_is_as_reviewed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    check_sheets(&source, &catalog()).unwrap();
}

#[test]
fn every_sample_type_checks() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples");
    check_typescript(&folder, &catalog()).unwrap();
}

#[test]
fn the_declarations_are_as_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let registry = Registry::new();
    for sampled in catalog() {
        registry.register_dyn(sampled.tool).unwrap().keep();
    }
    check_text(&folder, "declarations", &declarations(&registry.list())).unwrap();
}
