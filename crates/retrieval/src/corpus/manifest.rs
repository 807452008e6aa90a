//! Which files the index holds, in which state.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::RetrievalError;

const PREFIX: &str = "files-";

/// A file that was read less than this after its last change may change again without a new time stamp.
const STAMP_GRAIN: Duration = Duration::from_secs(2);

/// The files of the index by their key.
///
/// It is written under a name made of its content before the commit that names it, so that a crash between the two
/// leaves the older pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) files: BTreeMap<String, FileState>,
}

/// One file as it was when it was indexed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileState {
    /// The key of the root the file was found under.
    pub(super) root: String,
    pub(super) stamp: Stamp,
    /// BLAKE3 of the bytes.
    pub(super) hash: String,
    pub(super) passages: usize,
    /// What was lost in reading.
    pub(super) note: Option<String>,
}

/// What the system tells of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) bytes: u64,
    modified: Option<Duration>,
    /// Whether the time stamp was old enough to tell of every later change.
    settled: bool,
}

impl Stamp {
    /// The state of a file at `now`, a moment before it is read.
    pub(super) fn of(metadata: &Metadata, now: SystemTime) -> Self {
        let modified = metadata.modified().ok();
        Self {
            bytes: metadata.len(),
            modified: modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()),
            settled: modified.and_then(|time| now.duration_since(time).ok()).is_some_and(|age| age > STAMP_GRAIN),
        }
    }

    /// Whether a file with the stamp `now` surely has the content it had at this stamp.
    pub(super) fn still_holds(&self, now: &Self) -> bool {
        self.settled && self.modified.is_some() && self.modified == now.modified && self.bytes == now.bytes
    }
}

impl Manifest {
    /// Reads the manifest that the last commit names.
    pub(super) fn load(dir: &Path, name: Option<&str>) -> Result<Self, String> {
        let Some(name) = name else { return Ok(Self::default()) };
        if !name.starts_with(PREFIX) || name.contains(['/', '\\']) {
            return Err(format!("the list of files has the unknown name `{name}`"));
        }
        let bytes = std::fs::read(dir.join(name)).map_err(|error| format!("`{name}` cannot be read: {error}"))?;
        if name_of(&bytes) != name {
            return Err(format!("`{name}` is damaged"));
        }
        serde_json::from_slice(&bytes).map_err(|error| format!("`{name}` is damaged: {error}"))
    }

    /// Writes the manifest and says under which name.
    pub(super) fn store(&self, dir: &Path) -> Result<String, RetrievalError> {
        let failed = |path: &Path, error| RetrievalError::index_file(dir, path, error);
        let bytes = serde_json::to_vec(self).map_err(|error| failed(dir, error.into()))?;
        let name = name_of(&bytes);
        let path = dir.join(&name);
        let write = || {
            let mut file = std::fs::File::create(&path)?;
            file.write_all(&bytes)?;
            file.sync_all()
        };
        write().map_err(|error| failed(&path, error))?;
        Ok(name)
    }

    /// Deletes all manifests but the one named `current`. What cannot be deleted does no harm.
    pub(super) fn delete_others(dir: &Path, current: &str) {
        let Ok(entries) = std::fs::read_dir(dir) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name != current) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

fn name_of(bytes: &[u8]) -> String {
    format!("{PREFIX}{}.json", &blake3::hash(bytes).to_hex()[..32])
}
