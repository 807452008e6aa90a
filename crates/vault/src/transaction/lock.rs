//! One process at a time applies changes to a vault.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use super::files::Files;
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
        Ok(()) => Ok(Lock { _file: file }),
        Err(TryLockError::WouldBlock) => Err(VaultError::Busy { root: root.to_owned() }),
        Err(TryLockError::Error(error)) => Err(VaultError::io("lock", &path, error)),
    }
}
