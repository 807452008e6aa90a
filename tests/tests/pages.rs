//! The pages of `docs/`: guides open with a run and name no test, pages of tests name tests that are there, links lead
//! somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages for people who use the programs.
const GUIDES: &[&str] = &[
    "citations.md",
    "command-line.md",
    "deepsearch.md",
    "literature.md",
    "models.md",
    "obsius.md",
    "pocketflow.md",
    "server.md",
    "web.md",
    "writehere.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|ending| ending == extension) {
            found.push(path);
        }
    }
}

fn pages() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    files(&root().join("docs"), "md", &mut found);
    found
}

/// The names of all tests: functions below an attribute with the word `test`, and those inside of `proptest!`.
fn tests() -> BTreeSet<String> {
    let mut sources = Vec::new();
    for folder in ["crates", "tests", "bench"] {
        files(&root().join(folder), "rs", &mut sources);
    }
    let mut names = BTreeSet::new();
    for source in sources {
        let text = read(&source);
        for (at, _) in text.match_indices("fn ") {
            let before = text[..at].trim_end().trim_end_matches("async").trim_end();
            let attribute = before.ends_with(']').then(|| before.rfind("#[")).flatten();
            if attribute.is_some_and(|begin| before[begin..].contains("test")) {
                names.insert(text[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
            }
        }
    }
    names
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// The code spans of a page that can be the name of a test, without the modules before it.
fn spans(page: &str) -> Vec<String> {
    let prose = prose(page);
    let plain = |span: &&str| {
        span.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == ':')
            && !span.starts_with("test_")
    };
    let names = prose.split('`').skip(1).step_by(2).filter(plain).filter_map(|span| span.rsplit("::").next());
    names.filter(|name| name.matches('_').count() > 1).map(str::to_owned).collect()
}

#[test]
fn pages_of_tests_name_tests_that_are_there() {
    let known = tests();
    let mut found = Vec::new();
    files(&root().join("docs/testing"), "md", &mut found);
    let mut named = 0;
    for path in found {
        let spans = spans(&read(&path));
        named += spans.len();
        let absent: Vec<_> = spans.iter().filter(|name| !known.contains(*name)).collect();
        assert!(absent.is_empty(), "`{}` names {absent:?}", path.display());
    }
    assert!(named > 250, "{named}");
}

#[test]
fn guides_name_no_test() {
    let known = tests();
    for guide in GUIDES {
        let page = read(&root().join("docs").join(guide));
        let named: Vec<_> = spans(&page).into_iter().filter(|name| known.contains(name)).collect();
        assert!(named.is_empty(), "`{guide}` names {named:?}; such names belong to `docs/testing/`");
        assert!(!prose(&page).contains(".rs`"), "`{guide}` names a file of the source");
    }
}

#[test]
fn guides_open_with_a_run() {
    for guide in GUIDES {
        let page = read(&root().join("docs").join(guide));
        let opening = page.lines().skip(1).find(|line| !line.is_empty());
        let command = page.split_once("```text\n").map(|(_, block)| block.starts_with("$ "));
        assert_eq!((opening, command), (Some("```text"), Some(true)), "`{guide}`");
    }
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(page: &str) -> BTreeSet<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    headings.map(anchor).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    for path in pages() {
        let text = read(&path);
        let without_code: String = prose(&text).split('`').step_by(2).collect();
        for target in without_code.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let linked = if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
            assert!(linked.exists(), "`{}` links to `{target}`", path.display());
            if !heading.is_empty() {
                assert!(anchors(&read(&linked)).contains(heading), "`{}` links to `{target}`", path.display());
            }
        }
    }
}
