//! The command line described by the program itself: completions and manual pages.

use std::path::Path;

#[test]
fn completions_and_manual_pages_name_everything() {
    graphloom_test_support::described::check(Path::new(env!("CARGO_BIN_EXE_deepsearch")));
}
