//! Commits of single tasks: most are no more than a step in compact form, and are written in place where they can be.

use crate::checkpoint::Commit;
use crate::error::RunError;
use crate::limits::{Durability, FastPath};
use crate::machine::{Committed, MachineCore, SingleTask};
use crate::recorder::Recorder;
use crate::recorder::events::number_step;

/// What becomes of a commit.
pub(crate) enum Written {
    /// The store has it, or has failed.
    Now(Result<(), Box<RunError>>),
    /// To be published, which is to be waited for.
    Later(Box<Committed>),
}

impl Recorder {
    /// Writes the commit of a single task.
    pub(crate) fn write_single(
        &mut self,
        machine: &mut MachineCore,
        single: SingleTask,
        mut commit: Box<Commit>,
    ) -> Written {
        if commit.step.is_some()
            && self.is_plain()
            && let Some(attached) = &self.session.attached
            && let Some(written) = attached.write_directly(&mut commit, self.session.policy.durability, number_step)
        {
            machine.reuse(commit);
            return Written::Now(written.map_err(|error| Box::new(error.into())));
        }
        Written::Later(Box::new(machine.committed_single(single, commit)))
    }

    /// Tells the machine whether to hand over steps in compact form: whether the store takes them so, and nothing else
    /// becomes of them before.
    pub(crate) fn compact_steps(&self, machine: &mut MachineCore) {
        let policy = &self.session.policy;
        let takes = self.session.attached.as_ref().is_some_and(|attached| attached.takes_steps);
        let compact = takes && policy.takes(FastPath::CompactSteps) && policy.durability != Durability::Exit;
        machine.compact_steps(compact);
    }

    /// Whether a commit of a step has nothing to tell or to end but its own step.
    fn is_plain(&self) -> bool {
        let begun = self.opening.is_none() && self.forgotten.is_empty() && self.abandoned.is_empty();
        let kept = self.recorded.is_empty() && (self.session.answers.is_empty() || !self.is_root);
        begun && kept && !self.session.tells_steps()
    }
}
