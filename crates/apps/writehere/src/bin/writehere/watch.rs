//! Progress while a run goes on.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use graphloom_cli::Progress;
use graphloom_core_graph::{Event, EventKind};
use graphloom_llm::layers::Ledger;
use graphloom_state_machine::{NodeKey, TaskStatus};
use graphloom_writehere::Writing;
use graphloom_writehere::cite::without_marks;
use graphloom_writehere::context::article_of;
use graphloom_writehere::length::count_words;

use crate::columns::columns;
use crate::open::Opened;

/// Shows the tree and counts at every commit.
pub(crate) struct Watch {
    progress: Progress,
    begun: Instant,
    notes: usize,
    ledger: Arc<Ledger>,
    /// The words of each part, counted once.
    words: BTreeMap<NodeKey, usize>,
}

impl Watch {
    /// Watches a run whose first `notes` notes were told before.
    pub(crate) fn new(progress: Progress, opened: &Opened, notes: usize) -> Self {
        let ledger = Arc::clone(&opened.models.ledger);
        Self { progress, begun: Instant::now(), notes, ledger, words: BTreeMap::new() }
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
        if self.progress.is_live() {
            let drawing = state.tree.draw();
            self.progress.tree(match columns(&std::io::stderr()) {
                Some(columns) => drawing.columns(columns).text(),
                None => drawing.text(),
            });
        }
        let done = state.tree.nodes().filter(|node| node.status == TaskStatus::Finish).count();
        let spent = state.spent.or_later(self.ledger.spent());
        let words = self.words(state);
        self.progress.phase(format!(
            "{done} of {} tasks, {words} words, {} calls, {} tokens, {} s",
            state.tree.len(),
            spent.calls,
            spent.tokens,
            self.begun.elapsed().as_secs()
        ));
    }

    fn words(&mut self, state: &Writing) -> usize {
        let parts = article_of(&state.tree, &NodeKey::root());
        let count = |text: &str| count_words(&without_marks(text));
        parts.iter().map(|part| *self.words.entry(part.node.clone()).or_insert_with(|| count(part.text))).sum()
    }
}
