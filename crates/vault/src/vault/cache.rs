//! Notes that were read and have not changed since.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::{Note, NotePath};

/// A file that changed less than this before it was read may change again without its time showing it.
const SETTLED: Duration = Duration::from_secs(2);

/// Size and times of a file, which tell one state of it from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: SystemTime,
    /// When anything of the file changed, its times included; nobody can set that back.
    changed: SystemTime,
    bytes: u64,
}

impl Stamp {
    /// The stamp of a file that has rested long enough for its time to tell.
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        let modified = metadata.modified().ok()?;
        let changed = changed(metadata).unwrap_or(modified);
        let rested = SystemTime::now().duration_since(modified.max(changed)).is_ok_and(|age| age > SETTLED);
        rested.then_some(Self { modified, changed, bytes: metadata.len() })
    }

    #[cfg(test)]
    pub(super) fn of_bytes(bytes: u64) -> Self {
        Self { modified: SystemTime::UNIX_EPOCH, changed: SystemTime::UNIX_EPOCH, bytes }
    }
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let (seconds, nanos) = (u64::try_from(metadata.ctime()).ok()?, u32::try_from(metadata.ctime_nsec()).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

#[cfg(not(unix))]
fn changed(_metadata: &Metadata) -> Option<SystemTime> {
    None
}

#[derive(Debug, Default)]
pub(super) struct Cache {
    notes: Mutex<CachedNotes>,
    limit: usize,
}

#[derive(Debug, Default)]
struct CachedNotes {
    notes: BTreeMap<NotePath, (Stamp, Note)>,
    bytes: usize,
}

impl Cache {
    pub(super) fn new(limit: usize) -> Self {
        Self { notes: Mutex::default(), limit }
    }

    pub(super) fn get(&self, path: &NotePath, stamp: Stamp) -> Option<Note> {
        let cached = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        cached.notes.get(path).filter(|(seen, _)| *seen == stamp).map(|(_, note)| note.clone())
    }

    pub(super) fn put(&self, note: &Note, stamp: Stamp) {
        let mut cached = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, old)) = cached.notes.remove(note.path()) {
            cached.bytes -= old.text().len();
        }
        if cached.bytes + note.text().len() <= self.limit {
            cached.bytes += note.text().len();
            cached.notes.insert(note.path().clone(), (stamp, note.clone()));
        }
    }
}
