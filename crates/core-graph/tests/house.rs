//! How the crate's own sources are laid out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn sources() -> Vec<(String, String)> {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).expect("a folder of sources").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files(&root, &mut found);
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).expect("a file below").to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(&path).expect("a source file"))
    };
    let mut all: Vec<_> = found.into_iter().map(read).collect();
    // Tests of races, and what takes the place of the primitives in them.
    all.retain(|(file, _)| !file.ends_with("/races.rs") && file != "sync/explored.rs");
    all.sort();
    assert!(all.len() > 150, "the sources were not found: {}", all.len());
    all
}

/// The lines of code of a file, without comments and without its module of tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// The type that a line defines. Types of traits and their implementations are indented, and belong to those.
fn defined(line: &str) -> Option<&str> {
    let item = line.trim_start();
    let item = match item.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => item,
    };
    let (kind, rest) = item.split_once(' ')?;
    let is_type = matches!(kind, "struct" | "enum" | "union" | "trait") || (kind == "type" && !line.starts_with(' '));
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (is_type && end > 0).then(|| &rest[..end])
}

#[test]
fn a_type_name_has_one_meaning() {
    let mut defining: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in sources() {
        for name in code(&text).filter_map(defined) {
            defining.entry(name.to_owned()).or_default().push(file.clone());
        }
    }
    assert!(defining.len() > 300, "the types were not found: {}", defining.len());
    let twins: Vec<_> = defining.into_iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(twins.is_empty(), "types of the same name: {twins:#?}");
}

/// The rooms of the crate and the files beside them, from the ground up. Each may import what stands before it.
const FLOORS: &[&str] = &[
    "lock",
    "sync",
    "error_text",
    "clock",
    "nearest",
    "json_value",
    "depth",
    "bytes",
    "status",
    "timeout",
    "state",
    "name",
    "step",
    "tasks",
    "step_row",
    "event",
    "record",
    "checkpoint",
    "store",
    "error",
    "error_row",
    "failure",
    "questions",
    "context",
    "remote",
    "handler",
    "stored_state",
    "topology",
    "machine",
    "limits",
    "recorder",
    "executor",
    "subgraph",
    "graph",
    "thread",
    "functional",
    "simulate",
    "conformance",
];

fn room(file: &str) -> &str {
    file.split('/').next().unwrap_or_default().trim_end_matches(".rs")
}

#[test]
fn rooms_import_what_is_below_them() {
    let floor = |room: &str| FLOORS.iter().position(|other| *other == room);
    let (mut upward, mut imports) = (Vec::new(), 0);
    // Tests of a whole room may use all of it.
    let is_code = |file: &str| file != "lib.rs" && !file.contains("/model_tests/") && !file.ends_with("/tests.rs");
    for (file, text) in sources().into_iter().filter(|(file, _)| is_code(file)) {
        let own = floor(room(&file)).unwrap_or_else(|| panic!("`{file}` is on no floor"));
        for line in code(&text) {
            for rest in line.split("crate::").skip(1) {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                if let Some(other) = floor(&rest[..end]) {
                    imports += 1;
                    if other > own {
                        upward.push(format!("{file}: {}", line.trim()));
                    }
                }
            }
        }
    }
    assert!(imports > 500, "the imports were not found: {imports}");
    assert!(upward.is_empty(), "rooms import what is above them: {upward:#?}");
}

/// The rows of the table of rules in the description of the architecture: file, and functions.
fn rules() -> Vec<(String, Vec<String>)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/architecture.md");
    let page = fs::read_to_string(page).expect("the description of the architecture");
    let table = page.split("### The rules of the runtime").nth(1).expect("a table of rules");
    let rows = table.split("\n### ").next().unwrap_or_default().lines().filter(|line| line.contains(".rs` |"));
    let quoted = |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let row = |line: &str| {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").collect();
        (quoted(cells[1]).remove(0), quoted(cells[2]))
    };
    rows.map(row).collect()
}

#[test]
fn each_rule_is_the_function_that_the_table_names() {
    let rules = rules();
    assert!(rules.len() > 20, "the table was not found: {rules:?}");
    let sources = sources();
    for (file, functions) in rules {
        assert!(!functions.is_empty(), "{file}");
        for function in functions {
            let defines = |text: &str| {
                let starts = [format!("fn {function}("), format!("fn {function}<")];
                code(text).filter(|line| starts.iter().any(|start| line.contains(start))).count()
            };
            let found: Vec<_> = sources.iter().flat_map(|(file, text)| vec![file.as_str(); defines(text)]).collect();
            assert_eq!(found, [file.as_str()], "`{function}` stands elsewhere, or not once");
        }
    }
}
