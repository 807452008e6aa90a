//! One process at a time applies changes to a vault.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use super::files::{FileAttributes, Files};
use super::journal::{HOME, check_home};
use crate::VaultError;

/// Held while changes are applied; the system frees it when the process ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

pub(super) fn lock(root: &Path, files: &dyn Files) -> Result<Lock, VaultError> {
    check_home(root)?;
    let home = root.join(HOME);
    if !home.is_dir() {
        files.make_dir(&home).map_err(|error| VaultError::io("make", &home, error))?;
    }
    let path = home.join("lock");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|error| VaultError::io("open", &path, error))?;
    match file.try_lock() {
        Ok(()) => {
            ignore(&home, files);
            Ok(Lock { _file: file })
        }
        Err(TryLockError::WouldBlock) => Err(VaultError::Busy { root: root.to_owned() }),
        Err(TryLockError::Error(error)) => Err(VaultError::io("lock", &path, error)),
    }
}

/// What is kept here is no part of a person's notes, and does not belong into their repository.
const IGNORED: &[u8] = b"# Made by Obsius: backups and journal, for undoing what was written.\n*\n";

/// Lets git pass over the folder. One that is there stays as it is; without it nothing is worse.
fn ignore(home: &Path, files: &dyn Files) {
    let path = home.join(".gitignore");
    if path.symlink_metadata().is_ok() {
        return;
    }
    let unfinished = home.join("gitignore.part");
    if files
        .write(&unfinished, IGNORED, &FileAttributes::default())
        .and_then(|()| files.rename(&unfinished, &path))
        .is_err()
    {
        let _ = files.remove(&unfinished);
    }
}
