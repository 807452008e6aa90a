//! Doing what an intent says, and taking it back.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::{FileAttributes, Files};
use super::journal::{End, FileAction, HOME, Intent, Operation, blob, journal_dir};
use super::place::Progress;
use crate::vault::reach;
use crate::{ContentHash, NotePath, VaultError};

/// The root of a vault and the way to change files in it.
pub(super) struct FileAccess<'a> {
    pub(super) root: &'a Path,
    pub(super) files: &'a dyn Files,
}

/// The bytes to write for an operation.
pub(super) struct Staged {
    pub(super) op: usize,
    pub(super) bytes: Vec<u8>,
    pub(super) attributes: FileAttributes,
}

/// Whether a file that changed meanwhile stops everything, or is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Apply,
    Recover,
}

/// The file that becomes the mark of how an entry ended.
const MARK: &str = "mark";

pub(super) type Outcome = Result<(), VaultError>;

impl FileAccess<'_> {
    /// Makes backups, new bytes and intent durable, in this order. Gives the entry's folder.
    pub(super) fn begin(
        &self,
        number: u64,
        intent: &Intent,
        backups: &[(ContentHash, Vec<u8>)],
        staged: &[Staged],
    ) -> Result<PathBuf, VaultError> {
        let home = self.root.join(HOME);
        let (blobs, journal) = (home.join("blobs"), journal_dir(self.root));
        for dir in [&home, &blobs, &journal] {
            self.make_dir(dir)?;
        }
        let dir = journal.join(format!("{number:06}"));
        let mut created = Vec::new();
        let written = self.keep_all(backups, &mut created).and_then(|()| self.write_entry(&dir, intent, staged));
        if written.is_err() {
            // A full disk must not be left fuller; what cannot be removed now, recovery removes.
            let _ = self.clear_entry(&dir, true);
            for path in created {
                let _ = self.files.remove(&path);
            }
        }
        written.map(|()| dir)
    }

    fn keep_all(&self, backups: &[(ContentHash, Vec<u8>)], created: &mut Vec<PathBuf>) -> Outcome {
        for (hash, bytes) in backups {
            let path = blob(self.root, hash);
            if fs::read(&path).is_ok_and(|there| ContentHash::of(&there) == *hash) {
                continue;
            }
            let unfinished = path.with_extension("part");
            created.push(unfinished.clone());
            self.write(&unfinished, bytes, &FileAttributes::default())?;
            self.rename(&unfinished, &path)?;
            created.push(path);
        }
        self.sync_dir(&self.root.join(HOME).join("blobs"))
    }

    fn write_entry(&self, dir: &Path, intent: &Intent, staged: &[Staged]) -> Outcome {
        self.make_dir(dir)?;
        // The mark that ends the entry is made now: moving it needs no space on the disk later.
        self.write(&dir.join(MARK), b"", &FileAttributes::default())?;
        for stage in staged {
            self.write(&stage_path(dir, stage.op), &stage.bytes, &stage.attributes)?;
        }
        let json = serde_json::to_vec(intent).map_err(|error| VaultError::io("write", dir, io::Error::other(error)))?;
        let unfinished = dir.join("intent.part");
        self.write(&unfinished, &json, &FileAttributes::default())?;
        self.sync_dir(dir)?;
        self.rename(&unfinished, &dir.join("intent"))?;
        self.sync_dir(dir)
    }

    /// The bytes kept under a hash.
    pub(super) fn backup(&self, hash: &ContentHash) -> Result<Vec<u8>, VaultError> {
        let path = blob(self.root, hash);
        let damaged = |reason: &str| VaultError::Damaged { path: path.clone(), reason: reason.to_owned() };
        match fs::read(&path) {
            Ok(bytes) if ContentHash::of(&bytes) == *hash => Ok(bytes),
            Ok(_) => Err(damaged("its bytes are not those of its name")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(damaged("the backup is not there")),
            Err(error) => Err(VaultError::io("read", &path, error)),
        }
    }

    /// The hash of the file at a path now; `exact`: with exactly this name, where names that differ in case are one.
    pub(super) fn state(&self, place: &Path, exact: bool) -> Result<Option<ContentHash>, VaultError> {
        if reach(self.root, place)?.is_none() {
            return Ok(None);
        }
        let full = self.root.join(place);
        if exact && !has_exact_name(&full) {
            return Ok(None);
        }
        match fs::File::open(&full).and_then(ContentHash::of_reader) {
            Ok(hash) => Ok(Some(hash)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(VaultError::io("read", &full, error)),
        }
    }

    /// Whether every operation that is still to be done can be: its new bytes are there and whole.
    pub(super) fn can_complete(&self, dir: &Path, intent: &Intent) -> bool {
        intent.ops.iter().enumerate().all(|(number, op)| {
            let Ok(now) = self.state(&op.place(), intent.has_twin(op)) else { return true };
            let is_staged = match &op.action {
                FileAction::Write | FileAction::Rewrite => true,
                FileAction::Bring(from) => intent.origin(from).is_some_and(|origin| origin.before != op.after),
                _ => false,
            };
            !is_staged
                || !matches!(self.progress(dir, number, op, intent, now.as_ref()), Progress::Before | Progress::Within)
                || is_whole(&stage_path(dir, number), op.after.as_ref())
        })
    }

    /// Does the operations that are still to be done. Returns the notes that were left because they changed meanwhile.
    pub(super) fn roll_forward(&self, dir: &Path, intent: &Intent, mode: Mode) -> Result<Vec<NotePath>, VaultError> {
        let mut left: BTreeSet<NotePath> = BTreeSet::new();
        for folder in &intent.made {
            let full = self.root.join(folder);
            reach(self.root, &Path::new(folder).join("x"))?;
            self.make_dir(&full)?;
        }
        for (number, op) in intent.ops.iter().enumerate() {
            if op.needs.as_ref().is_some_and(|needed| left.contains(needed)) {
                left.insert(op.path.clone());
                continue;
            }
            let now = match self.state(&op.place(), intent.has_twin(op)) {
                Err(VaultError::Unreachable { .. }) if mode == Mode::Recover => {
                    left.insert(op.path.clone());
                    continue;
                }
                other => other?,
            };
            let progress = self.progress(dir, number, op, intent, now.as_ref());
            if progress == Progress::After {
                self.set_time(op, op.becomes);
                continue;
            }
            let is_expected = progress == Progress::Before || (progress == Progress::Within && mode == Mode::Recover);
            if !is_expected || !self.step(dir, number, op, intent)? {
                if mode == Mode::Apply {
                    return Err(VaultError::Changed { paths: vec![op.path.clone()] });
                }
                left.insert(op.path.clone());
            }
        }
        Ok(left.into_iter().collect())
    }

    /// One operation on a file that is as expected; `false` when its place in `.trash` was taken meanwhile, or what is
    /// carried here is not what it was.
    fn step(&self, dir: &Path, number: usize, op: &Operation, intent: &Intent) -> Result<bool, VaultError> {
        let full = self.root.join(op.place());
        match &op.action {
            FileAction::Write => self.rename(&stage_path(dir, number), &full)?,
            FileAction::Rewrite => self.write_here(&full, &stage_path(dir, number), op)?,
            FileAction::Bring(from) => {
                let Some(origin) = intent.origin(from) else { return Ok(false) };
                if self.state(&op.place(), false)?.is_none() {
                    if self.state(&origin.place(), false)? != origin.before {
                        return Ok(false);
                    }
                    self.move_file(&self.root.join(origin.place()), &full)?;
                }
                if origin.before != op.after {
                    self.write_here(&full, &stage_path(dir, number), op)?;
                }
                self.set_time(op, op.becomes);
                return Ok(true);
            }
            FileAction::Remove => self.remove(&full)?,
            FileAction::Carry(from) => {
                let Some(origin) = intent.origin(from).map(Operation::place) else { return Ok(false) };
                if self.state(&origin, false)? != op.after {
                    return Ok(false);
                }
                return self.move_file(&self.root.join(origin), &full).map(|()| true);
            }
            // The file is still there, so it was not carried.
            FileAction::Leave => return Ok(false),
            FileAction::Trash(to) => {
                if reach(self.root, Path::new(to))?.is_some() {
                    return Ok(false);
                }
                let to = self.root.join(to);
                self.rename(&full, &to)?;
                self.sync_parent(&to)?;
            }
        }
        self.sync_parent(&full)?;
        Ok(true)
    }

    /// Cleans up after an undo, and marks the entry as done.
    pub(super) fn finish(&self, dir: &Path, intent: &Intent) -> Outcome {
        for (path, hash) in &intent.cleared.trash {
            if matches!(self.state(Path::new(path), false), Ok(Some(now)) if now == *hash) {
                self.remove(&self.root.join(path))?;
            }
        }
        self.remove_empty(&intent.cleared.folders);
        self.end(dir, End::Done)
    }

    /// Removes those of the folders, parents first in the list, that are empty. One that is not stays, as it should.
    fn remove_empty(&self, folders: &[String]) {
        for folder in folders.iter().rev() {
            let real = reach(self.root, &Path::new(folder).join("x")).is_ok();
            if real && self.files.remove_dir(&self.root.join(folder)).is_ok() {
                let _ = self.sync_parent(&self.root.join(folder));
            }
        }
    }

    /// Takes back the operations that were done. Returns the notes that were left because they changed meanwhile.
    pub(super) fn roll_back(&self, dir: &Path, intent: &Intent) -> Result<Vec<NotePath>, VaultError> {
        let mut left = Vec::new();
        for (number, op) in intent.ops.iter().enumerate().rev() {
            let now = match self.state(&op.place(), intent.has_twin(op)) {
                Err(VaultError::Unreachable { .. }) => {
                    left.push(op.path.clone());
                    continue;
                }
                other => other?,
            };
            match self.progress(dir, number, op, intent, now.as_ref()) {
                _ if now == op.before => self.set_time(op, op.modified),
                Progress::After | Progress::Within if self.undo_step(dir, number, op, intent)? => {}
                _ => left.push(op.path.clone()),
            }
        }
        self.remove_empty(&intent.made);
        self.end(dir, End::Back)?;
        Ok(left)
    }

    /// Takes back one operation; `false` when somebody put another file where it was.
    fn undo_step(&self, dir: &Path, number: usize, op: &Operation, intent: &Intent) -> Result<bool, VaultError> {
        let full = self.root.join(op.place());
        match (&op.before, &op.action) {
            // It comes back with the one that carried it.
            (_, FileAction::Leave) => return Ok(true),
            (_, FileAction::Carry(from)) => {
                let Some(origin) = intent.origin(from).map(Operation::place) else { return Ok(false) };
                if self.state(&origin, false)?.is_some() {
                    return Ok(false);
                }
                let origin = self.root.join(origin);
                self.rename(&full, &origin)?;
                self.sync_parent(&origin)?;
            }
            (_, FileAction::Bring(from)) => {
                let Some((origin, before)) =
                    intent.origin(from).and_then(|origin| Some((origin, origin.before.as_ref()?)))
                else {
                    return Ok(false);
                };
                if self.state(&origin.place(), false)?.is_some() {
                    return Ok(false);
                }
                if self.state(&op.place(), false)?.as_ref() != Some(before) {
                    self.restore(dir, number, &full, before, origin.modified)?;
                }
                self.move_file(&full, &self.root.join(origin.place()))?;
                self.set_time(origin, origin.modified);
                return Ok(true);
            }
            (None, _) => self.remove(&full)?,
            (Some(before), FileAction::Trash(from)) if matches!(self.state(Path::new(from), false), Ok(Some(now)) if now == *before) =>
            {
                let from = self.root.join(from);
                self.rename(&from, &full)?;
                self.sync_parent(&from)?;
            }
            (Some(before), _) => self.restore(dir, number, &full, before, op.modified)?,
        }
        self.sync_parent(&full).map(|()| true)
    }

    /// Marks how the entry ended; then what it no longer needs is removed.
    fn end(&self, dir: &Path, end: End) -> Outcome {
        self.rename(&dir.join(MARK), &dir.join(end.name()))?;
        self.sync_dir(dir)?;
        // The entry has ended whether this succeeds or not.
        let _ = self.clear_entry(dir, false);
        Ok(())
    }

    /// Removes an entry that never began, or what an ended one does not need.
    pub(super) fn clear_entry(&self, dir: &Path, whole: bool) -> Outcome {
        let listed = fs::read_dir(dir).map_err(|error| VaultError::io("list", dir, error))?;
        for item in listed.flatten() {
            let name = item.file_name();
            let needed = ["intent", "done", "back"].iter().any(|file| name == *file);
            if whole || !needed {
                self.remove(&item.path())?;
            }
        }
        if whole {
            self.files.remove_dir(dir).map_err(|error| VaultError::io("remove", dir, error))?;
            self.sync_parent(dir)?;
        }
        Ok(())
    }

    fn make_dir(&self, path: &Path) -> Outcome {
        if path.is_dir() {
            return Ok(());
        }
        self.files.make_dir(path).map_err(|error| VaultError::io("make", path, error))?;
        self.sync_parent(path)
    }

    pub(super) fn write(&self, path: &Path, bytes: &[u8], attributes: &FileAttributes) -> Outcome {
        self.files.write(path, bytes, attributes).map_err(|error| VaultError::io("write", path, error))
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> Outcome {
        self.files.rename(from, to).map_err(|error| VaultError::io("move into place", to, error))
    }

    pub(super) fn remove(&self, path: &Path) -> Outcome {
        self.files.remove(path).map_err(|error| VaultError::io("remove", path, error))
    }

    pub(super) fn sync_dir(&self, path: &Path) -> Outcome {
        self.files.sync_dir(path).map_err(|error| VaultError::io("sync", path, error))
    }

    pub(super) fn sync_parent(&self, path: &Path) -> Outcome {
        path.parent().map_or(Ok(()), |parent| self.sync_dir(parent))
    }
}

pub(super) fn stage_path(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("new-{number}"))
}

/// Whether a staged file, and no link to one, has the bytes it should.
fn is_whole(path: &Path, expected: Option<&ContentHash>) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
        && fs::read(path).is_ok_and(|bytes| Some(&ContentHash::of(&bytes)) == expected)
}

fn has_exact_name(full: &Path) -> bool {
    let (Some(parent), Some(name)) = (full.parent(), full.file_name()) else { return false };
    fs::read_dir(parent).is_ok_and(|items| items.flatten().any(|item| item.file_name() == name))
}
