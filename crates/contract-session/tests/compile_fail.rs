//! What must not compile.

#[test]
fn x2_a_canonical_value_fits_in_no_event() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
