//! `amend`: an update that comes with answers, in the middle of a step.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::checkpoint::Source;
use crate::error::RunError;
use crate::machine::commit::Folded;
use crate::machine::task::Phase;
use crate::machine::triggers::RouteFault;
use crate::machine::{Committed, Fault, Machine, Sent, Triggered};
use crate::state::{AnyState, FieldSet, State};
use crate::tasks::TaskId;

impl<S: State> Machine<S> {
    /// Folds an update that no node made, and makes a task of each of these nodes and sends. All others stay what they are: what
    /// has finished waits for its step with what it wrote, and what has not sees the update when it runs. No edge is followed.
    ///
    /// # Errors
    /// The state cannot take the update.
    pub(crate) fn amend(
        &mut self,
        update: S::Update,
        nodes: &[u32],
        sends: Vec<Sent>,
        now: u64,
    ) -> Result<Committed, Fault> {
        let number = self.newest + 1;
        let mut folded = Folded::default();
        let mut written = FieldSet::default();
        S::written(&self.topology.layout, &update, &mut written);
        self.fold_update(update, &mut folded)?;
        // The step of ephemeral fields is not over, and the update may set others.
        let Self { core, topology, .. } = self;
        core.ephemeral.extend(written.iter().filter(|at| topology.fields[*at].ephemeral));
        self.keep_ephemeral(&mut folded);
        let unfinished = self.frontier.iter().filter(|(_, task)| !matches!(task.phase, Phase::Finished(_)));
        let dispatched: Vec<TaskId> = unfinished.filter(|(_, task)| task.seen.is_some()).map(|(id, _)| id).collect();
        let Self { core, state, .. } = self;
        for id in dispatched {
            if let Some(task) = core.frontier.get_mut(id) {
                task.seen = Some(number);
                task.state = task.state.take().map(|_| Arc::clone(state) as AnyState);
            }
            core.frontier.touch_if(id, core.persist.is_some());
        }
        let is_beside = !(nodes.is_empty() && sends.is_empty());
        let coalesced =
            if is_beside { self.trigger(number, &mut Triggered::of(nodes, sends), &[]) } else { Vec::new() };
        self.seal(number, Source::Update, folded, SmallVec::new(), coalesced, now)
    }

    /// Folds an update that no node made into the state.
    ///
    /// # Errors
    /// The state cannot take the update.
    pub(super) fn fold_update(&mut self, update: S::Update, folded: &mut Folded) -> Result<(), Fault> {
        self.fold_change(update, folded).map_err(|fault| match fault {
            RouteFault::Run(error) => Fault::Run(error),
            RouteFault::Node(error) => Fault::Run(RunError::BadUpdate { message: error.to_string() }),
        })
    }
}
