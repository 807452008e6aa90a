//! `docs/semantics.md` and the cases name the same tests.

use std::collections::BTreeSet;
use std::process::Command;

const TABLE: &str = include_str!("../../../../docs/semantics.md");

/// The names of cases in a text: words that begin as they do, and are more than the beginning of a name.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    let kinds = ["case_", "feature_", "silent_"];
    let whole = |word: &&str| word.split('_').filter(|part| !part.is_empty()).count() > 2;
    words.filter(|word| kinds.iter().any(|kind| word.starts_with(kind))).filter(whole).collect()
}

#[test]
fn every_case_is_in_the_table_and_every_row_is_a_case() {
    let listed = Command::new(std::env::current_exe().unwrap()).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let (cases, rows) = (names(&listed), names(TABLE));
    assert!(cases.len() > 50, "{}", cases.len());
    let missing: Vec<_> = cases.difference(&rows).collect();
    assert!(missing.is_empty(), "the table has no row for {missing:?}");
    let unknown: Vec<_> = rows.difference(&cases).collect();
    assert!(unknown.is_empty(), "the table names tests that do not exist: {unknown:?}");
    // Each case runs on each store in each durability.
    for case in cases.iter().filter(|name| !name.starts_with("silent_")) {
        for place in ["memory", "sqlite", "postgres"] {
            for durability in ["sync", "asynchronous", "exit"] {
                let name = format!("{case}::{place}::{durability}: test");
                assert!(listed.contains(&name), "{name}");
            }
        }
    }
}
