//! Notes on model calls, for the reader of a run.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// An event around a model call that the reader of a run should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The model that was called.
    pub model: String,
    /// The kind of the note.
    pub kind: NoteKind,
    /// What happened, for people.
    pub message: String,
}

/// The kinds of [`Note`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// A server rejected a feature. Later calls leave the feature out.
    Degraded,
    /// A call failed and is tried again.
    Retried,
    /// A call failed and another model is asked.
    FellBack,
}

/// A shared log of [`Note`]s. Clones write to the same log. Each note is also a `tracing` event.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    log: Arc<Mutex<Vec<Note>>>,
}

impl Notes {
    /// Adds a note.
    pub fn add(&self, note: Note) {
        tracing::warn!(model = %note.model, kind = ?note.kind, "{}", note.message);
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// Every note so far, oldest first.
    pub fn all(&self) -> Vec<Note> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
