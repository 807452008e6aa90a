//! A corpus of real documents: what packages that this one is built of come with.

use std::path::Path;

use graphloom_test_support::packages::{Package, markdown, packages};

/// Packages whose documents are about searching, storing and reading text.
const PACKAGES: [&str; 6] = ["tantivy", "regex", "tokenizers", "jsonschema", "rusqlite", "rayon"];
/// Documents about how a package is kept, not about what it does.
const LEFT_OUT: [&str; 4] = ["changelog", "release", "security", "contributing"];

/// Copies the Markdown files of the packages into `corpus`. Returns how many there are.
pub(crate) fn fill(corpus: &Path) -> usize {
    std::fs::create_dir_all(corpus).unwrap();
    let mut count = 0;
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    for Package { name, version, root, .. } in packages(&workspace).unwrap() {
        if !PACKAGES.contains(&name.as_str()) {
            continue;
        }
        for file in markdown(&root).unwrap() {
            let words = file.strip_prefix(&root).unwrap().to_string_lossy().replace(std::path::is_separator, "-");
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
