//! Real documents: the guide of this repository and the readmes of the packages it is built from, as cargo knows them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use graphloom_citations::planted::Document;

/// The documents, in an order that is the same for the same packages.
pub(crate) fn documents(root: &Path) -> Result<Vec<Document>, Box<dyn std::error::Error>> {
    let mut paths = BTreeSet::new();
    for entry in std::fs::read_dir(root.join("docs"))? {
        paths.insert(entry?.path());
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let asked = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .output()?;
    if !asked.status.success() {
        return Err(String::from_utf8_lossy(&asked.stderr).into());
    }
    let metadata = String::from_utf8(asked.stdout)?;
    for part in metadata.split("\"manifest_path\":\"").skip(1) {
        let manifest = part.split('"').next().unwrap_or_default().replace("\\\\", "\\");
        for name in ["README.md", "CHANGELOG.md"] {
            paths.insert(Path::new(&manifest).with_file_name(name));
        }
    }
    let mut documents: Vec<Document> = Vec::new();
    for path in paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let title = path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(" of ");
        // Forks of one package carry the same readme.
        let known = documents.iter().any(|document| document.text.get(..300) == text.get(..300));
        if (500..10_000).contains(&text.len()) && !known {
            documents.push(Document::new(title, text));
        }
    }
    Ok(documents)
}
