//! What every program shows while a run goes on.

use std::time::Instant;

use graphloom_core_graph::{Event, EventKind};

use crate::Progress;

/// Shows what every run tells: what is tried again, what failed, warnings, and the notes of its state.
#[derive(Debug)]
pub struct Watcher {
    progress: Progress,
    begun: Instant,
    /// The notes that were told.
    notes: usize,
}

impl Watcher {
    /// Watches a run whose first `notes` notes were told before.
    pub fn new(progress: Progress, notes: usize) -> Self {
        Self { progress, begun: Instant::now(), notes }
    }

    /// Where it shows things.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whole seconds since it began to watch.
    pub fn seconds(&self) -> u64 {
        self.begun.elapsed().as_secs()
    }

    /// Tells of trouble; other events are nothing to it.
    pub fn see(&self, event: &Event) {
        match &event.kind {
            EventKind::TaskRetry { node, error, delay } => {
                self.progress.warn(format!("`{node}` is tried again in {delay} ms: {error}"));
            }
            EventKind::TaskFailed { node, error } => self.progress.warn(format!("`{node}` failed: {error}")),
            EventKind::Warning { message } => self.progress.warn(message),
            _ => {}
        }
    }

    /// Tells the notes that are new.
    pub fn tell<'n>(&mut self, notes: impl IntoIterator<Item = &'n String>) {
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
