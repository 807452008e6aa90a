//! Running the command in a directory of its own.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use graphloom_test_support::command::ProgramDir;

pub(crate) use graphloom_test_support::command::{result, text};

/// A directory with a vault and a data directory.
pub(crate) struct TestDir(ProgramDir);

impl TestDir {
    /// A vault of three notes.
    pub(crate) fn new() -> Self {
        let dir = ProgramDir::new(env!("CARGO_BIN_EXE_obsius"));
        for (path, text) in [
            ("Tides.md", "---\ntags: [sea]\n---\nTides are moved by the moon.\n"),
            ("Moon.md", "The moon moves the [[Tides]].\n"),
            ("Soup.md", "Soup is made of water.\n"),
        ] {
            dir.write(&format!("vault/{path}"), text);
        }
        Self(dir)
    }

    /// A vault of real documents.
    pub(crate) fn of_documents() -> (Self, usize) {
        let dir = Self(ProgramDir::new(env!("CARGO_BIN_EXE_obsius")));
        std::fs::create_dir_all(dir.vault()).unwrap();
        let count = crate::documents::fill(&dir.vault());
        (dir, count)
    }

    pub(crate) fn vault(&self) -> PathBuf {
        self.path("vault")
    }

    /// Every file of the vault with its bytes, without hidden ones.
    pub(crate) fn bytes(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn walk(dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                    continue;
                }
                if path.is_dir() {
                    walk(&path, files);
                } else {
                    files.insert(path.clone(), std::fs::read(&path).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        walk(&self.vault(), &mut files);
        files
    }

    /// The files of the vault by their names below it.
    pub(crate) fn bytes_by_name(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let vault = self.vault();
        let below = |path: PathBuf| path.strip_prefix(&vault).map(Path::to_owned).unwrap_or(path.clone());
        self.bytes().into_iter().map(|(path, bytes)| (below(path), bytes)).collect()
    }
}

impl Deref for TestDir {
    type Target = ProgramDir;

    fn deref(&self) -> &ProgramDir {
        &self.0
    }
}
