//! Commits of the lane of one: most bring a checkpoint and one event, and are written in place.

use std::sync::Arc;

use crate::checkpoint::ToldStep;
use crate::driver::drive::Driver;
use crate::driver::policy::Durability;
use crate::error::RunError;
use crate::machine::{Committed, Lone, Strode};
use crate::state::State;

/// What becomes of a commit.
pub(super) enum Written<S: State> {
    /// The store has it, or has failed.
    Now(Result<(), Box<RunError>>),
    /// To be published, which is to be waited for.
    Later(Box<Committed<S>>),
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Writes the commit of a step of one task.
    pub(super) fn write_step(&mut self, lone: Lone, mut strode: Strode, now: u64) -> Written<S> {
        if let (true, Some(next), Some(changed)) = (self.is_plain(), strode.next, strode.changed.as_bits())
            && let Some(mut commit) = strode.stored.take()
        {
            let step = ToldStep {
                teller: Arc::clone(self.teller()),
                seq: 0,
                time: now,
                step: self.machine.step(),
                checkpoint: self.machine.number,
                task: lone.id,
                node: lone.node,
                next: Some(next.node),
                changed,
            };
            let attached = self.session.attached.as_ref();
            if let Some(written) = attached.and_then(|attached| attached.write_at_once(&mut commit, step)) {
                self.machine.reuse(commit);
                return Written::Now(written.map_err(|error| Box::new(error.into())));
            }
            strode.stored = Some(commit);
        }
        Written::Later(Box::new(self.machine.committed_lone(lone, strode)))
    }

    /// Whether a commit has nothing to tell or to end but its own step, and is written at once.
    fn is_plain(&self) -> bool {
        let begun = self.opening.is_none() && self.forgotten.is_empty() && self.abandoned.is_empty();
        let kept = self.recorded.is_empty() && (self.session.answers.is_empty() || !self.is_root);
        begun && kept && !self.session.is_watched() && self.session.policy.durability == Durability::Sync
    }
}
