//! No test sleeps on the real clock and then asserts: on a slow machine what it sleeps for has not happened yet.
//!
//! A sleep of a test is under paused time, or in a loop that waits for something, or in `clocks.txt` beside this file with the reason
//! why nothing depends on how long it lasts: each line there is a path, `:`, the function or the name of the test, a tab and the reason.

mod rust;
mod scripts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const REASONS: &str = include_str!("../clocks.txt");

/// A sleep on the real clock outside of a loop: the function, or the test, that it is in.
pub(crate) type Sleeps = BTreeSet<String>;

/// Whether the sleeps of a file are those of tests: all of them, or those of its modules for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    TestModules,
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !matches!(&*name, "target" | "node_modules" | "dist") {
                files(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

/// The sleeps of a file of the workspace, if it may have any.
fn sleeps(path: &str, text: &str) -> Option<Sleeps> {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit('.').next()? {
        "rs" => {
            let is_test = path.split('/').any(|part| part == "tests" || part == "tests.rs");
            Some(rust::sleeps(text, if is_test { Part::Whole } else { Part::TestModules }))
        }
        "mjs" | "js" | "ts" | "tsx" if is_script_of_tests(path) => Some(scripts::sleeps_of_javascript(text)),
        "py" if is_script_of_tests(path) => Some(scripts::sleeps_of_python(text)),
        _ => None,
    }
}

fn is_script_of_tests(path: &str) -> bool {
    path.starts_with("tests/agent-clients/") || path.contains("/page/browser/") || path.contains(".test.")
}

#[test]
fn no_test_sleeps_and_then_asserts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for part in ["bench", "crates", "examples", "tests"] {
        files(&root.join(part), &mut all);
    }
    let mut reasons: BTreeMap<&str, &str> = BTreeMap::new();
    for line in REASONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (place, reason) = line.split_once('\t').unwrap_or_else(|| panic!("`{line}` has no tab before a reason"));
        assert!(reason.split_whitespace().count() > 2, "`{line}` has no reason");
        assert!(reasons.insert(place, reason).is_none(), "`{place}` is there twice");
    }
    let (mut read, mut without_reason, mut unused) = (0, Vec::new(), reasons.clone());
    for path in &all {
        let inside = path.strip_prefix(&root).expect("a file below").to_string_lossy().replace('\\', "/");
        // Whatever is no text has no tests.
        let Some(sleeps) = fs::read_to_string(path).ok().and_then(|text| sleeps(&inside, &text)) else { continue };
        read += 1;
        for function in sleeps {
            let place = format!("{inside}:{function}");
            unused.remove(&*place);
            if !reasons.contains_key(&*place) {
                without_reason.push(place);
            }
        }
    }
    assert!(read > 1000, "the tests were not found: {read} files");
    without_reason.sort();
    assert!(
        without_reason.is_empty(),
        "these sleep on the real clock outside of a loop: wait for what must come, or pause the clock\n{}",
        without_reason.join("\n")
    );
    assert!(unused.is_empty(), "`clocks.txt` has reasons for what does not sleep: {:?}", unused.keys());
}
