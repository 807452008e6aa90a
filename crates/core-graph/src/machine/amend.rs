//! `amend`: an update that comes with answers, in the middle of a step.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::checkpoint::Source;
use crate::error::RunError;
use crate::machine::commit::Folded;
use crate::machine::task::Phase;
use crate::machine::{Committed, Fault, Machine};
use crate::state::{FieldSet, State};
use crate::tasks::TaskId;

impl<S: State> Machine<S> {
    /// Folds an update that no node made. All tasks stay what they are: what has finished waits for its step with what it
    /// wrote, and what has not sees the update when it runs. No edge is followed.
    ///
    /// # Errors
    /// The state cannot take the update.
    pub(crate) fn amend(&mut self, update: S::Update, now: u64) -> Result<Committed<S>, Fault> {
        let number = self.newest + 1;
        let mut folded = Folded::default();
        let mut written = FieldSet::default();
        S::written(&self.topology.layout, &update, &mut written);
        self.fold_given(update, &mut folded, |error, _| {
            Fault::Run(RunError::BadUpdate { message: error.to_string() })
        })?;
        // The step of ephemeral fields is not over. They are known by their version when they are read back, so all of
        // them get the version of this commit.
        let fields = S::fields(&self.topology.layout);
        self.ephemeral.extend(written.iter().filter(|at| fields[*at].ephemeral));
        for at in self.ephemeral.iter() {
            folded.changed.insert(at);
            folded.reset.insert(at);
        }
        let unfinished = self.frontier.iter().filter(|(_, task)| !matches!(task.phase, Phase::Finished(_)));
        let dispatched: Vec<TaskId> = unfinished.filter(|(_, task)| task.seen.is_some()).map(|(id, _)| id).collect();
        for id in dispatched {
            if let Some(task) = self.frontier.get_mut(id) {
                task.seen = Some(number);
                task.state = task.state.take().map(|_| Arc::clone(&self.state));
            }
            self.frontier.touch_if(id, self.persist.is_some());
        }
        self.seal(number, Source::Update, folded, SmallVec::new(), Vec::new(), now)
    }
}
