//! The links of a vault, kept while it is open.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Listing, Vault};
use crate::links::{Entry, Layer};
use crate::source::holds_links;

/// The links of all files as a listing found them.
#[derive(Debug, Default)]
pub(super) struct VaultLinks(Mutex<(Arc<Listing>, Arc<Layer>)>);

impl VaultLinks {
    /// The links as of the last listing of the vault. A file is read when it is new, when its stamp is another, and when it
    /// changed so shortly before it was listed that its stamp does not tell.
    pub(super) fn of(&self, vault: &Vault) -> Arc<Layer> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Listed under the lock, so that no older listing follows a newer one.
        let now = vault.listing();
        let (before, layer) = &mut *cache;
        if Arc::ptr_eq(before, &now) {
            return Arc::clone(layer);
        }
        // Whoever still holds the layer keeps it as it is.
        let next = Arc::make_mut(layer);
        let old = before.notes.keys().chain(before.files.keys());
        for path in old.filter(|path| !now.notes.contains_key(*path) && !now.files.contains_key(*path)) {
            next.remove(path);
        }
        for (path, listed) in now.notes.iter().chain(&now.files) {
            let known = before.notes.get(path).or_else(|| before.files.get(path));
            let holds = path.is_note() || holds_links(path);
            let is_same = |known: &super::walk::ListedFile| {
                !holds || (known.stamp.is_some() && known.stamp == listed.stamp && known.disk == listed.disk)
            };
            if !known.is_some_and(is_same) {
                next.insert(path, Entry::read(vault, path));
            }
        }
        *before = now;
        Arc::clone(layer)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::PoisonError;

    use super::super::cache::Stamp;
    use super::*;
    use crate::{NotePath, VaultOptions};

    #[test]
    fn only_files_with_another_stamp_are_read_again() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["A.md", "B.md"] {
            fs::write(dir.path().join(name), "[[old]]").unwrap();
        }
        let vault = Vault::open(dir.path(), VaultOptions::default()).unwrap();
        // As if the files had rested.
        let list = |stamps: [u64; 2]| {
            let mut listing = vault.listing().as_ref().clone();
            for (listed, stamp) in listing.notes.values_mut().zip(stamps) {
                listed.stamp = Some(Stamp::of_bytes(stamp));
            }
            *vault.listing.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(listing);
        };
        let targets = |name: &str| vault.links().outgoing(&NotePath::parse(name).unwrap())[0].link.target.clone();
        list([1, 1]);
        assert_eq!([targets("A.md"), targets("B.md")], ["old", "old"]);
        for name in ["A.md", "B.md"] {
            fs::write(dir.path().join(name), "[[new]]").unwrap();
        }
        list([2, 1]);
        assert_eq!([targets("A.md"), targets("B.md")], ["new", "old"]);
    }
}
