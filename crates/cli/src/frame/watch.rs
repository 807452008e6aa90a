//! What every program shows while a run goes on.

use std::time::Instant;

use graphloom_core_graph::{Event, EventKind};

use crate::Progress;

/// Shows the retries, failures and warnings of a run, and the notes in its state.
#[derive(Debug)]
pub struct Watcher {
    progress: Progress,
    begun: Instant,
    /// How many notes were shown.
    notes: usize,
}

impl Watcher {
    /// A watcher of a run whose first `notes` notes were shown before.
    pub fn new(progress: Progress, notes: usize) -> Self {
        Self { progress, begun: Instant::now(), notes }
    }

    /// Where the watcher writes.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whole seconds since the watcher was made.
    pub fn seconds(&self) -> u64 {
        self.begun.elapsed().as_secs()
    }

    /// Shows an event when it is a retry, a failure or a warning.
    pub fn observe(&self, event: &Event) {
        match &event.kind {
            EventKind::TaskRetry { node, error, delay } => {
                self.progress.warn(format!("`{node}` is tried again in {delay} ms: {error}"));
            }
            EventKind::TaskFailed { node, error } => self.progress.warn(format!("`{node}` failed: {error}")),
            EventKind::Warning { message } => self.progress.warn(message),
            _ => {}
        }
    }

    /// Shows the notes that were not shown before.
    pub fn show_notes<'n>(&mut self, notes: impl IntoIterator<Item = &'n String>) {
        let mut count = 0;
        for note in notes {
            if count >= self.notes {
                self.progress.note(note);
            }
            count += 1;
        }
        self.notes = count;
    }
}
