//! Progress while an agent works.

use graphloom_agents::react::ReactState;
use graphloom_cli::Progress;
use graphloom_cli::frame::Watcher;
use graphloom_core_graph::{Event, EventKind};

/// Shows turns, calls and summaries.
pub(super) struct Watch {
    watcher: Watcher,
    calls: usize,
    compactions: usize,
}

impl Watch {
    pub(super) fn new(progress: Progress, before: Option<&ReactState>) -> Self {
        let (calls, compactions) = before.map_or((0, 0), |state| (state.calls.len(), state.compactions.len()));
        Self { watcher: Watcher::new(progress, 0), calls, compactions }
    }

    pub(super) fn observe(&mut self, event: &Event) {
        self.watcher.observe(event);
        let EventKind::Values { payload } = &event.kind else { return };
        let Some(state) = payload.get::<ReactState>() else { return };
        let progress = self.watcher.progress();
        for call in state.calls.iter().skip(self.calls) {
            let failed = if call.outcome.is_success() { "" } else { ", which failed" };
            progress.note(format!("called `{}`{failed}", call.outcome.tool));
        }
        for compaction in state.compactions.iter().skip(self.compactions) {
            progress.note(compaction.to_string());
        }
        (self.calls, self.compactions) = (state.calls.len(), state.compactions.len());
        let waiting: Vec<&str> = state.pending.iter().skip(state.made.len()).map(|call| call.name.as_str()).collect();
        let turn = state.turns.len();
        match waiting.is_empty() {
            true => progress.phase(format!("turn {}", turn + 1)),
            false => progress.phase(format!("turn {turn}, calling {}", waiting.join(", "))),
        }
    }
}
