//! The tasks of a plan start: one alone in place, several beside each other among the workers.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::error::RunError;
use crate::event::{EventKind, EventMode};
use crate::executor::run_loop::Driver;
use crate::executor::task_start::DispatchStart;
use crate::limits::FastPath;
use crate::machine::{Dispatch, Due};
use crate::state::State;
use crate::tasks::TaskId;

impl<S: State, Cx: Send + Sync + 'static> Driver<S, Cx> {
    /// Starts tasks that the machine has dispatched. This is where it is decided what runs in place and what does not: a
    /// task that is alone runs in place, and is settled here; others are shared out among the workers.
    pub(crate) async fn dispatch(&mut self, tasks: SmallVec<[Due; 1]>) -> Result<(), RunError> {
        if self.recorder.session.policy.budget.is_some() && !self.reserve(&tasks) {
            return Ok(());
        }
        if self.recorder.session.tells(EventMode::Tasks) {
            for Due { id, node } in &tasks {
                let node = self.runtime.topology.node(*node).name.to_string();
                let kind = EventKind::TaskStarted { node, packet: self.machine.packet(*id) };
                self.tell(Some((*id, self.machine.attempt(*id))), kind).await;
            }
        }
        let namespace = Arc::clone(self.namespace());
        let step = self.machine.step();
        if let ([Due { id, .. }], true) = (&tasks[..], self.workers.is_empty()) {
            let Some(task) = self.start_task(*id) else { return Ok(()) };
            let start = DispatchStart { runtime: &self.runtime, namespace: &namespace, step };
            let attempt = start.start(task, &mut None).attempt();
            self.await_turn(*id, self.machine.attempt(*id)).await;
            let end = self.step_clock.end(step);
            let outcome = Box::pin(attempt.finish_unless_stopped(&self.recorder.session.control, end)).await;
            return self.settle_one(*id, outcome).await;
        }
        self.workers.begin(tasks.len());
        let started: VecDeque<_> = tasks.iter().filter_map(|due| self.start_task(due.id)).collect();
        self.workers.ended(tasks.len() - started.len());
        let start = DispatchStart { runtime: &self.runtime, namespace: &namespace, step };
        if !started.is_empty() {
            // In eager mode what ended is committed at once, also while another task computes.
            let takes_part = self.machine.in_barrier() && self.policy().takes(FastPath::InlineDispatches);
            self.workers.start(started, &start, takes_part);
        }
        Ok(())
    }

    /// Takes room in the budget for tasks, or takes their dispatch back: a sibling subgraph took the room in between, and
    /// what is left is planned again.
    fn reserve(&mut self, tasks: &[Due]) -> bool {
        // A super-step is counted whole, and once, also when a limit dispatches it in parts.
        let has_room = if self.machine.in_barrier() {
            self.machine.take_unreserved().is_none_or(|paths| self.recorder.session.reserve(&paths))
        } else {
            let paths: Vec<_> = tasks.iter().map(|due| self.machine.task_path(due.id)).collect();
            self.recorder.session.reserve(&paths)
        };
        if !has_room {
            for due in tasks {
                let counted = self.recorder.session.budget.has(&self.machine.task_path(due.id));
                self.machine.put_back(due.id, counted);
            }
        }
        has_room
    }

    /// What a task that was dispatched runs with.
    pub(crate) fn start_task(&mut self, id: TaskId) -> Option<Dispatch<S>> {
        self.machine.start_task(id, || self.recorder.session.clock.now())
    }

    /// In a simulation, waits for the turn of a task that runs alone, unless the run is cancelled.
    pub(crate) async fn await_turn(&self, id: TaskId, attempt: u32) {
        if let Some(schedule) = &self.recorder.session.schedule {
            tokio::select! {
                biased;
                () = schedule.turn(self.machine.task_path(id), attempt) => {}
                () = self.recorder.session.control.cancelled() => {}
            }
        }
    }
}
