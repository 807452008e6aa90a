//! What the compiler says to a mistake in a state.

#[test]
#[ignore = "compares the exact messages of the toolchain that CI states; run with `-- --ignored` there"]
fn mistakes_are_named_where_they_stand() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
