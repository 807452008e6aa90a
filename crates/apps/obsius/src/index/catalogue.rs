//! The cards of all notes, kept on disk and brought up to date by what changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphloom_vault::{NotePath, Notes, Skipped, Vault};
use serde::{Deserialize, Serialize};

use super::card::{Card, Stamp};
use super::{IndexError, IndexSummary};

/// Grows with every change of what a card holds.
const FORMAT: u32 = 1;

/// The cards of all notes by path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Catalogue {
    format: u32,
    entries: BTreeMap<NotePath, Entry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    stamp: Stamp,
    card: Arc<Card>,
}

impl Catalogue {
    /// What was kept; nothing when there is nothing that can be used, as the next refresh makes it anew.
    pub(super) fn load(file: &Path) -> Self {
        let stored = std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        stored.filter(|stored| stored.format == FORMAT).unwrap_or_default()
    }

    pub(super) fn get(&self, path: &NotePath) -> Option<&Arc<Card>> {
        self.entries.get(path).map(|entry| &entry.card)
    }

    pub(super) fn cards(&self) -> impl Iterator<Item = &Arc<Card>> {
        self.entries.values().map(|entry| &entry.card)
    }

    /// The catalogue of the vault as it is now, with what changed. A note is read again when its size or time changed,
    /// and its card is made again when its content changed.
    pub(super) fn refreshed(&self, vault: &Vault) -> (Self, IndexSummary) {
        let mut summary = IndexSummary::default();
        let mut entries = BTreeMap::new();
        for path in vault.paths() {
            let known = self.entries.get(&path);
            let stamp = std::fs::metadata(vault.file(&path)).map(|metadata| Stamp::of(&metadata));
            let stamp = stamp.unwrap_or_default();
            if let Some(entry) = known.filter(|entry| entry.stamp.still_holds(&stamp)) {
                summary.unchanged += 1;
                entries.insert(path, entry.clone());
                continue;
            }
            let note = match vault.read(&path) {
                Ok(Some(note)) => note,
                // It went away since it was listed.
                Ok(None) => continue,
                Err(error) => {
                    summary.unread.push(Skipped::of(&path, &error));
                    continue;
                }
            };
            let same = known.filter(|entry| entry.card.hash == *note.hash());
            let count = match (known, same) {
                (_, Some(_)) => &mut summary.unchanged,
                (Some(_), None) => &mut summary.updated,
                (None, None) => &mut summary.added,
            };
            *count += 1;
            let card = match same {
                Some(entry) if entry.card.modified == stamp.modified => Arc::clone(&entry.card),
                _ => Arc::new(Card::of(&note, stamp.modified)),
            };
            entries.insert(path, Entry { stamp, card });
        }
        summary.notes = entries.len();
        summary.removed = self.entries.keys().filter(|path| !entries.contains_key(*path)).count();
        (Self { format: FORMAT, entries }, summary)
    }

    /// Keeps the catalogue: a whole new file in place of the old one.
    pub(super) fn store(&self, file: &Path) -> Result<(), IndexError> {
        let new: PathBuf = file.with_extension("json.new");
        let failed = |path: &Path, source| IndexError::Unwritable { path: path.to_path_buf(), source };
        let bytes = serde_json::to_vec(self).map_err(|error| failed(&new, error.into()))?;
        std::fs::write(&new, bytes).map_err(|error| failed(&new, error))?;
        std::fs::rename(&new, file).map_err(|error| failed(file, error))
    }
}
