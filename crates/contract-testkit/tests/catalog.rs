//! Each fault is found and named.

use contract_testkit::check_catalog;

use crate::tools::{Echo, sampled};

fn check(tools: &[Echo], expected: &str) {
    let tools: Vec<_> = tools.iter().map(|echo| sampled(*echo)).collect();
    let faults = check_catalog(&tools).unwrap_err().to_string();
    assert!(faults.contains(expected), "no `{expected}` in: {faults}");
}

#[test]
fn a_tool_that_keeps_the_contract_has_no_fault() {
    check_catalog(&[sampled(Echo::Well)]).unwrap();
}

#[test]
fn a_name_that_occurs_twice_is_found() {
    check(&[Echo::Well, Echo::Well], "echo: the name occurs twice");
}

#[test]
fn a_tool_without_samples_is_found() {
    check(&[Echo::WithoutSamples], "echo: no sample");
}

#[test]
fn a_rendering_without_blocks_is_found() {
    check(&[Echo::WithoutBlocks], "echo, sample two lines: renders to no block");
}

#[test]
fn a_sample_outside_the_schema_is_found() {
    check(&[Echo::WithASampleThatIsRefused], "echo, sample wrong: arguments break the schema");
}

#[test]
fn an_overflow_that_names_a_path_is_found() {
    let expected = "the suggested name of the overflow has a separator";
    check(&[Echo::WithASeparatorInTheName], expected);
}
