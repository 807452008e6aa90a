//! Progress while a run goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use graphloom_cli::Progress;
use graphloom_cli::frame::Watcher;
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
    watcher: Watcher,
    ledger: Arc<Ledger>,
    /// The words of each part, counted once.
    words: BTreeMap<NodeKey, usize>,
}

impl Watch {
    /// Watches a run whose first `notes` notes were told before.
    pub(crate) fn new(progress: Progress, opened: &Opened, notes: usize) -> Self {
        let ledger = Arc::clone(&opened.models.ledger);
        Self { watcher: Watcher::new(progress, notes), ledger, words: BTreeMap::new() }
    }

    pub(crate) fn observe(&mut self, event: &Event) {
        self.watcher.observe(event);
        if let EventKind::Values { payload } = &event.kind
            && let Some(state) = payload.get::<Writing>()
        {
            self.show(state);
        }
    }

    fn show(&mut self, state: &Writing) {
        self.watcher.show_notes(state.notes.iter());
        if self.watcher.progress().is_live() {
            let drawing = state.tree.draw();
            self.watcher.progress().tree(match columns(&std::io::stderr()) {
                Some(columns) => drawing.columns(columns).text(),
                None => drawing.text(),
            });
        }
        let done = state.tree.nodes().filter(|node| node.status == TaskStatus::Finish).count();
        let spent = state.spent.or_later(self.ledger.spent());
        let words = self.words(state);
        self.watcher.progress().phase(format!(
            "{done} of {} tasks, {words} words, {}, {} s",
            state.tree.len(),
            spent.text(),
            self.watcher.seconds()
        ));
    }

    fn words(&mut self, state: &Writing) -> usize {
        let parts = article_of(&state.tree, &NodeKey::root());
        let count = |text: &str| count_words(&without_marks(text));
        parts.iter().map(|part| *self.words.entry(part.node.clone()).or_insert_with(|| count(part.text))).sum()
    }
}
