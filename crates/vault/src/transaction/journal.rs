//! What is written before a note is touched, and where.
//!
//! ```text
//! .obsius/lock                      held by whoever applies
//! .obsius/blobs/HASH                bytes of notes as they were
//! .obsius/journal/000001/new-3      the new bytes of operation 3, before they are moved into place
//! .obsius/journal/000001/intent     what is to be done; its presence means that everything above is durable
//! .obsius/journal/000001/done|back  how it ended
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::vault::reach;
use crate::{ContentHash, Move, NotePath, VaultError};

const FORMAT: u32 = 1;
pub(super) const HOME: &str = ".obsius";

/// The operations of a transaction, all of which are done or none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Intent {
    format: u32,
    pub(super) run: String,
    pub(super) at_ms: u64,
    pub(super) kind: Kind,
    /// In the order they are done.
    pub(super) ops: Vec<Operation>,
    #[serde(default)]
    pub(super) moves: Vec<Move>,
    /// Other paths that are given back together or not at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) ties: Vec<BTreeSet<NotePath>>,
    /// Folders that did not exist, parents first.
    #[serde(default)]
    pub(super) made: Vec<String>,
    /// What is cleared away at the end of an undo.
    #[serde(default)]
    pub(super) cleared: CleanUp,
}

/// A group of changes that are applied or undone together.
#[derive(Clone, Debug, Default)]
pub(super) struct ChangeGroup {
    pub(super) moves: Vec<Move>,
    pub(super) ties: Vec<BTreeSet<NotePath>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Apply,
    Undo,
}

/// What undoing removes: files in `.trash` that are still what was put there, and folders that are empty.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct CleanUp {
    pub(super) trash: Vec<(String, ContentHash)>,
    pub(super) folders: Vec<String>,
}

/// One note's change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Operation {
    pub(super) path: NotePath,
    /// The name on disk where its Unicode form differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) disk: Option<String>,
    pub(super) before: Option<ContentHash>,
    pub(super) after: Option<ContentHash>,
    #[serde(rename = "fate")]
    pub(super) action: FileAction,
    /// When the file was last changed before, since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) modified: Option<Duration>,
    /// When the file is to have been changed last, where an undo gives that time back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) becomes: Option<Duration>,
    /// The note that must be written before this one is removed: the other end of a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) needs: Option<NotePath>,
}

/// What a transaction does to one file. Journals store these names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FileAction {
    /// A file comes here, over what is there.
    Write,
    /// The file that is here gets other bytes.
    Rewrite,
    Remove,
    /// The file goes to this path in `.trash`.
    Trash(String),
    /// The file comes from this path as it is.
    Carry(NotePath),
    /// The file comes from this path and stays the same file. Its bytes may change, and a copy is kept.
    Bring(NotePath),
    /// The file goes to where another operation carries or brings it.
    Leave,
}

/// A time of a file as it is written down; `None` before 1970.
pub(super) fn since_epoch(time: SystemTime) -> Option<Duration> {
    time.duration_since(SystemTime::UNIX_EPOCH).ok()
}

/// The time that was written down.
pub(super) fn time_of(since: Option<Duration>) -> Option<SystemTime> {
    SystemTime::UNIX_EPOCH.checked_add(since?)
}

impl Operation {
    pub(super) fn place(&self) -> PathBuf {
        PathBuf::from(self.disk.as_deref().unwrap_or(self.path.as_str()))
    }
}

impl Intent {
    pub(super) fn new(run: &str, kind: Kind, ops: Vec<Operation>, bound: ChangeGroup, made: Vec<String>) -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let at_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        let ChangeGroup { moves, ties } = bound;
        Self { format: FORMAT, run: run.to_owned(), at_ms, kind, ops, moves, ties, made, cleared: CleanUp::default() }
    }

    /// The operation that a carried file leaves from.
    pub(super) fn origin(&self, from: &NotePath) -> Option<&Operation> {
        self.ops.iter().find(|op| op.path == *from && op.action == FileAction::Leave)
    }

    /// Whether another operation's path differs from this one's in case only, so that names must be compared exactly.
    pub(super) fn has_twin(&self, op: &Operation) -> bool {
        let key = op.path.key();
        self.ops.iter().filter(|other| other.path.key() == key).count() > 1
    }

    /// What is wrong with an intent that was read: a journal can be forged like any file of a vault.
    fn fault(&self) -> Option<String> {
        if self.format != FORMAT {
            return Some(format!("its format is {}, this version reads {FORMAT}", self.format));
        }
        for op in &self.ops {
            if op.disk.as_ref().is_some_and(|disk| disk.nfc().collect::<String>() != op.path.as_str()) {
                return Some(format!("`{}` has another name on disk", op.path));
            }
            let makes = matches!(
                op.action,
                FileAction::Write | FileAction::Rewrite | FileAction::Carry(_) | FileAction::Bring(_)
            );
            if makes != op.after.is_some() || (op.action == FileAction::Rewrite && op.before.is_none()) {
                return Some(format!("`{}` has no text to write", op.path));
            }
            if let FileAction::Carry(from) = &op.action
                && (op.before.is_some() || self.origin(from).is_none_or(|origin| origin.before != op.after))
            {
                return Some(format!("`{}` is not what `{from}` was", op.path));
            }
            if let FileAction::Bring(from) = &op.action
                && (op.before.is_some() || self.origin(from).is_none_or(|origin| origin.before.is_none()))
            {
                return Some(format!("`{}` does not come from `{from}`", op.path));
            }
        }
        let trashed = self.ops.iter().filter_map(|op| match &op.action {
            FileAction::Trash(path) => Some(path),
            _ => None,
        });
        let mut trashed = trashed.chain(self.cleared.trash.iter().map(|(path, _)| path));
        if let Some(path) = trashed.find(|path| !is_trash_path(path)) {
            return Some(format!("`{path}` is no file of `.trash`"));
        }
        let mut folders = self.made.iter().chain(&self.cleared.folders);
        let bad = |folder: &&String| folder.as_str() != TRASH && crate::vault::broken_folder(folder).is_some();
        folders.find(bad).map(|folder| format!("`{folder}` is no folder of notes"))
    }
}

pub(super) const TRASH: &str = ".trash";

fn is_trash_path(path: &str) -> bool {
    let name = path.strip_prefix(TRASH).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| NotePath::of_file(name).is_ok_and(|note| note.folder().is_empty()))
}

/// How an entry ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Done,
    Back,
}

impl End {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Back => "back",
        }
    }
}

/// One entry of the journal.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) dir: PathBuf,
    /// `None` when it never got that far.
    pub(super) intent: Option<Result<Intent, VaultError>>,
    pub(super) end: Option<End>,
}

pub(super) fn journal_dir(root: &Path) -> PathBuf {
    root.join(HOME).join("journal")
}

pub(super) fn blob(root: &Path, hash: &ContentHash) -> PathBuf {
    root.join(HOME).join("blobs").join(hash.as_str())
}

/// Refuses a journal that a symbolic link leads elsewhere.
pub(super) fn check_home(root: &Path) -> Result<(), VaultError> {
    for inner in ["lock", "journal/x/x", "blobs/x"] {
        reach(root, &Path::new(HOME).join(inner))?;
    }
    Ok(())
}

/// The entries in the order they were begun.
pub(super) fn entries(root: &Path) -> Result<Vec<Entry>, VaultError> {
    let dir = journal_dir(root);
    let listed = match fs::read_dir(&dir) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(VaultError::io("list", &dir, error)),
    };
    let mut dirs = Vec::new();
    for item in listed {
        let item = item.map_err(|error| VaultError::io("list", &dir, error))?;
        let number = item.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
        if let Some(number) = number.filter(|_| item.file_type().is_ok_and(|kind| kind.is_dir())) {
            dirs.push((number, item.path()));
        }
    }
    dirs.sort();
    Ok(dirs.into_iter().map(|(_, dir)| entry(dir)).collect())
}

fn entry(dir: PathBuf) -> Entry {
    let end = [End::Done, End::Back].into_iter().find(|end| dir.join(end.name()).exists());
    let path = dir.join("intent");
    let intent = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(VaultError::io("read", &path, error))),
        Ok(bytes) => Some(parsed(&path, &bytes)),
    };
    Entry { dir, intent, end }
}

fn parsed(path: &Path, bytes: &[u8]) -> Result<Intent, VaultError> {
    let damaged = |reason: String| VaultError::Damaged { path: path.to_owned(), reason };
    let intent: Intent = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
    match intent.fault() {
        Some(fault) => Err(damaged(fault)),
        None => Ok(intent),
    }
}

/// The number of the next entry.
pub(super) fn next_number(entries: &[Entry]) -> u64 {
    let numbers = entries.iter().filter_map(|entry| entry.dir.file_name()?.to_str()?.parse::<u64>().ok());
    numbers.max().unwrap_or(0) + 1
}
