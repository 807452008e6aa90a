//! Progress while a run goes on.

use std::time::Instant;

use graphloom_cli::Progress;
use graphloom_core_graph::{Event, EventKind};
use graphloom_obsius::WorkflowState;
use graphloom_obsius::assess::Complexity;

/// Shows phase, iteration, confidence, actions and tokens.
pub(crate) struct Watch {
    progress: Progress,
    begun: Instant,
    notes: usize,
    phase: String,
    counts: String,
}

impl Watch {
    pub(crate) fn new(progress: Progress, notes: usize) -> Self {
        Self { progress, begun: Instant::now(), notes, phase: String::new(), counts: String::new() }
    }

    pub(crate) fn see(&mut self, event: &Event) {
        match &event.kind {
            EventKind::TaskStarted { node } => {
                self.phase.clone_from(node);
                self.show();
            }
            EventKind::Values { payload } => {
                if let Some(state) = payload.get::<WorkflowState>() {
                    self.count(state);
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

    fn count(&mut self, state: &WorkflowState) {
        for note in state.notes.iter().skip(self.notes) {
            self.progress.note(note);
        }
        self.notes = state.notes.len();
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
        let time =
            if self.progress.is_live() { format!(", {} s", self.begun.elapsed().as_secs()) } else { String::new() };
        self.progress.phase(format!("{}{counts}{time}", self.phase));
    }
}
