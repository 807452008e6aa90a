//! A disk that fails.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::super::files::{Disk, FileAttributes, Files};

/// How the disk fails at a numbered operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Nothing works from this operation on; it was not begun.
    DiesBefore,
    /// Nothing works after this operation; a write was half done.
    DiesWithin,
    /// From here on nothing that needs space works.
    Full,
}

/// A disk that fails at one operation. Names are not made durable: the process dies here, not the machine.
pub(super) struct Faulty {
    at: usize,
    failure: Failure,
    pub(super) done: Cell<usize>,
}

impl Faulty {
    pub(super) fn new(at: usize, failure: Failure) -> Self {
        Self { at, failure, done: Cell::new(0) }
    }

    /// Whether to go on with an operation; `Ok(false)`: do it, and then be dead.
    fn step(&self, needs_space: bool) -> io::Result<bool> {
        let now = self.done.replace(self.done.get() + 1);
        match self.failure {
            Failure::Full if now >= self.at && needs_space => Err(io::Error::from(io::ErrorKind::StorageFull)),
            Failure::DiesBefore if now >= self.at => Err(io::Error::other("dead")),
            Failure::DiesWithin if now > self.at => Err(io::Error::other("dead")),
            Failure::DiesWithin if now == self.at => Ok(false),
            _ => Ok(true),
        }
    }

    fn run(&self, needs_space: bool, operation: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let alive = self.step(needs_space)?;
        operation()?;
        if alive { Ok(()) } else { Err(io::Error::other("dead")) }
    }
}

impl Files for Faulty {
    fn make_dir(&self, path: &Path) -> io::Result<()> {
        self.run(true, || Disk.make_dir(path))
    }

    fn write(&self, path: &Path, bytes: &[u8], attributes: &FileAttributes) -> io::Result<()> {
        if self.step(true)? {
            fs::write(path, bytes)?;
            if let Some(permissions) = &attributes.permissions {
                fs::set_permissions(path, permissions.clone())?;
            }
            if let Some(modified) = attributes.modified {
                Disk.touch(path, modified)?;
            }
            return Ok(());
        }
        fs::write(path, &bytes[..bytes.len() / 2])?;
        Err(io::Error::other("dead"))
    }

    fn rewrite(&self, path: &Path, bytes: &[u8], modified: Option<SystemTime>) -> io::Result<()> {
        let old = fs::read(path)?;
        let partly = |until: usize| {
            let rest = old.get(until..).unwrap_or_default();
            fs::write(path, [&bytes[..until], rest].concat())
        };
        match self.step(bytes.len() > old.len()) {
            Ok(true) => {
                fs::write(path, bytes)?;
                modified.map_or(Ok(()), |modified| Disk.touch(path, modified))
            }
            // By turns at several places, the end among them, where only what is too much is still to be cut off.
            Ok(false) => {
                partly(bytes.len() * (self.at % 4 + 1) / 4)?;
                Err(io::Error::other("dead"))
            }
            // What fits is written.
            Err(error) if error.kind() == io::ErrorKind::StorageFull => partly(old.len()).and(Err(error)),
            Err(error) => Err(error),
        }
    }

    fn touch(&self, path: &Path, modified: SystemTime) -> io::Result<()> {
        self.run(false, || Disk.touch(path, modified))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.run(false, || Disk.rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.run(false, || Disk.remove(path))
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.run(false, || Disk.remove_dir(path))
    }

    fn sync_dir(&self, _path: &Path) -> io::Result<()> {
        self.run(false, || Ok(()))
    }
}
