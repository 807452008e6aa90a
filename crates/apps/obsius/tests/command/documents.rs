//! A vault of real documents: what the packages that this workspace depends on come with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Copies the Markdown files of every package of the workspace's closure into `vault`, each under a name of its own in a
/// folder for its package. Returns how many there are.
pub(crate) fn fill(vault: &Path) -> usize {
    let mut taken = BTreeSet::new();
    let metadata = metadata();
    for package in metadata["packages"].as_array().unwrap() {
        let (name, version) = (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        let root = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        // Packages of the workspace itself are not what comes packaged.
        if package["source"].is_null() {
            continue;
        }
        for file in markdown(root) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let relative = file.strip_prefix(root).unwrap().with_extension("");
            let words: String = relative
                .to_string_lossy()
                .chars()
                .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { ' ' })
                .collect();
            let title = format!("{name} {version} {}", words.trim());
            if taken.insert(title.to_lowercase()) {
                let folder = vault.join(name);
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(folder.join(format!("{title}.md")), text).unwrap();
            }
        }
    }
    taken.len()
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
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md")) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
