//! What a `.gitignore` leaves out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The rules of the `.gitignore` files in a folder, below it, and above it up to the top of its repository.
#[derive(Debug)]
pub(super) struct GitIgnore {
    /// The highest folder whose rules count.
    top: PathBuf,
    folders: RefCell<HashMap<PathBuf, Option<Arc<Gitignore>>>>,
}

impl GitIgnore {
    pub(super) fn new(root: &Path) -> Self {
        let top = root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(root);
        Self { top: top.to_path_buf(), folders: RefCell::default() }
    }

    /// Whether a file or folder below the root is left out. The rules of the nearest folder come first
    /// (gitignore(5), "PATTERN FORMAT"). That a folder is left out says nothing of what is below it.
    pub(super) fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        for folder in path.ancestors().skip(1) {
            match self.rules(folder).map(|rules| match rules.matched(path, is_folder) {
                Match::None => None,
                found => Some(found.is_ignore()),
            }) {
                Some(Some(ignored)) => return ignored,
                _ if folder == self.top => return false,
                _ => {}
            }
        }
        false
    }

    fn rules(&self, folder: &Path) -> Option<Arc<Gitignore>> {
        if let Some(known) = self.folders.borrow().get(folder) {
            return known.clone();
        }
        let mut files = vec![folder.join(".gitignore")];
        if folder == self.top {
            files.insert(0, folder.join(".git/info/exclude"));
        }
        files.retain(|file| file.is_file());
        let rules = (!files.is_empty()).then(|| {
            let mut builder = GitignoreBuilder::new(folder);
            // As git does, a line that cannot be read is passed over.
            files.iter().for_each(|file| drop(builder.add(file)));
            builder.build().ok().map(Arc::new)
        });
        let rules = rules.flatten();
        self.folders.borrow_mut().insert(folder.to_path_buf(), rules.clone());
        rules
    }
}
