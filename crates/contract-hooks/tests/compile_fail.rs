//! What must not compile.

#[test]
fn the_types_refuse_it() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
