//! Searching a vault, with the changes of a run that are not written yet.
//!
//! The texts are in a full-text index, titles and tags in a catalogue; both are kept in one directory and brought up to
//! date by what changed: a note is read again when its size or time stamp changed, and indexed again when its bytes did.
//! Hidden directories are not searched. A search looks at the notes through an [`Overlay`]: what is changed, moved or
//! deleted there is found as it is to be, and scored as if it were written.

mod card;
mod catalogue;
mod error;
mod query;
mod related;
mod search;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use graphloom_retrieval::{Corpus, CorpusOptions, RetrievalError};
use graphloom_vault::{NotePath, Notes, Overlay, Settings, Skipped, Vault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use card::Card;
pub use error::IndexError;
pub use related::related;
pub(crate) use search::is_in;
pub use search::{Correction, FoundNote, Page, SearchField, SearchQuery};

use catalogue::Catalogue;

/// The index of a vault.
pub struct VaultIndex {
    vault: Arc<Vault>,
    corpus: Corpus,
    file: PathBuf,
    catalogue: RwLock<Arc<Catalogue>>,
    /// Notes that the last refresh could not read.
    unread: RwLock<Vec<Skipped>>,
    settings: RwLock<VaultSettings>,
}

/// The settings of the vault, and what of them could not be read, each in a line.
#[derive(Debug, Default)]
struct VaultSettings {
    settings: Arc<Settings>,
    problems: Vec<String>,
}

impl VaultSettings {
    fn of(vault: &Vault) -> Self {
        let (settings, problems) = vault.settings();
        Self { settings: Arc::new(settings), problems }
    }
}

/// What a refresh found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct IndexSummary {
    /// Notes in the index now.
    pub notes: usize,
    /// Notes that are new.
    pub added: usize,
    /// Notes whose content changed.
    pub updated: usize,
    /// Notes that are gone.
    pub removed: usize,
    /// Notes that are as they were.
    pub unchanged: usize,
    /// Notes that cannot be read, with the reason.
    pub unread: Vec<Skipped>,
    /// Why the full-text index was built anew, if it was.
    pub rebuilt: Option<String>,
}

impl VaultIndex {
    /// Opens the index that is kept in `dir`, which is made when it is not there. What is found before the first
    /// [`refresh`](Self::refresh) is what the last one kept.
    ///
    /// # Errors
    /// A directory that cannot be made, that holds something else, or that a newer version made.
    pub fn open(vault: Arc<Vault>, dir: &Path) -> Result<Self, IndexError> {
        std::fs::create_dir_all(dir).map_err(|source| IndexError::Unwritable { path: dir.to_path_buf(), source })?;
        let mut options = CorpusOptions::default();
        options.endings = vec!["md".to_owned()];
        // To a vault these are folders like others.
        options.ignored_folders = Vec::new();
        // A vault has all its notes, whatever its repository keeps.
        options.git_ignore = false;
        let corpus = Corpus::open(&dir.join("passages"), &[vault.root().to_path_buf()], options)?;
        let file = dir.join("notes.json");
        let catalogue = RwLock::new(Arc::new(Catalogue::load(&file)));
        let settings = RwLock::new(VaultSettings::of(&vault));
        Ok(Self { vault, corpus, file, catalogue, unread: RwLock::default(), settings })
    }

    /// Brings the index up to date with the files of the vault. It blocks.
    ///
    /// # Errors
    /// A vault that cannot be listed; another refresh that takes too long; a full disk.
    pub fn refresh(&self) -> Result<IndexSummary, IndexError> {
        self.vault.refresh()?;
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = VaultSettings::of(&self.vault);
        let rebuilt = match self.corpus.refresh() {
            Ok(report) => report.rebuilt,
            // A vault may be empty.
            Err(RetrievalError::EmptyCorpus { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let before = self.catalogue();
        let (after, mut summary) = before.refreshed(&self.vault);
        if after != *before {
            after.store(&self.file)?;
        }
        *self.catalogue.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(after);
        summary.rebuilt = rebuilt;
        self.unread.write().unwrap_or_else(PoisonError::into_inner).clone_from(&summary.unread);
        Ok(summary)
    }

    /// The vault.
    pub fn vault(&self) -> &Arc<Vault> {
        &self.vault
    }

    /// The files of the vault that are neither read nor changed, each with the reason, as of the last refresh.
    pub fn skipped(&self) -> Vec<Skipped> {
        let mut skipped = self.vault.skipped();
        skipped.extend(self.unread.read().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        skipped.sort();
        skipped
    }

    /// What a person has set for the vault in Obsidian, as of the last refresh.
    pub fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner).settings)
    }

    /// What of the settings could not be read, each in a line.
    pub fn settings_problems(&self) -> Vec<String> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).problems.clone()
    }

    /// The notes that the settings leave out of searches, and that no run changes.
    pub fn excluded(&self) -> Vec<NotePath> {
        let settings = self.settings();
        if settings.excluded.is_empty() {
            return Vec::new();
        }
        self.vault.paths().into_iter().filter(|path| settings.excluded.has(path)).collect()
    }

    /// The cards of all notes as the overlay has them, each with whether it is changed there, in the order of paths.
    pub fn cards(&self, overlay: &Overlay) -> Vec<(Arc<Card>, bool)> {
        let catalogue = self.catalogue();
        let changes = overlay.changes();
        let unchanged = catalogue.cards().filter(|card| changes.get(&card.path).is_none());
        let mut cards: Vec<(Arc<Card>, bool)> = unchanged.map(|card| (Arc::clone(card), false)).collect();
        for (path, _) in changes.iter() {
            if let Ok(Some(note)) = overlay.read(path) {
                let modified = catalogue.get(path).map_or(0, |card| card.modified);
                cards.push((Arc::new(Card::of(&note, modified)), true));
            }
        }
        cards.sort_by(|(one, _), (other, _)| one.path.cmp(&other.path));
        cards
    }

    /// As [`cards`](Self::cards), without the notes that the settings leave out of searches.
    pub fn shown_cards(&self, overlay: &Overlay) -> Vec<(Arc<Card>, bool)> {
        let settings = self.settings();
        let mut cards = self.cards(overlay);
        cards.retain(|(card, _)| !settings.excluded.has(&card.path));
        cards
    }

    fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.catalogue.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for VaultIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultIndex")
            .field("vault", &self.vault.root())
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}
