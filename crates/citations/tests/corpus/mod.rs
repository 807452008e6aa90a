//! Real documents: the guide of this repository and the readmes of the packages it is built from.

use std::collections::BTreeSet;
use std::path::Path;

use graphloom_citations::planted::Document;
use graphloom_test_support::packages::packages;

/// The documents, in an order that is the same for the same packages.
pub(crate) fn documents(root: &Path) -> Result<Vec<Document>, Box<dyn std::error::Error>> {
    let mut paths = BTreeSet::new();
    for entry in std::fs::read_dir(root.join("docs"))? {
        paths.insert(entry?.path());
    }
    for package in packages(root)? {
        for name in ["README.md", "CHANGELOG.md"] {
            paths.insert(package.root.join(name));
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
