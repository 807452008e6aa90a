//! Tasks begin: alone in place, or several beside each other.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::driver::crew::Crew;
use crate::driver::drive::{Driver, Ended};
use crate::error::RunError;
use crate::event::EventKind;
use crate::machine::{Dispatch, TaskId};
use crate::state::State;

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
        for dispatch in &mut dispatches {
            dispatch.began = self.begin(dispatch.id, dispatch.node);
        }
        let home = Arc::clone(self.home());
        let crew = Crew { runtime: &self.runtime, home: &home, step: self.machine.step() };
        if dispatches.len() == 1
            && self.flight.is_empty()
            && let Some(dispatch) = dispatches.pop()
        {
            let id = dispatch.id;
            self.await_turn(id, dispatch.attempt).await;
            let outcome = crew.attempt(dispatch).finish_unless_cancelled(&self.session.control).await;
            return self.settle_one(id, outcome).await;
        }
        if self.session.schedule.is_some() {
            for dispatch in dispatches {
                let (id, turn) = (dispatch.id, self.turn(dispatch.id, dispatch.attempt));
                self.flight.launch_in_turn(turn, id, crew.attempt(dispatch));
            }
            return Ok(());
        }
        let mut tasks = VecDeque::from(dispatches.into_vec());
        let ended = match self.are_quick(tasks.make_contiguous()) {
            true => self.flight.hasten(&mut tasks, &crew).await,
            false => Ended::new(),
        };
        if !tasks.is_empty() {
            self.flight.launch(tasks, &crew);
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

    /// Notes when a task begins that may be tried again; when its first attempt began, or 0 for the others.
    fn begin(&mut self, id: TaskId, node: u32) -> u64 {
        if self.runtime.topology.node(node).retry.is_none() {
            return 0;
        }
        self.machine.begin(id, self.session.clock.now())
    }
}
