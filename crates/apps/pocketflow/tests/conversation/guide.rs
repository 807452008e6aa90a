//! The tests that the guide names are there.

use std::collections::BTreeSet;
use std::path::Path;

fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("part of the test") {
        let path = entry.expect("part of the test").path();
        if path.is_dir() {
            functions(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("part of the test");
            let after = text.split("fn ").skip(1);
            names.extend(after.filter_map(|rest| rest.split(['(', '<']).next()).map(str::to_owned));
        }
    }
}

#[test]
fn every_test_that_the_guide_names_is_there() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = BTreeSet::new();
    functions(&package.join("src"), &mut known);
    functions(&package.join("tests"), &mut known);
    let guide = std::fs::read_to_string(package.join("../../../docs/pocketflow.md")).expect("part of the test");
    let words = guide.split('`').filter_map(|code| {
        let plain = code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | ':'));
        let name = code.rsplit("::").next()?;
        (plain && name.matches('_').count() > 1 && !name.starts_with("test_")).then_some(name)
    });
    let named: Vec<&str> = words.collect();
    let absent: Vec<&&str> = named.iter().filter(|name| !known.contains(**name)).collect();
    assert!(absent.is_empty(), "{absent:?}");
    assert!(named.len() > 60, "{}", named.len());
}
