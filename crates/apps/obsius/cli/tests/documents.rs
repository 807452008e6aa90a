//! A vault of real documents: what the packages that this workspace depends on come with.

use std::collections::BTreeSet;
use std::path::Path;

use graphloom_test_support::packages::documents;

/// Copies the Markdown files of every package of the workspace's closure into `vault`, each under a name of its own in a
/// folder for its package. Returns how many there are.
pub(crate) fn fill(vault: &Path) -> usize {
    let mut taken = BTreeSet::new();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../..");
    for document in documents(&workspace, |_| true).unwrap() {
        let words: String = document
            .path
            .with_extension("")
            .to_string_lossy()
            .chars()
            .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { ' ' })
            .collect();
        let (name, version) = (&document.package.name, &document.package.version);
        let title = format!("{name} {version} {}", words.trim());
        if taken.insert(title.to_lowercase()) {
            let folder = vault.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("{title}.md")), document.text).unwrap();
        }
    }
    taken.len()
}
