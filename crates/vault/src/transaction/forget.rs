//! Removing what is kept for undoing.
//!
//! An entry first gets a name that no reader of the journal takes for one, by one rename, so that a crash leaves it whole
//! or gone. Those of a run go newest first: what is left of it after a crash no longer fits the notes, and undoing it is
//! refused. Bytes go last, when no entry names them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::execute::FileAccess;
use super::journal::{self, Entry, HOME};
use super::lock;
use super::{Files, recover_first};
use crate::{Vault, VaultError};

/// The ending of an entry that is being removed.
const GONE: &str = "gone";

/// The result of removing backups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Forgotten {
    /// The runs of which nothing is kept any more.
    pub runs: BTreeSet<String>,
    /// How many bytes were removed.
    pub bytes: u64,
}

pub(super) fn forget_with(files: &dyn Files, vault: &Vault, runs: &BTreeSet<String>) -> Result<Forgotten, VaultError> {
    journal::check_home(vault.root())?;
    if !journal::journal_dir(vault.root()).is_dir() {
        return Ok(Forgotten::default());
    }
    let _lock = lock::lock(vault.root(), files)?;
    let access = FileAccess { root: vault.root(), files };
    recover_first(vault, &access)?;
    let mut forgotten = Forgotten::default();
    let (mut gone, remaining): (Vec<_>, Vec<_>) = journal::entries(vault.root())?.into_iter().partition(|entry| {
        entry.end.is_some() && matches!(&entry.intent, Some(Ok(intent)) if runs.contains(&intent.run))
    });
    gone.reverse();
    for entry in &gone {
        forgotten.bytes += access.retire(&entry.dir)?;
        if let Some(Ok(intent)) = &entry.intent {
            forgotten.runs.insert(intent.run.clone());
        }
    }
    forgotten.bytes += access.sweep(&remaining)?;
    Ok(forgotten)
}

impl FileAccess<'_> {
    /// Takes an entry out of the journal and removes it.
    fn retire(&self, dir: &Path) -> Result<u64, VaultError> {
        let aside = dir.with_extension(GONE);
        if aside.is_dir() {
            self.discard(&aside)?;
        }
        self.rename(dir, &aside)?;
        self.sync_parent(dir)?;
        self.discard(&aside)
    }

    fn discard(&self, dir: &Path) -> Result<u64, VaultError> {
        let bytes = items(dir).iter().filter_map(|path| size(path)).sum();
        self.clear_entry(dir, true)?;
        Ok(bytes)
    }

    /// Removes what an earlier removal left, and bytes that no entry names. Where an entry cannot be read, all bytes
    /// stay.
    fn sweep(&self, remaining: &[Entry]) -> Result<u64, VaultError> {
        let mut bytes = 0;
        for dir in items(&journal::journal_dir(self.root)) {
            if dir.extension().is_some_and(|ending| ending == GONE) && dir.is_dir() {
                bytes += self.discard(&dir)?;
            }
        }
        let mut named: BTreeSet<String> = BTreeSet::new();
        for entry in remaining {
            let Some(Ok(intent)) = &entry.intent else { return Ok(bytes) };
            let hashes = intent.ops.iter().filter_map(|op| op.before.as_ref());
            named.extend(hashes.map(|hash| hash.as_str().to_owned()));
        }
        for path in items(&self.root.join(HOME).join("blobs")) {
            let is_named = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| named.contains(name));
            if !is_named && let Some(size) = size(&path) {
                self.remove(&path)?;
                bytes += size;
            }
        }
        Ok(bytes)
    }
}

fn items(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).map(|items| items.flatten().map(|item| item.path()).collect()).unwrap_or_default()
}

fn size(path: &Path) -> Option<u64> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len())
}
