//! Tasks begin: alone in place, or several beside each other.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::driver::attempt::Attempt;
use crate::driver::cell::TaskCell;
use crate::driver::drive::{Driver, Ended};
use crate::driver::flight::{Call, Job};
use crate::error::RunError;
use crate::event::EventKind;
use crate::machine::{Dispatch, TaskId};
use crate::state::{Snapshot, State, codec};

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    pub(super) async fn dispatch(&mut self, mut dispatches: SmallVec<[Dispatch<S>; 1]>) -> Result<(), RunError> {
        if self.session.policy.budget.is_some() {
            // A super-step is counted whole, also when a limit dispatches it in parts.
            let tasks = if self.machine.in_barrier() {
                self.machine.step_paths()
            } else {
                dispatches.iter().map(|dispatch| self.machine.task_path(dispatch.id)).collect()
            };
            if !self.session.reserve(&tasks) {
                // A sibling subgraph took the room in between; plan again with what is left.
                for dispatch in dispatches {
                    let counted = self.session.budget.has(&self.machine.task_path(dispatch.id));
                    self.machine.put_back(dispatch.id, counted);
                }
                return Ok(());
            }
        }
        if self.session.is_watched() {
            for dispatch in &dispatches {
                let node = self.runtime.topology.node(dispatch.node).name.to_string();
                self.tell(Some((dispatch.id, dispatch.attempt)), EventKind::TaskStarted { node }).await;
            }
        }
        if dispatches.len() == 1
            && self.flight.is_empty()
            && let Some(dispatch) = dispatches.pop()
        {
            let id = dispatch.id;
            self.await_turn(id, dispatch.attempt).await;
            let outcome = self.attempt(dispatch).finish_unless_cancelled(&self.session.control).await;
            return self.settle_one(id, outcome).await;
        }
        self.flight.board(dispatches.len());
        if self.session.schedule.is_some() {
            for dispatch in dispatches {
                let turn = self.turn(dispatch.id, dispatch.attempt);
                let job = self.job(dispatch);
                self.flight.launch_in_turn(turn, job);
            }
            return Ok(());
        }
        let is_quick = self.are_quick(&dispatches);
        let mut jobs = dispatches.into_iter().map(|dispatch| self.job(dispatch)).collect();
        let ended = match is_quick {
            true => self.flight.hasten(&mut jobs, &self.runtime.topology, &self.session.control).await,
            false => Ended::new(),
        };
        if !jobs.is_empty() {
            self.flight.launch(jobs, &self.runtime.topology, &self.session);
        }
        if ended.is_empty() { Ok(()) } else { self.settle(ended).await }
    }

    /// Whether the nodes of a dispatch, which are mostly one, have been quick.
    fn are_quick(&self, dispatches: &[Dispatch<S>]) -> bool {
        let fan_outs = dispatches.chunk_by(|one, next| one.node == next.node).filter_map(|fan_out| fan_out.first());
        let mut quick = true;
        for first in fan_outs {
            // All are asked: each counts its dispatches.
            quick &= self.runtime.topology.node(first.node).pace.is_quick();
        }
        quick
    }

    fn job(&mut self, dispatch: Dispatch<S>) -> Job<S, Cx> {
        Job { id: dispatch.id, node: dispatch.node, attempt: self.attempt(dispatch) }
    }

    /// In a simulation, waits for the turn of a task that runs alone, unless the run is cancelled.
    pub(super) async fn await_turn(&self, id: TaskId, attempt: u32) {
        if self.session.schedule.is_some() {
            tokio::select! {
                biased;
                () = self.turn(id, attempt) => {}
                () = self.session.control.cancelled() => {}
            }
        }
    }

    /// In a simulation, the turn of a task.
    fn turn(&self, id: TaskId, attempt: u32) -> impl Future<Output = ()> + Send + use<S, Cx> {
        let turn = self.session.schedule.as_ref().map(|schedule| (Arc::clone(schedule), self.machine.task_path(id)));
        async move {
            if let Some((schedule, task)) = turn {
                schedule.turn(task, attempt).await;
            }
        }
    }

    fn attempt(&mut self, dispatch: Dispatch<S>) -> Attempt<S, Call<S, Cx>> {
        let Dispatch { id, node, attempt: number, key, input, failure, timeout, state } = dispatch;
        let began = self.begin(id, node);
        let (handling, input) = match failure {
            Some(failure) => (true, codec::encode("failure", &*failure).ok().map(Arc::from)),
            None => (false, input),
        };
        let handler = Arc::clone(self.runtime.function(node, handling));
        let info = self.runtime.topology.node(node);
        let timeout = timeout.unwrap_or(info.timeout);
        let cell = handler.wants_context().then(|| {
            let cell = TaskCell::new(self.home(), id, info, key, number, self.machine.step(), began)
                .of_run(self.machine.is_of_run(id));
            Arc::new(if timeout.idle.is_some() { cell.watch_idle() } else { cell })
        });
        let context = cell.as_ref().map(|cell| self.runtime.context(cell));
        Attempt::new(Call { handler, input, state: Snapshot::new(state), context }, timeout, cell)
    }

    /// Notes when a task begins that may be tried again; when its first attempt began, or 0 for the others.
    fn begin(&mut self, id: TaskId, node: u32) -> u64 {
        if self.runtime.topology.node(node).retry.is_none() {
            return 0;
        }
        self.machine.begin(id, self.session.clock.now())
    }
}
