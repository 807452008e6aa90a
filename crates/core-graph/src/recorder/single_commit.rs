//! Commits of single tasks: most are compact steps, and are written in place.

use std::sync::Arc;

use crate::checkpoint::CheckpointError;
use crate::error::RunError;
use crate::limits::{Durability, FastPath};
use crate::machine::{Committed, MachineCore, SingleTask, StoredCommit};
use crate::recorder::Recorder;
use crate::recorder::commit_log::CommitLog;

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
        stored: StoredCommit,
    ) -> Written {
        let mut stored = Some(stored);
        if let Some(StoredCommit::Step) = stored {
            if let Some(written) = self.write_compact_step(machine) {
                return Written::Now(written.map_err(|error| Box::new(error.into())));
            }
            let origin = Arc::clone(self.origin(machine));
            stored = machine.commit_of_step(&origin).map(StoredCommit::Commit);
        }
        Written::Later(Box::new(machine.committed_single(single, stored)))
    }

    /// Writes the newest step in compact form. Returns `None` when it is to be written as a commit.
    fn write_compact_step(&mut self, machine: &MachineCore) -> Option<Result<(), CheckpointError>> {
        if !self.is_plain() {
            return None;
        }
        let (step, writes) = machine.compact_step()?;
        let origin = Arc::clone(self.origin(machine));
        self.session.attached.as_ref()?.write_step(&origin, step, writes)
    }

    /// Tells the machine whether to hand over steps in compact form: whether the store takes them so.
    pub(crate) fn compact_steps(&self, machine: &mut MachineCore) {
        let direct = |attached: &CommitLog| attached.is_direct(self.session.policy.durability);
        let takes = self.session.policy.takes(FastPath::CompactSteps);
        let compact = takes && self.session.attached.as_ref().is_some_and(direct) && self.is_plain();
        machine.compact_steps(compact);
    }

    /// Whether a commit has nothing to tell or to end but its own step, and is written at once.
    fn is_plain(&self) -> bool {
        let begun = self.opening.is_none() && self.forgotten.is_empty() && self.abandoned.is_empty();
        let kept = self.recorded.is_empty() && (self.session.answers.is_empty() || !self.is_root);
        begun && kept && !self.session.tells_steps() && self.session.policy.durability == Durability::Sync
    }
}
