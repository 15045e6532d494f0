//! What must not compile.

#[test]
fn a_canonical_value_is_not_built_from_outside() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
