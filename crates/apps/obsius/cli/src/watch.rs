//! Progress while a run goes on.

use graphloom_cli::Progress;
use graphloom_cli::frame::Watcher;
use graphloom_core_graph::{Event, EventKind};
use graphloom_obsius::WorkflowState;
use graphloom_obsius::assess::Complexity;

/// Shows phase, iteration, confidence, actions and tokens.
pub(crate) struct Watch {
    watcher: Watcher,
    phase: String,
    counts: String,
}

impl Watch {
    pub(crate) fn new(progress: Progress, notes: usize) -> Self {
        Self { watcher: Watcher::new(progress, notes), phase: String::new(), counts: String::new() }
    }

    pub(crate) fn observe(&mut self, event: &Event) {
        self.watcher.observe(event);
        match &event.kind {
            EventKind::TaskStarted { node, .. } => {
                self.phase.clone_from(node);
                self.show();
            }
            EventKind::Values { payload } => {
                if let Some(state) = payload.get::<WorkflowState>() {
                    self.count(state);
                }
            }
            _ => {}
        }
    }

    fn count(&mut self, state: &WorkflowState) {
        self.watcher.show_notes(state.notes.iter());
        // A simple request has turns and no iterations, and before the first analysis there is none.
        let is_complex = state.assessment.as_ref().is_some_and(|known| known.complexity == Complexity::Complex);
        let iteration = match state.iteration.number {
            number if number > 0 && is_complex => {
                format!("iteration {number} of {}, ", state.session.config.max_iterations)
            }
            _ => String::new(),
        };
        self.counts = format!(
            "{iteration}confidence {:.2}, {} actions, {} tokens",
            state.confidence,
            state.executed_actions.len(),
            state.execution_metrics.tokens_used,
        );
    }

    fn show(&self) {
        let counts = if self.counts.is_empty() { String::new() } else { format!(", {}", self.counts) };
        // Plain lines carry no time, so that the same run tells the same.
        let progress = self.watcher.progress();
        let time = if progress.is_live() { format!(", {} s", self.watcher.seconds()) } else { String::new() };
        progress.phase(format!("{}{counts}{time}", self.phase));
    }
}
