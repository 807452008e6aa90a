//! Commits of the lane of one: most are plain steps, and are written in short and in place.

use std::sync::Arc;

use crate::checkpoint::CheckpointError;
use crate::driver::drive::Driver;
use crate::driver::policy::Durability;
use crate::driver::writer::Attached;
use crate::error::RunError;
use crate::machine::{Committed, Lone, Stored, Strode};
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
    pub(super) fn write_step(&mut self, lone: Lone, mut strode: Strode) -> Written<S> {
        if let Some(Stored::Step) = strode.stored {
            if let Some(written) = self.write_plain_step() {
                return Written::Now(written.map_err(|error| Box::new(error.into())));
            }
            let teller = Arc::clone(self.teller());
            strode.stored = self.machine.commit_of_step(&teller).map(Stored::Commit);
        }
        Written::Later(Box::new(self.machine.committed_lone(lone, strode)))
    }

    /// Writes the newest step in short; nothing when it is to be written as a commit.
    fn write_plain_step(&mut self) -> Option<Result<(), CheckpointError>> {
        if !self.is_plain() {
            return None;
        }
        let teller = Self::teller_of(&mut self.teller, &self.machine);
        let (step, writes) = self.machine.plain_step()?;
        self.session.attached.as_ref()?.write_step(teller, step, writes)
    }

    /// Has the machine hand over plain steps in short, when the store takes them so.
    pub(super) fn shorten_steps(&mut self) {
        let direct = |attached: &Attached| attached.is_direct(self.session.policy.durability);
        let in_short = self.session.attached.as_ref().is_some_and(direct) && self.is_plain();
        self.machine.shorten_steps(in_short);
    }

    /// Whether a commit has nothing to tell or to end but its own step, and is written at once.
    fn is_plain(&self) -> bool {
        let begun = self.opening.is_none() && self.forgotten.is_empty() && self.abandoned.is_empty();
        let kept = self.recorded.is_empty() && (self.session.answers.is_empty() || !self.is_root);
        begun && kept && !self.session.tells_steps() && self.session.policy.durability == Durability::Sync
    }
}
