//! A vault at its public boundary: real directories, real files.
#![expect(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod apply;
mod bad_input;
mod constructs;
mod diff;
mod edits;
mod foreign;
mod frontmatter;
mod incremental;
mod links;
mod marks;
mod merging;
mod notes;
mod rename;
#[cfg(unix)]
mod same_files;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use graphloom_vault::{Changes, NotePath, Overlay, Vault, VaultOptions};

/// A directory with files, and the vault in it.
struct TestVault {
    dir: tempfile::TempDir,
    vault: Arc<Vault>,
}

impl TestVault {
    fn new(files: &[(&str, &str)]) -> Self {
        let bytes: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        Self::of_bytes(&bytes)
    }

    fn of_bytes(files: &[(&str, &[u8])]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let full = dir.path().join(path);
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(full, bytes).unwrap();
        }
        let vault = Arc::new(Vault::open(dir.path(), VaultOptions::default()).unwrap());
        Self { dir, vault }
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    fn overlay(&self) -> Overlay {
        Overlay::new(Arc::clone(&self.vault), Changes::default())
    }

    /// Every file and folder but the journal, with the bytes of files.
    fn tree(&self) -> BTreeMap<String, Option<Vec<u8>>> {
        tree(self.root())
    }
}

fn tree(root: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for item in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let path = item.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path == ".obsius" {
                continue;
            }
            let bytes = item.file_type().unwrap().is_file().then(|| fs::read(item.path()).unwrap());
            if item.file_type().unwrap().is_dir() {
                open.push(item.path());
            }
            found.insert(path, bytes);
        }
    }
    found
}

fn path(text: &str) -> NotePath {
    NotePath::parse(text).unwrap()
}
