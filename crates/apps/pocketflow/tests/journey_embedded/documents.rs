//! A corpus of real documents: what packages that this one is built of come with.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Packages whose documents are about searching, storing and reading text.
const PACKAGES: [&str; 6] = ["tantivy", "regex", "tokenizers", "jsonschema", "rusqlite", "rayon"];
/// Documents about how a package is kept, not about what it does.
const LEFT_OUT: [&str; 4] = ["changelog", "release", "security", "contributing"];

/// Copies the Markdown files of the packages into `corpus`. Returns how many there are.
pub(crate) fn fill(corpus: &Path) -> usize {
    std::fs::create_dir_all(corpus).unwrap();
    let mut count = 0;
    for package in metadata()["packages"].as_array().unwrap() {
        let (name, version) = (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        if !PACKAGES.contains(&name) {
            continue;
        }
        let root = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        for file in markdown(root) {
            let words = file.strip_prefix(root).unwrap().to_string_lossy().replace(std::path::is_separator, "-");
            let about_keeping = LEFT_OUT.iter().any(|left_out| words.to_lowercase().contains(left_out));
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if !about_keeping {
                std::fs::write(corpus.join(format!("{name}-{version}-{words}")), text).unwrap();
                count += 1;
            }
        }
    }
    count
}

/// The packages of the closure for this machine, whose sources are there because this test was built of them.
fn metadata() -> Value {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", &host, "--manifest-path"])
        .arg(manifest)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The Markdown files below a directory, hidden ones left out, in order.
fn markdown(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if path.is_dir() && !hidden {
                open.push(path);
            } else if !hidden && path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md")) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
