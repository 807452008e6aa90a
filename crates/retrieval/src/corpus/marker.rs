//! The file that says what a directory is: its format and what it was built with.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lock::LOCK_FILE;
use super::manifest::Manifest;
use crate::{CorpusOptions, RetrievalError};

const MARKER_FILE: &str = "graphloom-corpus.json";
const NEW_MARKER_FILE: &str = "graphloom-corpus.json.new";
const ENGINE_DIR: &str = "passages";

/// Grows with every change of the schema, the terms, the ids or the cutting of documents.
const FORMAT: u32 = 5;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    format: u32,
    passage_bytes: usize,
}

/// The state of an index directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum IndexState {
    /// Absent or empty.
    Nothing,
    /// An index of this format and these options.
    Index,
    /// An index that must be built anew, and why.
    Outdated(String),
}

/// The directory of the search library inside an index directory.
pub(super) fn engine_dir(dir: &Path) -> PathBuf {
    dir.join(ENGINE_DIR)
}

/// Looks at a directory without changing it.
pub(super) fn inspect(dir: &Path, options: &CorpusOptions) -> Result<IndexState, RetrievalError> {
    let path = dir.join(MARKER_FILE);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return match nothing_or_foreign(dir) {
                // Another process has begun the index in between.
                Err(RetrievalError::NotAnIndex { .. }) if path.exists() => inspect(dir, options),
                found => found,
            };
        }
        Err(error) => return Err(RetrievalError::index_file(dir, &path, error)),
    };
    // The format alone is read first: the rest of a newer marker may differ.
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    match serde_json::from_slice::<Format>(&bytes) {
        Ok(Format { format }) if format > FORMAT => {
            return Err(RetrievalError::NewerFormat { index: dir.to_path_buf(), found: format, supported: FORMAT });
        }
        Ok(Format { format }) if format < FORMAT => {
            return Ok(IndexState::Outdated(format!("it had the older format {format}")));
        }
        _ => {}
    }
    match serde_json::from_slice::<Marker>(&bytes) {
        Err(_) => Ok(IndexState::Outdated(format!("`{MARKER_FILE}` was damaged"))),
        Ok(marker) if marker.passage_bytes != options.passage_bytes => Ok(IndexState::Outdated(format!(
            "it had passages of {} bytes, now {} are asked for",
            marker.passage_bytes, options.passage_bytes
        ))),
        Ok(_) => Ok(IndexState::Index),
    }
}

fn nothing_or_foreign(dir: &Path) -> Result<IndexState, RetrievalError> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(IndexState::Nothing),
        Err(error) => return Err(RetrievalError::index_file(dir, dir, error)),
    };
    for entry in entries {
        let entry = entry.map_err(|error| RetrievalError::index_file(dir, dir, error))?;
        if entry.file_name() != LOCK_FILE && entry.file_name() != NEW_MARKER_FILE {
            return Err(RetrievalError::NotAnIndex { index: dir.to_path_buf() });
        }
    }
    Ok(IndexState::Nothing)
}

/// Makes an empty place for a new index: deletes what an old one left and marks the directory. The caller holds the
/// lock.
pub(super) fn reset(dir: &Path, options: &CorpusOptions) -> Result<(), RetrievalError> {
    let marker = dir.join(MARKER_FILE);
    let engine = engine_dir(dir);
    let failed = |path: &Path, error| RetrievalError::index_file(dir, path, error);
    let content = Marker { format: FORMAT, passage_bytes: options.passage_bytes };
    let bytes = serde_json::to_vec(&content).map_err(|error| failed(&marker, error.into()))?;
    let written = dir.join(NEW_MARKER_FILE);
    std::fs::write(&written, bytes).map_err(|error| failed(&written, error))?;
    match std::fs::remove_dir_all(&engine) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(&engine, error)),
        _ => {}
    }
    Manifest::delete_others(dir, "");
    std::fs::rename(&written, &marker).map_err(|error| failed(&marker, error))?;
    std::fs::create_dir_all(&engine).map_err(|error| failed(&engine, error))
}
