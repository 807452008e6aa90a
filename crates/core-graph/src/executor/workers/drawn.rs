//! A worker in a simulation: the schedule decides which task it takes next, whether it adds another worker or yields, and
//! whether a task starts in place.

use std::sync::Arc;
use std::task::{Context as PollContext, Poll};

use futures::future::BoxFuture;

use super::{POLLS_PER_TURN, Unstarted};
use crate::executor::attempt::{Attempt, judge};
use crate::executor::task_start::{Call, DispatchStart};
use crate::limits::TurnOrder;
use crate::machine::Dispatch;
use crate::state::State;
use crate::sync::lock;
use crate::tasks::TaskId;

/// The most workers of a dispatch.
pub(super) const MOST_WORKERS: usize = 4;

impl<S: State, Cx: Send + Sync + 'static> Unstarted<S, Cx> {
    /// [`AnyUnstarted::work`] in a simulation. Apart, so that a program pays nothing for it with each task.
    #[cold]
    #[inline(never)]
    pub(super) fn work_as_drawn(self: &Arc<Self>, schedule: &dyn TurnOrder, context: &mut PollContext<'_>) -> bool {
        let start = DispatchStart { runtime: &self.runtime, namespace: &self.namespace, step: self.step };
        let mut spare = None;
        for _ in 0..POLLS_PER_TURN {
            let Some(task) = self.drawn_task(schedule) else { return false };
            let (id, node, attempt) = (task.id, task.node, task.attempt);
            let mut task = start.start(task, &mut spare);
            if let Some(turn) = self.later_turn(id, node, attempt) {
                self.start_in_turn(turn, id, task.attempt());
                continue;
            }
            match task.start_node(context) {
                Poll::Ready(result) => {
                    self.completions.push(id, judge(result, task.services.as_deref()));
                    spare = task.services;
                }
                Poll::Pending => self.spawn_waiting(id, task.attempt()),
            }
            if schedule.draw(3) == 0 {
                self.add_workers(1);
            }
            if schedule.draw(3) == 0 {
                return true;
            }
        }
        true
    }

    /// Takes the task that the schedule draws, unless the run is cancelled.
    fn drawn_task(&self, schedule: &dyn TurnOrder) -> Option<Dispatch<S>> {
        let mut tasks = lock(&self.tasks);
        let next = schedule.draw(tasks.len());
        let task = tasks.remove(next);
        drop(tasks);
        task.filter(|_| !self.namespace.session.control.is_cancelled())
    }

    /// The turn that a task waits for, unless the schedule says that it starts at once.
    fn later_turn(&self, id: TaskId, node: u32, attempt: u32) -> Option<BoxFuture<'static, ()>> {
        let schedule = self.namespace.session.schedule.as_ref()?;
        let path = id.path(&self.namespace.base, self.runtime.topology.node(node).name.as_str());
        if schedule.draw(2) == 0 {
            schedule.starts(path, attempt);
            return None;
        }
        let schedule = Arc::clone(schedule);
        Some(Box::pin(async move { schedule.turn(path, attempt).await }))
    }

    /// Starts a task when its turn comes.
    fn start_in_turn(&self, turn: BoxFuture<'static, ()>, id: TaskId, attempt: Attempt<S, Call<S, Cx>>) {
        let completions = Arc::clone(&self.completions);
        let finish = async move {
            turn.await;
            completions.push(id, attempt.finish().await);
        };
        self.completions.spawn(Box::pin(finish), &self.threads);
    }
}
