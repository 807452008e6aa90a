//! Commits of single tasks: most are compact steps, and are written in place.

use std::sync::Arc;

use crate::checkpoint::CheckpointError;
use crate::error::RunError;
use crate::executor::policy::Durability;
use crate::executor::run_loop::Driver;
use crate::machine::{Committed, SingleCommit, SingleTask, StoredCommit};
use crate::recorder::commit_log::CommitLog;
use crate::state::State;

/// What becomes of a commit.
pub(crate) enum Written<S: State> {
    /// The store has it, or has failed.
    Now(Result<(), Box<RunError>>),
    /// To be published, which is to be waited for.
    Later(Box<Committed<S>>),
}

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Writes the commit of a single task.
    pub(crate) fn write_step(&mut self, single: SingleTask, mut committed_single: SingleCommit) -> Written<S> {
        if let Some(StoredCommit::Step) = committed_single.stored {
            if let Some(written) = self.write_compact_step() {
                return Written::Now(written.map_err(|error| Box::new(error.into())));
            }
            let origin = Arc::clone(self.origin());
            committed_single.stored = self.machine.commit_of_step(&origin).map(StoredCommit::Commit);
        }
        Written::Later(Box::new(self.machine.committed_single(single, committed_single)))
    }

    /// Writes the newest step in compact form. Returns `None` when it is to be written as a commit.
    fn write_compact_step(&mut self) -> Option<Result<(), CheckpointError>> {
        if !self.is_plain() {
            return None;
        }
        let origin = Self::origin_of(&mut self.origin, &self.machine);
        let (step, writes) = self.machine.compact_step()?;
        self.session.attached.as_ref()?.write_step(origin, step, writes)
    }

    /// Tells the machine whether to hand over steps in compact form: whether the store takes them so.
    pub(crate) fn compact_steps(&mut self) {
        let direct = |attached: &CommitLog| attached.is_direct(self.session.policy.durability);
        let compact = self.session.attached.as_ref().is_some_and(direct) && self.is_plain();
        self.machine.compact_steps(compact);
    }

    /// Whether a commit has nothing to tell or to end but its own step, and is written at once.
    fn is_plain(&self) -> bool {
        let begun = self.opening.is_none() && self.forgotten.is_empty() && self.abandoned.is_empty();
        let kept = self.recorded.is_empty() && (self.session.answers.is_empty() || !self.is_root);
        begun && kept && !self.session.tells_steps() && self.session.policy.durability == Durability::Sync
    }
}
