//! Every file of a folder `tests` that is linked into one program belongs to it.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders `tests` of the workspace that are one program.
fn folders(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(below).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().expect("a name").to_string_lossy().into_owned();
        if !entry.is_dir() || name.starts_with('.') || name == "target" || name == "src" {
            continue;
        }
        if name == "tests" && entry.join("main.rs").exists() {
            found.push(entry.clone());
        }
        folders(&entry, found);
    }
}

#[test]
fn no_file_of_tests_is_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for part in ["crates", "tests"] {
        folders(&root.join(part), &mut all);
    }
    assert!(all.len() > 10, "{all:?}");
    for folder in all {
        let program = fs::read_to_string(folder.join("main.rs")).expect("a root of tests");
        for path in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let is_file = path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("main.rs");
            if is_file || path.join("mod.rs").exists() {
                let module = path.file_stem().expect("a name").to_string_lossy().into_owned();
                let named = format!("mod {module};\n");
                assert!(program.contains(&named), "`{}` is in no program of tests", path.display());
            }
        }
    }
}
