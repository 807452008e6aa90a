//! One file where it is: how far its operation has come, and its bytes and times written over the old ones.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::execute::{FileAccess, Outcome, stage_path};
use super::files::FileAttributes;
use super::journal::{FileAction, Intent, Operation, time_of};
use super::torn::is_between;
use crate::{ContentHash, VaultError};

/// How far one operation has come on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Before,
    /// Its file is where it is to be, with the old bytes or some of the new ones.
    Within,
    After,
    /// Somebody else changed the file.
    Foreign,
}

impl FileAccess<'_> {
    /// Gives a file another name.
    pub(super) fn move_file(&self, from: &Path, to: &Path) -> Outcome {
        self.rename(from, to)?;
        // The new name first: a file that has two is better than one that has none.
        self.sync_parent(to)?;
        self.sync_parent(from)
    }

    /// Gives the file that is there its new bytes. Where there is no space for that, the staged copy takes its place.
    pub(super) fn write_here(&self, full: &Path, staged: &Path, op: &Operation) -> Outcome {
        let bytes = fs::read(staged).map_err(|error| VaultError::io("read", staged, error))?;
        match self.files.rewrite(full, &bytes, time_of(op.becomes)) {
            Ok(()) => Ok(()),
            Err(error) if has_no_space(&error) => {
                self.rename(staged, full)?;
                self.sync_parent(full)
            }
            Err(error) => Err(VaultError::io("write", full, error)),
        }
    }

    /// Gives a file that is as it is to be the time it was changed.
    pub(super) fn set_time(&self, op: &Operation, time: Option<Duration>) {
        let full = self.root.join(op.place());
        let Some(time) = time_of(time) else { return };
        let now =
            fs::symlink_metadata(&full).ok().filter(fs::Metadata::is_file).and_then(|found| found.modified().ok());
        if now.is_none_or(|now| now == time) {
            return;
        }
        // Of a file that belongs to somebody else it cannot be set, and nothing else depends on it.
        let _ = self.files.touch(&full, time);
    }

    /// How far an operation has come, by what its file holds now.
    pub(super) fn progress(
        &self,
        dir: &Path,
        number: usize,
        op: &Operation,
        intent: &Intent,
        now: Option<&ContentHash>,
    ) -> Progress {
        if now == op.after.as_ref() {
            return Progress::After;
        }
        if now == op.before.as_ref() {
            return Progress::Before;
        }
        let old = match &op.action {
            FileAction::Rewrite => op.before.as_ref(),
            FileAction::Bring(from) => intent.origin(from).and_then(|origin| origin.before.as_ref()),
            _ => None,
        };
        let Some(old) = old else { return Progress::Foreign };
        let is_within = || {
            let now = fs::read(self.root.join(op.place())).ok()?;
            let new = fs::read(stage_path(dir, number)).ok()?;
            let is_new = Some(&ContentHash::of(&new)) == op.after.as_ref();
            Some(is_new && is_between(&now, &self.backup(old).ok()?, &new))
        };
        let was_moved = matches!(op.action, FileAction::Bring(_)) && now == Some(old);
        if was_moved || is_within() == Some(true) { Progress::Within } else { Progress::Foreign }
    }

    /// Gives a file the bytes it had; where it is, if that can be.
    pub(super) fn restore(
        &self,
        dir: &Path,
        number: usize,
        full: &Path,
        before: &ContentHash,
        time: Option<Duration>,
    ) -> Outcome {
        let bytes = self.backup(before)?;
        if full.is_file() && self.files.rewrite(full, &bytes, time_of(time)).is_ok() {
            return Ok(());
        }
        let permissions = fs::metadata(full).ok().map(|metadata| metadata.permissions());
        let old = dir.join(format!("old-{number}"));
        self.write(&old, &bytes, &FileAttributes { permissions, modified: time_of(time) })?;
        self.rename(&old, full)
    }
}

fn has_no_space(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}
