//! Tasks begin: alone in place, or several beside each other.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::RunError;
use crate::event::{EventKind, EventMode};
use crate::executor::run_loop::Driver;
use crate::executor::task_start::TaskStart;
use crate::executor::time_slice::StartedInline;
use crate::machine::{Dispatch, Due, TaskId};
use crate::state::State;

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    pub(crate) async fn dispatch(&mut self, tasks: SmallVec<[Due; 1]>) -> Result<(), RunError> {
        if self.session.policy.budget.is_some() && !self.reserve(&tasks) {
            return Ok(());
        }
        if self.session.tells(EventMode::Tasks) {
            for Due { id, node } in &tasks {
                let node = self.runtime.topology.node(*node).name.to_string();
                self.tell(Some((*id, self.machine.attempt(*id))), EventKind::TaskStarted { node }).await;
            }
        }
        let namespace = Arc::clone(self.namespace());
        let step = self.machine.step();
        if let ([Due { id, .. }], true) = (&tasks[..], self.workers.is_empty()) {
            let Some(task) = self.start_task(*id) else { return Ok(()) };
            let attempt = TaskStart { runtime: &self.runtime, namespace: &namespace, step }.attempt(task);
            self.await_turn(*id, self.machine.attempt(*id)).await;
            let outcome = Box::pin(attempt.finish_unless_cancelled(&self.session.control)).await;
            return self.settle_one(*id, outcome).await;
        }
        self.workers.begin(tasks.len());
        if self.session.schedule.is_some() {
            for Due { id, .. } in tasks {
                let turn = self.turn(id, self.machine.attempt(id));
                let Some(task) = self.start_task(id) else {
                    self.workers.ended(1);
                    continue;
                };
                let attempt = TaskStart { runtime: &self.runtime, namespace: &namespace, step }.attempt(task);
                self.workers.start_in_turn(turn, id, attempt);
            }
            return Ok(());
        }
        let mut ahead = &tasks[..];
        let StartedInline { mut left, finished, .. } = match self.are_short(ahead) && self.replay_order.is_over() {
            true => self.start_inline(&mut ahead, &namespace).await,
            false => StartedInline::default(),
        };
        let tasks: VecDeque<_> = ahead.iter().filter_map(|due| self.start_task(due.id)).collect();
        self.workers.ended(ahead.len() - tasks.len());
        if !tasks.is_empty() {
            self.workers.start(tasks, &TaskStart { runtime: &self.runtime, namespace: &namespace, step });
        }
        self.tell_finished(&mut left).await;
        for id in finished {
            self.commit(id).await?;
        }
        if left.is_empty() { Ok(()) } else { self.keep(left).await }
    }

    /// Takes room in the budget for tasks, or takes their dispatch back: a sibling subgraph took the room in between, and
    /// what is left is planned again.
    fn reserve(&mut self, tasks: &[Due]) -> bool {
        // A super-step is counted whole, and once, also when a limit dispatches it in parts.
        let has_room = if self.machine.in_barrier() {
            self.machine.take_unreserved().is_none_or(|paths| self.session.reserve(&paths))
        } else {
            let paths: Vec<_> = tasks.iter().map(|due| self.machine.task_path(due.id)).collect();
            self.session.reserve(&paths)
        };
        if !has_room {
            for due in tasks {
                let counted = self.session.budget.has(&self.machine.task_path(due.id));
                self.machine.put_back(due.id, counted);
            }
        }
        has_room
    }

    /// What a task that was dispatched runs with.
    pub(crate) fn start_task(&mut self, id: TaskId) -> Option<Dispatch<S>> {
        self.machine.start_task(id, || self.session.clock.now())
    }

    /// In a simulation, waits for the turn of a task that runs alone, unless the run is cancelled.
    pub(crate) async fn await_turn(&self, id: TaskId, attempt: u32) {
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
}
