//! A corpus of real documents: what packages that this one is built of come with.

use std::path::Path;

use graphloom_test_support::packages::documents;

/// Packages whose documents are about searching, storing and reading text.
const PACKAGES: [&str; 6] = ["tantivy", "regex", "tokenizers", "jsonschema", "rusqlite", "rayon"];
/// Documents about how a package is kept, not about what it does.
const LEFT_OUT: [&str; 4] = ["changelog", "release", "security", "contributing"];

/// Copies the Markdown files of the packages into `corpus`. Returns how many there are.
pub(crate) fn fill(corpus: &Path) -> usize {
    std::fs::create_dir_all(corpus).unwrap();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../..");
    let mut count = 0;
    for document in documents(&workspace, |package| PACKAGES.contains(&package.name.as_str())).unwrap() {
        let words = document.path.to_string_lossy().replace(std::path::is_separator, "-");
        if LEFT_OUT.iter().any(|left_out| words.to_lowercase().contains(left_out)) {
            continue;
        }
        let (name, version) = (&document.package.name, &document.package.version);
        std::fs::write(corpus.join(format!("{name}-{version}-{words}")), document.text).unwrap();
        count += 1;
    }
    count
}
