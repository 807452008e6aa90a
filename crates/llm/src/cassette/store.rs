//! An open cassette.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;

use super::entry::{Entry, Header, ModelLine, Outcome, VERSION};
use super::load::{Loaded, parse};
use super::nearest::explain;
use super::{SecretGuard, key_of};
use crate::ModelError;

/// A recording, open for recording or for playing back. It is shared by all models and tools of a run.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    warnings: Vec<String>,
    mode: Mode,
    /// The number of calls made so far, by key.
    counts: Mutex<BTreeMap<String, u64>>,
}

#[derive(Debug)]
enum Mode {
    Record(Mutex<Recording>),
    Replay { models: Vec<ModelLine>, entries: BTreeMap<String, Vec<Entry>> },
}

#[derive(Debug)]
struct Recording {
    file: File,
    guard: SecretGuard,
    models: Vec<ModelLine>,
    /// The error that stopped the recording.
    stopped: Option<ModelError>,
}

/// A call and its number among equal calls.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) key: String,
    pub(super) n: u64,
    pub(super) by: String,
    pub(super) request: Value,
}

/// Lets only the user read a new recording, because a recording holds whole prompts and replies.
#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &OpenOptions {
    options
}

impl Cassette {
    /// Opens `path` for recording. An existing recording is continued; a torn last line is cut off.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the file cannot be written or is not a recording.
    pub fn record(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        Self::record_guarded(path, SecretGuard::from_env())
    }

    /// As [`Cassette::record`], with the caller's guard.
    ///
    /// # Errors
    /// As [`Cassette::record`].
    pub fn record_guarded(path: impl AsRef<Path>, guard: SecretGuard) -> Result<Self, ModelError> {
        let path = path.as_ref().to_owned();
        let cannot = |error: std::io::Error| ModelError::Setup {
            message: format!("the recording `{}` cannot be written: {error}", path.display()),
        };
        let before = match std::fs::read(&path) {
            Ok(bytes) if !bytes.is_empty() => parse(&bytes, &path)?,
            Ok(_) => Loaded::default(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Loaded::default(),
            Err(error) => return Err(cannot(error)),
        };
        let file = private(OpenOptions::new().create(true).append(true)).open(&path).map_err(cannot)?;
        let length = u64::try_from(before.whole).unwrap_or(u64::MAX);
        file.set_len(length).map_err(cannot)?;
        let mut counts = BTreeMap::new();
        for entry in &before.entries {
            let count = counts.entry(entry.key.clone()).or_insert(0);
            *count = (entry.n + 1).max(*count);
        }
        let recording = Recording { file, guard, models: before.models, stopped: None };
        let cassette = Self {
            path,
            warnings: before.warnings,
            mode: Mode::Record(Mutex::new(recording)),
            counts: Mutex::new(counts),
        };
        if length == 0 {
            cassette.append(&Header { cassette: "graphloom".to_owned(), v: VERSION })?;
        }
        Ok(cassette)
    }

    /// Opens `path` for playing back.
    ///
    /// # Errors
    /// [`ModelError::Setup`] when the file cannot be read, is not a recording, is damaged, or is of a newer version.
    pub fn replay(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref().to_owned();
        let bytes = std::fs::read(&path).map_err(|error| ModelError::Setup {
            message: format!("the recording `{}` cannot be read: {error}", path.display()),
        })?;
        let loaded = parse(&bytes, &path)?;
        let mut entries: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for entry in loaded.entries {
            entries.entry(entry.key.clone()).or_default().push(entry);
        }
        for same in entries.values_mut() {
            same.sort_by_key(|entry| entry.n);
        }
        let mode = Mode::Replay { models: loaded.models, entries };
        Ok(Self { path, warnings: loaded.warnings, mode, counts: Mutex::default() })
    }

    /// The path of the recording.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Faults of the file that did not prevent loading, such as a torn last line.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether calls are played back rather than made.
    pub fn is_replay(&self) -> bool {
        matches!(self.mode, Mode::Replay { .. })
    }

    /// The models of the recording.
    pub fn models(&self) -> Vec<ModelLine> {
        match &self.mode {
            Mode::Record(recording) => recording.lock().unwrap_or_else(PoisonError::into_inner).models.clone(),
            Mode::Replay { models, .. } => models.clone(),
        }
    }

    /// Counts a call and gives the call its number among equal calls.
    pub(super) fn begin(&self, by: &str, request: Value) -> Call {
        let key = key_of(&serde_json::json!({"by": by, "request": request}));
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key.clone()).or_insert(0);
        let n = *count;
        *count += 1;
        Call { key, n, by: by.to_owned(), request }
    }

    /// Writes the outcome of a call.
    pub(super) fn write(&self, call: Call, outcome: Outcome) -> Result<(), ModelError> {
        let Call { key, n, by, request } = call;
        self.append(&Entry { v: VERSION, key, n, by, request, outcome })
    }

    pub(super) fn write_model(&self, line: ModelLine) -> Result<(), ModelError> {
        if self.models().contains(&line) {
            return Ok(());
        }
        self.append(&line)?;
        if let Mode::Record(recording) = &self.mode {
            recording.lock().unwrap_or_else(PoisonError::into_inner).models.push(line);
        }
        Ok(())
    }

    /// The recorded outcome of a call.
    pub(super) fn outcome(&self, call: &Call) -> Result<Outcome, ModelError> {
        let Mode::Replay { entries, .. } = &self.mode else {
            return Err(self.fault("it is open for recording"));
        };
        // A killed program leaves gaps in the numbers, so the place among equal calls counts.
        let index = usize::try_from(call.n).unwrap_or(usize::MAX);
        if let Some(entry) = entries.get(&call.key).and_then(|same| same.get(index)) {
            return Ok(entry.outcome.clone());
        }
        let message = explain(&call.request, &call.key, call.n, &call.by, entries.values().flatten());
        Err(ModelError::CassetteMiss { cassette: self.path.display().to_string(), message })
    }

    pub(super) fn fault(&self, message: &str) -> ModelError {
        ModelError::Internal { model: format!("replay:{}", self.path.display()), message: message.to_owned() }
    }

    /// Writes one whole line, at once.
    fn append(&self, line: &impl Serialize) -> Result<(), ModelError> {
        let Mode::Record(recording) = &self.mode else { return Err(self.fault("it is open for playing back")) };
        let mut text = serde_json::to_string(line).map_err(|error| self.fault(&error.to_string()))?;
        let mut recording = recording.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &recording.stopped {
            return Err(error.clone());
        }
        let failed = if let Some(name) = recording.guard.find(&text) {
            format!(
                "recording to `{}` stopped: the value of `{name}` was about to be written; keep it out of prompts and results",
                self.path.display()
            )
        } else {
            text.push('\n');
            match recording.file.write_all(text.as_bytes()) {
                Ok(()) => return Ok(()),
                Err(error) => format!("recording to `{}` stopped: {error}", self.path.display()),
            }
        };
        let error = ModelError::Setup { message: failed };
        recording.stopped = Some(error.clone());
        Err(error)
    }
}
