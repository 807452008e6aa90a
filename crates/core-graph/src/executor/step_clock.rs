//! How long a super-step has had, for runs and graphs that limit it.

use std::time::Duration;

use tokio::time::Instant;

/// The time limit of super-steps, and when that of the step under way is over.
///
/// A step begins with the first dispatch of its tasks in this run: a run that goes on with a step gives it the whole limit
/// again. Time is the runtime's, which no change of the wall clock moves.
#[derive(Debug, Default)]
pub(crate) struct StepClock {
    limit: Option<Duration>,
    /// The steps that were committed before it, and its end.
    step: Option<(u64, Instant)>,
}

impl StepClock {
    pub(crate) fn new(limit: Option<Duration>) -> Self {
        Self { limit, step: None }
    }

    /// The limit, if there is one.
    pub(crate) fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// Tasks of the step after `committed` others are dispatched.
    #[inline]
    pub(crate) fn start(&mut self, committed: u64) {
        if let Some(limit) = self.limit
            && self.step.is_none_or(|(step, _)| step != committed)
        {
            self.step = Some((committed, Instant::now() + limit));
        }
    }

    /// When the time of the step after `committed` others is over.
    #[inline]
    pub(crate) fn end(&self, committed: u64) -> Option<Instant> {
        self.step.filter(|(step, _)| *step == committed).map(|(_, end)| end)
    }

    /// Whether the time of the step after `committed` others is over.
    pub(crate) fn is_over(&self, committed: u64) -> bool {
        self.end(committed).is_some_and(|end| end <= Instant::now())
    }
}
