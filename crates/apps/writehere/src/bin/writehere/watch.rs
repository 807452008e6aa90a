//! Progress while a run goes on.

use std::time::Instant;

use graphloom_cli::Progress;
use graphloom_core_graph::{Event, EventKind};
use graphloom_state_machine::{NodeKey, TaskStatus};
use graphloom_writehere::Writing;
use graphloom_writehere::cite::without_marks;
use graphloom_writehere::context::{article_of, article_text};
use graphloom_writehere::length::count_words;

/// Shows the tree and counts at every commit.
pub(crate) struct Watch {
    progress: Progress,
    begun: Instant,
    notes: usize,
}

impl Watch {
    /// Watches a run whose first `notes` notes were told before.
    pub(crate) fn new(progress: Progress, notes: usize) -> Self {
        Self { progress, begun: Instant::now(), notes }
    }

    pub(crate) fn see(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Values { payload } => {
                if let Some(state) = payload.get::<Writing>() {
                    self.show(state);
                }
            }
            EventKind::TaskRetry { node, error, delay } => {
                self.progress.warn(format!("`{node}` is tried again in {delay} ms: {error}"));
            }
            EventKind::TaskFailed { node, error } => self.progress.warn(format!("`{node}` failed: {error}")),
            EventKind::Warning { message } => self.progress.warn(message),
            _ => {}
        }
    }

    fn show(&mut self, state: &Writing) {
        for note in state.notes.iter().skip(self.notes) {
            self.progress.note(note);
        }
        self.notes = state.notes.len();
        self.progress.tree(state.tree.to_text());
        let done = state.tree.nodes().filter(|node| node.status == TaskStatus::Finish).count();
        let words = count_words(&without_marks(&article_text(&article_of(&state.tree, &NodeKey::root()))));
        self.progress.phase(format!(
            "{done} of {} tasks, {words} words, {} calls, {} tokens, {} s",
            state.tree.len(),
            state.calls.len(),
            state.spent.tokens,
            self.begun.elapsed().as_secs()
        ));
    }
}
