//! What must not compile (contract D1, P4, H2).

#[test]
fn the_types_refuse_it() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
}
