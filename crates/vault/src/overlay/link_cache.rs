//! The links of an overlay: the links of the vault, with those of the changed files replaced.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Overlay;
use crate::links::Entry;
use crate::{Change, ContentHash, LinkIndex, NotePath};

/// The links at the last request. Clones share the index until one of the clones changes it.
#[derive(Debug, Default)]
pub(super) struct OverlayLinks(Mutex<Option<LinkCache>>);

#[derive(Clone, Debug)]
struct LinkCache {
    index: Arc<LinkIndex>,
    /// The content of each changed file at the last request.
    seen: BTreeMap<NotePath, FileContent>,
}

/// The content of a changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FileContent {
    Nothing,
    Text(Arc<str>),
    Carried(ContentHash, Option<NotePath>),
}

impl FileContent {
    fn of(change: &Change) -> Self {
        match (&change.after, &change.carried) {
            (Some(text), _) => Self::Text(Arc::clone(text)),
            (None, Some(hash)) => Self::Carried(hash.clone(), change.moved_from.clone()),
            (None, None) => Self::Nothing,
        }
    }
}

impl Clone for OverlayLinks {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }
}

impl OverlayLinks {
    /// The links of an overlay now. Only files whose content differs from the last request are read.
    pub(super) fn of(&self, overlay: &Overlay) -> Arc<LinkIndex> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let base = overlay.vault.layer();
        let known = cache.take().filter(|cache| cache.index.is_over(&base));
        let mut now =
            known.unwrap_or_else(|| LinkCache { index: Arc::new(LinkIndex::over(base)), seen: BTreeMap::new() });
        let changes = &overlay.changes;
        let gone: Vec<NotePath> = now.seen.keys().filter(|path| changes.get(path).is_none()).cloned().collect();
        let others: Vec<(NotePath, FileContent)> = changes
            .iter()
            .map(|(path, change)| (path, FileContent::of(change)))
            .filter(|(path, seen)| now.seen.get(*path) != Some(seen))
            .map(|(path, seen)| (path.clone(), seen))
            .collect();
        if !gone.is_empty() || !others.is_empty() {
            let LinkCache { index, seen: known } = &mut now;
            let index = Arc::make_mut(index);
            for path in gone {
                index.restore(&path);
                known.remove(&path);
            }
            for (path, seen) in others {
                let entry = (seen != FileContent::Nothing).then(|| Entry::read(overlay, &path));
                index.set(&path, entry);
                known.insert(path, seen);
            }
        }
        let index = Arc::clone(&now.index);
        *cache = Some(now);
        index
    }
}
