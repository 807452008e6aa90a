//! Types and modules have the names of their field, or plain words that describe them, and none of a dialect of their own.
//! Core-graph and its stores are not looked at here.

use std::fs;
use std::path::{Path, PathBuf};

/// Words that do not say what they name, as a whole name: a type `Told`, a module `told`.
const COINED: &[&str] = &[
    "Aloft",
    "Asks",
    "AsBefore",
    "Attention",
    "Bench",
    "Deed",
    "Desk",
    "Folks",
    "GoingOn",
    "Gone",
    "Ground",
    "Harmless",
    "Haste",
    "Hear",
    "Heard",
    "Keeper",
    "Keeping",
    "Kept",
    "Left",
    "Look",
    "Made",
    "Nobody",
    "Precedents",
    "Said",
    "Scene",
    "Seen",
    "Sight",
    "Spared",
    "Stands",
    "Taping",
    "ToCome",
    "Told",
    "Twin",
    "UnderWay",
    "Whose",
    "Workbench",
    "Workshop",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let is_core = name.starts_with("core-graph") || name.starts_with("checkpoint-");
        if path.is_dir() && name != "target" && !is_core {
            files(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// The names of the types that a line declares: at most one.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub") || *word == "unsafe");
    let keyword = words.next()?;
    let name = words.next().filter(|_| matches!(keyword, "struct" | "enum" | "trait" | "type" | "union"))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// A module's name as that of a type: `as_before` is `AsBefore`.
fn camel_case(module: &str) -> String {
    let capitalised = |part: &str| {
        let mut letters = part.chars();
        letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
    };
    module.split('_').map(capitalised).collect()
}

#[test]
fn no_type_or_module_has_a_coined_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for part in ["bench", "crates", "tests", "examples"] {
        files(&root.join(part), &mut all);
    }
    let (mut types, mut coined) = (0, Vec::new());
    for path in &all {
        let inside = path.strip_prefix(&root).expect("a file of the workspace");
        let parts = inside.iter().skip(1).map(|part| camel_case(part.to_string_lossy().trim_end_matches(".rs")));
        coined.extend(parts.filter(|part| COINED.contains(&part.as_str())).map(|_| inside.display().to_string()));
        let text = fs::read_to_string(path).expect("a source file");
        for name in text.lines().filter_map(declared) {
            types += 1;
            if COINED.contains(&name) {
                coined.push(format!("{}: `{name}`", inside.display()));
            }
        }
    }
    assert!(all.len() > 500 && types > 1000, "the sources were not found: {} files, {types} types", all.len());
    assert_eq!(coined, Vec::<String>::new(), "say in the field's own words what these are");
}

#[test]
fn declarations_and_modules_are_told_from_other_lines() {
    let lines = [
        ("pub(crate) struct Told {", Some("Told")),
        ("    enum Whose<'a> {", Some("Whose")),
        ("pub trait Keeper: Send {", Some("Keeper")),
        ("/// struct Told", None),
        ("let kept = 1;", None),
    ];
    for (line, name) in lines {
        assert_eq!(declared(line), name, "{line}");
    }
    assert_eq!([camel_case("as_before"), camel_case("told")], ["AsBefore", "Told"]);
}
