//! The completion check: its rules are tried in a fixed order.

use crate::state::{Completion, ExecutedAction, Objectives, WorkflowState};

/// A plan of at most this complexity counts as simple on the complex path.
pub const SIMPLE_PLAN: u32 = 2;

/// What the completion check looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Whether the task is simple: on the simple path, or of a plan complexity of at most 2.
    pub simple: bool,
    /// The iteration, from 1.
    pub iteration: u32,
    /// How many actions were carried out.
    pub actions: usize,
    /// How many of them failed.
    pub failed: usize,
    /// Whether an action is still owed: a probe refutes a criterion, or nobody has judged one.
    pub outstanding: bool,
    /// Whether there are sub-objectives and all are confirmed.
    pub objectives_complete: bool,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The confidence that is enough.
    pub threshold: f64,
    /// Whether the memory holds a completion signal.
    pub signal: bool,
}

impl Facts {
    /// The facts of a state on the complex path, with what a phase is about to add to it.
    pub fn of(state: &WorkflowState, actions: &[ExecutedAction], objectives: &Objectives, confidence: f64) -> Self {
        Self {
            simple: state.task_plan.as_ref().is_some_and(|plan| plan.estimated_complexity <= SIMPLE_PLAN),
            iteration: state.iteration.number,
            actions: actions.len(),
            failed: actions.iter().filter(|action| !action.result.success).count(),
            outstanding: objectives.owes(),
            objectives_complete: objectives.all_complete(),
            confidence,
            threshold: state.session.config.confidence_threshold,
            signal: state
                .working_memory
                .iter()
                .any(|entry| entry.signal.is_some() && entry.iteration > state.review.since_iteration),
        }
    }
}

/// The first rule that holds, in this order: a simple task at iteration one with all actions successful; all
/// sub-objectives; the confidence; a completion signal in the memory. `None` when the run has to go on.
pub fn check(facts: Facts) -> Option<Completion> {
    if facts.simple && facts.iteration == 1 && facts.actions > 0 && facts.failed == 0 && !facts.outstanding {
        Some(Completion::SimpleTask)
    } else if facts.objectives_complete {
        Some(Completion::SubObjectives)
    } else if facts.confidence >= facts.threshold {
        Some(Completion::Confidence)
    } else if facts.signal {
        Some(Completion::MemorySignal)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_tried_in_their_order() {
        let nothing = Facts { iteration: 1, threshold: 0.85, ..Facts::default() };
        let simple = Facts { simple: true, actions: 2, ..nothing };
        let every = Facts { objectives_complete: true, confidence: 1.0, signal: true, ..simple };
        for (why, facts, expected) in [
            ("nothing holds", nothing, None),
            ("simple", simple, Some(Completion::SimpleTask)),
            ("simple without actions", Facts { actions: 0, ..simple }, None),
            ("simple, later", Facts { iteration: 2, ..simple }, None),
            ("simple, one failed", Facts { failed: 1, ..simple }, None),
            ("simple, something owed", Facts { outstanding: true, ..simple }, None),
            ("not simple", Facts { simple: false, ..simple }, None),
            ("simple comes first", every, Some(Completion::SimpleTask)),
            ("then the objectives", Facts { failed: 1, ..every }, Some(Completion::SubObjectives)),
            (
                "then the confidence",
                Facts { failed: 1, objectives_complete: false, ..every },
                Some(Completion::Confidence),
            ),
            (
                "then the signal",
                Facts { failed: 1, objectives_complete: false, confidence: 0.849, ..every },
                Some(Completion::MemorySignal),
            ),
            ("exactly the threshold", Facts { confidence: 0.85, ..nothing }, Some(Completion::Confidence)),
            ("below the threshold", Facts { confidence: 0.8499, ..nothing }, None),
            ("no number", Facts { confidence: f64::NAN, ..nothing }, None),
            ("signal", Facts { signal: true, ..nothing }, Some(Completion::MemorySignal)),
        ] {
            assert_eq!(check(facts), expected, "{why}");
        }
    }
}
