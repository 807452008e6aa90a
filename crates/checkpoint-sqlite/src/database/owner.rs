//! Who is alive: one file per open checkpointer, locked by it for as long as it lives.
//!
//! The kernel frees the lock when the process ends, however it ends. So whoever can take the lock of an owner's file,
//! or finds no file, knows that the owner is gone, without waiting for anything to expire.

use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// The own file, removed and unlocked when dropped.
#[derive(Debug)]
pub(crate) struct OwnerFile {
    /// The name of this checkpointer among all that open the database.
    pub(crate) instance: String,
    path: PathBuf,
    /// Holds the lock.
    _file: File,
}

impl OwnerFile {
    /// Makes and locks a file of a new name, and removes files of the dead.
    pub(crate) fn create(database: &Path) -> io::Result<Self> {
        let directory = directory(database);
        // A try fails only when another checkpointer takes the new file for a dead one's, or the last of the others
        // removes the directory, at this very moment.
        let mut tries = 0;
        loop {
            match Self::create_in(&directory) {
                Ok(Some(owner)) => {
                    remove_dead(&directory);
                    return Ok(owner);
                }
                Ok(None) if tries < 100 => {}
                Err(error) if tries < 100 && error.kind() == io::ErrorKind::NotFound => {}
                Ok(None) => return Err(io::Error::other("the owner file is removed again and again")),
                Err(error) => return Err(error),
            }
            tries += 1;
        }
    }

    fn create_in(directory: &Path) -> io::Result<Option<Self>> {
        std::fs::create_dir_all(directory)?;
        let instance = unique_name();
        let path = directory.join(file_name(&instance));
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Names are never used twice: if there is a file of this name, it is the locked one.
        Ok(path.exists().then_some(Self { instance, path, _file: file }))
    }
}

impl Drop for OwnerFile {
    fn drop(&mut self) {
        // What remains, on failure, is a file without lock, which the next to look removes.
        let _ = std::fs::remove_file(&self.path);
        if let Some(directory) = self.path.parent() {
            let _ = std::fs::remove_dir(directory);
        }
    }
}

/// Whether the checkpointer of this name lives. Removes its file when it does not.
pub(crate) fn is_alive(database: &Path, instance: &str) -> io::Result<bool> {
    is_locked(&directory(database).join(file_name(instance)))
}

fn is_locked(path: &Path) -> io::Result<bool> {
    let file = match OpenOptions::new().write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    // Shared, so that two who look at the same time do not take each other for the owner.
    match file.try_lock_shared() {
        Ok(()) => {
            let _ = std::fs::remove_file(path);
            Ok(false)
        }
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes the files of checkpointers that are gone. What cannot be read is left for the next.
fn remove_dead(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "lock") {
            let _ = is_locked(&path);
        }
    }
}

fn directory(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".owners");
    name.into()
}

fn file_name(instance: &str) -> String {
    format!("{instance}.lock")
}

/// A name that no other checkpointer has: 128 bits of the randomness that the system gives to hash tables.
fn unique_name() -> String {
    let word = |salt: u64| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(salt);
        hasher.write_u32(std::process::id());
        hasher.finish()
    };
    format!("{:016x}{:016x}", word(1), word(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dead_are_told_from_the_living() {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("d.db");
        let first = OwnerFile::create(&database).unwrap();
        let second = OwnerFile::create(&database).unwrap();
        assert_ne!(first.instance, second.instance);
        assert!(is_alive(&database, &first.instance).unwrap());
        assert!(!is_alive(&database, "nobody").unwrap());
        let name = first.instance.clone();
        drop(first);
        assert!(!is_alive(&database, &name).unwrap());

        // A process that died leaves a file that nobody locks.
        let left = super::directory(&database).join("dead.lock");
        File::create(&left).unwrap();
        assert!(!is_alive(&database, "dead").unwrap());
        assert!(!left.exists());
        File::create(&left).unwrap();
        let third = OwnerFile::create(&database).unwrap();
        assert!(!left.exists());
        drop((second, third));
        assert!(!super::directory(&database).exists());
    }
}
