//! Checks of new paths and of the size of texts.

use super::Overlay;
use crate::path::broken_rule;
use crate::{NotePath, VaultError};

impl Overlay {
    /// Refuses a text that is too large for the vault to read again.
    pub(super) fn check_size(&self, path: &NotePath, text: &str) -> Result<(), VaultError> {
        let (limit, bytes) = (self.vault.max_note_bytes(), text.len() as u64);
        if bytes > limit { Err(VaultError::TooLarge { path: path.clone(), bytes, limit }) } else { Ok(()) }
    }

    /// Refuses a path whose new names break the rules for names. The names of existing folders are not checked, nor is
    /// the file name when the file keeps it in a move from `from`.
    pub(super) fn check_new(&self, path: &NotePath, from: Option<&NotePath>) -> Result<(), VaultError> {
        let refuse = |reason: String| Err(VaultError::illegal_path(path.as_str(), reason));
        let links = self.links();
        let mut folder = path.folder();
        while !folder.is_empty() {
            let inside = format!("{folder}/");
            if links.resolver().below(folder).any(|file| file.as_str().starts_with(&inside)) {
                break;
            }
            if let Some(reason) = broken_rule(folder.rsplit('/').next().unwrap_or(folder)) {
                return refuse(reason);
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
        if from.is_some_and(|from| from.file_name() == path.file_name()) {
            return Ok(());
        }
        if let Some(reason) = broken_rule(path.file_name()) {
            return refuse(reason);
        }
        path.check_stem().or_else(refuse)
    }

    /// Refuses a path at which no file can be made: a file has the same path in any case of letters, a file stands
    /// where a folder must be, or a folder has the path. Only the files that `counts` selects are considered.
    pub(super) fn check_free(&self, path: &NotePath, counts: impl Fn(&NotePath) -> bool) -> Result<(), VaultError> {
        let links = self.links();
        let resolver = links.resolver();
        let like = |path: &str| resolver.like(path).into_iter().find(|file| counts(file)).cloned();
        if let Some(other) = like(path.as_str()) {
            return Err(VaultError::Exists { path: other });
        }
        let mut folder = path.folder();
        while !folder.is_empty() {
            if let Some(other) = like(folder) {
                return Err(VaultError::illegal_edit(path, format!("`{other}` is a file, not a folder")));
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
        if resolver.below(path.as_str()).any(counts) {
            return Err(VaultError::illegal_edit(path, "there is a folder of this name; choose another"));
        }
        Ok(())
    }
}
